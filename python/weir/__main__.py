"""python -m weir parquet DIRECTORY [--out DIRECTORY]: the tables of results as Parquet."""

from __future__ import annotations

import argparse
import pathlib
import sys

from . import InputError, __version__, read


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m weir", description="Weir's Python package.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    parquet = commands.add_parser("parquet", help="write the tables of a result directory as Parquet (needs pyarrow)")
    parquet.add_argument("directory", help="what `weir run --out` has written")
    parquet.add_argument("--out", help="where the files go; DIRECTORY-parquet unless told otherwise")
    options = parser.parse_args(arguments)
    out = pathlib.Path(options.out or options.directory.rstrip("/") + "-parquet")
    try:
        for file in read(options.directory).to_parquet(out):
            print(file)
    except InputError as error:
        print(f"weir: {error}", file=sys.stderr)
        return 2
    except (ImportError, OSError) as error:
        print(f"weir: {error}", file=sys.stderr)
        return 2 if isinstance(error, ImportError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
