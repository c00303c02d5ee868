"""Tables as Parquet, by pyarrow: Arrow's library is no part of Debian 12, but pyarrow brings it."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping

from ._errors import InputError
from ._table import Table


def write(tables: Mapping[str, Table], directory: pathlib.Path) -> list[pathlib.Path]:
    """Writes NAME.parquet of each table. A file appears whole or not at all."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet is written by the package pyarrow: pip install 'weir[parquet]'") from error
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{directory}: it is a file; choose another name", file=str(directory)) from None
    written = []
    for name, table in tables.items():
        target = directory / f"{name}.parquet"
        partial = directory / f".{name}.parquet.{os.getpid()}"
        try:
            pyarrow.parquet.write_table(pyarrow.table(table), partial, compression="zstd")
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        written.append(target)
    return written
