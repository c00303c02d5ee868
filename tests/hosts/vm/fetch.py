#!/usr/bin/env python3
"""Fetches what the tests in the virtual machine need besides qemu: Debian's cloud kernel (27 MB), by apt-get, into
BUILD/vm/kernel, where run.py finds it. Nothing is installed. What is there already is left as it is.

    tests/hosts/vm/fetch.py BUILD
"""
import pathlib
import subprocess
import sys

import image
import machine


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1]) / "vm"
    try:
        machine.find_kernel(folder)
        return 0
    except image.Missing:
        pass
    try:
        machine.fetch_kernel(folder)
    except image.Missing as missing:
        print(f"there is no {missing}", file=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"Debian's cloud kernel cannot be fetched: {failure}", file=sys.stderr)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
