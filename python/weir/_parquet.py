"""Tables as Parquet, by pyarrow: Arrow's library is no part of Debian 12, but pyarrow brings it.

The package writes tables that it has in memory. The command `weir` holds the text of this file, and has a Python run it
alone, on the CSV files of a result: therefore it imports nothing of the package.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any

LACKS_PYARROW = 3  # exit status


@contextlib.contextmanager
def _writer(target: pathlib.Path, schema: Any) -> Iterator[Any]:
    """A file appears whole or not at all."""
    import pyarrow.parquet

    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with pyarrow.parquet.ParquetWriter(partial, schema, compression="zstd") as writer:
            yield writer
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write(tables: Mapping[str, Any], directory: pathlib.Path) -> list[pathlib.Path]:
    """Writes NAME.parquet of each table, which is anything that Arrow reads."""
    import pyarrow

    written = []
    for name, table in tables.items():
        columns = pyarrow.table(table)
        target = directory / f"{name}.parquet"
        with _writer(target, columns.schema) as writer:
            writer.write_table(columns)
        written.append(target)
    return written


def convert(file: pathlib.Path, kinds: Mapping[str, str]) -> pathlib.Path:
    """Writes NAME.parquet beside NAME.csv, block by block. Kinds of columns are "whole", "real" and "text"."""
    import pyarrow
    import pyarrow.csv

    types = {"whole": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.dictionary(pyarrow.int32(), pyarrow.utf8())}
    schema = pyarrow.schema([pyarrow.field(name, types[kind], kind != "text") for name, kind in kinds.items()])
    options = {
        "read_options": pyarrow.csv.ReadOptions(block_size=16 << 20),
        "parse_options": pyarrow.csv.ParseOptions(newlines_in_values=True),
        "convert_options": pyarrow.csv.ConvertOptions(
            column_types={name: types[kind] for name, kind in kinds.items()},
            include_columns=list(kinds),
            null_values=[""],
            strings_can_be_null=False,
        ),
    }
    target = file.with_suffix(".parquet")
    with pyarrow.csv.open_csv(file, **options) as blocks, _writer(target, schema) as writer:
        for block in blocks:
            writer.write_batch(pyarrow.RecordBatch.from_arrays(block.columns, schema=schema))
    return target


def main(arguments: list[str]) -> int:
    """What the command asks: nothing = is pyarrow there? Else a directory and the tables in it, as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        import pyarrow.csv
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return LACKS_PYARROW
    try:
        if arguments:
            directory, tables = arguments
            for file, kinds in json.loads(tables).items():
                convert(pathlib.Path(directory, file), kinds)
    except (OSError, pyarrow.ArrowException) as error:
        print(" ".join(str(error).split()))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
