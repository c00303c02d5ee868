"""Results of runs."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

from . import _weir
from ._errors import InputError
from ._table import Table
from ._values import file_name


class Tables(Mapping[str, Table]):
    """The tables of a result by name, "flows" for flows.csv. Each is read when it is asked for first."""

    def __init__(
        self, inner: _weir.Tables | Mapping[str, _weir.Columns], own: Mapping[str, _weir.Columns] | None = None
    ) -> None:
        self._inner = inner
        self._own = dict(own or {})  # of the program's probes
        files = inner.files() if isinstance(inner, _weir.Tables) else list(inner)
        self._names = [file.removesuffix(".csv") for file in [*files, *self._own]]

    def __getitem__(self, name: str) -> Table:
        if name not in self._names:
            raise KeyError(f"there is no table '{name}'; valid is {', '.join(self._names) or 'none'}")
        file = f"{name}.csv"
        if file in self._own:
            return Table(name, self._own[file])
        return Table(name, self._inner.get(file) if isinstance(self._inner, _weir.Tables) else self._inner[file])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ({f"{name}.csv": table._columns for name, table in self.items()},)

    def __repr__(self) -> str:
        return f"<weir.Tables {', '.join(self._names)}>"


class Result:
    """What a run has come to.

    summary    the document summary.json: statistics of flows, queues and so on
    manifest   the document manifest.json: how the run was made, its counters and its digest
    tables     the tables of the scenario's probes; `flows` is always among them
    is_whole   False: the run ended early, for `reason`
    path       the directory in which it is; None: it is in memory
    """

    def __init__(
        self,
        summary: dict[str, Any],
        manifest: dict[str, Any],
        is_whole: bool,
        reason: str,
        tables: Tables,
        path: pathlib.Path | None = None,
    ) -> None:
        self.summary = summary
        self.manifest = manifest
        self.is_whole = is_whole
        self.reason = reason
        self.tables = tables
        self.path = path

    @property
    def flows(self) -> Table:
        """A row for each flow: size_bytes, start_ps, finish_ps, fct_ps, slowdown, ..."""
        return self.tables["flows"]

    def __getitem__(self, table: str) -> Table:
        return self.tables[table]

    def to_parquet(self, directory: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Writes each table as NAME.parquet into the directory, which is made; needs pyarrow. Returns the files."""
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise ImportError("Parquet is written by the package pyarrow: pip install 'weir[parquet]'") from error
        from ._parquet import write

        target = pathlib.Path(directory)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise InputError(f"{target}: it is a file; choose another name", file=str(target)) from None
        return write(self.tables, target)

    def __repr__(self) -> str:
        flows = self.summary["flows"]
        what, finished, unfinished = "flows", flows["finished"], flows["unfinished"]
        collectives = self.summary.get("collectives", [])
        if finished + unfinished == 0 and collectives:  # their messages have no rows
            what = "messages"
            unfinished = sum(c["unfinished"] for c in collectives)
            finished = sum(c["messages"] for c in collectives) - unfinished
        early = "" if self.is_whole else f", ended early: {self.reason}"
        return f"<weir.Result {finished} {what} finished, {unfinished} not{early}>"


def result_of(
    raw: tuple[str, str, bool, str, _weir.Tables], own: Mapping[str, _weir.Columns] | None = None
) -> Result:
    summary, manifest, is_whole, reason, tables = raw
    return Result(json.loads(summary), json.loads(manifest), is_whole, reason, Tables(tables, own))


def read(directory: str | os.PathLike[str]) -> Result:
    """Reads a result directory, as `weir run` or weir.run(out=...) has written it.

    Raises InputError if there is none, or if a file is not as the run wrote it: that of a table when it is first asked
    for, all others here.
    """
    path = file_name(directory)
    inner = _weir.Tables(path)
    summary, manifest = json.loads(inner.text("summary.json")), json.loads(inner.text("manifest.json"))
    is_whole = manifest["complete"]
    reason = "" if is_whole else manifest.get("reason", manifest["ended_by"])
    return Result(summary, manifest, is_whole, reason, Tables(inner), pathlib.Path(path))
