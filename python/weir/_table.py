"""Tables of results: columns of numbers and words, for NumPy, Arrow, pandas and polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _weir

if TYPE_CHECKING:
    import pandas
    import polars


class Table:
    """A table that never changes: rows of flows, ports or samples.

    Names of columns end in their unit: `_ps` (picoseconds), `_bytes`, `_bps` (bits per second).

    Arrow (`pyarrow.table(t)`, `polars.DataFrame(t)`, DuckDB) reads the table's own memory, without a copy. Whole numbers
    are int64, real ones float64, words dictionaries of strings; an empty field of the CSV file is null.
    """

    def __init__(self, name: str, columns: _weir.Columns) -> None:
        self.name = name
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._columns.names

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._columns)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column as an array: int64, float64, or objects that are strings.

        It is the table's own memory, which cannot be written, but for words, and for whole numbers of which some are
        missing: those come as float64 with NaN.
        """
        values = self._columns.values(column)
        match self._columns.kind(column):
            case "text":
                return np.array(self._columns.words(column), dtype=object)[values] if len(values) else values.astype(object)
            case "whole" if not (valid := self.valid(column)).all():
                return np.where(valid, values, np.nan)
        return values

    def raw(self, column: str) -> NDArray[Any]:
        """The table's own memory in any case: 0 where a whole number is missing, and of words the codes (see words())."""
        return self._columns.values(column)

    def words(self, column: str) -> list[str]:
        """The words of a column of words: raw(column) are places in this list."""
        return self._columns.words(column)

    def valid(self, column: str) -> NDArray[np.bool_]:
        """For each row, whether the column has a value there."""
        values = self._columns.values(column)
        if self._columns.kind(column) == "real":
            return np.array(values == values, dtype=np.bool_)  # NaN is not
        bits = self._columns.valid(column)
        if len(bits) == 0:
            return np.ones(len(values), np.bool_)
        return np.unpackbits(bits, bitorder="little")[: len(values)].astype(np.bool_)

    def __arrow_c_schema__(self) -> object:
        return self._columns.arrow_schema()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._columns.arrow_schema(), self._columns.arrow_array()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._columns.arrow_stream()

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame; needs pandas. Words are categories; whole numbers of which some are missing are Int64."""
        import pandas

        data: dict[str, Any] = {}
        for column in self.columns:
            values = self._columns.values(column)
            kind = self._columns.kind(column)
            if kind == "text":
                data[column] = pandas.Categorical.from_codes(values, self._columns.words(column))
            elif kind == "whole" and not (valid := self.valid(column)).all():
                data[column] = pandas.arrays.IntegerArray(values.copy(), ~valid)
            else:
                data[column] = values
        return pandas.DataFrame(data, copy=False)

    def to_polars(self) -> polars.DataFrame:
        """A DataFrame; needs polars."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<weir.Table {self.name}: {len(self)} rows of {', '.join(self.columns)}>"
