#!/usr/bin/env python3
"""Compiles sources of the product each by itself, as programs that embed Weir and the preset `daily` do; makes nothing.

    apart.py BASE BUILDS            the sources that changes since the commit BASE affect ("": all), each with its command
                                    in the first of the build folders that has one
    apart.py --quick BASE BUILDS    where that is all of them, only those of the libraries that programs embed
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import affected

os.chdir(affected.ROOT)


def check(entry):
    words = [word for word in shlex.split(entry["command"]) if os.path.basename(word) != "ccache"]
    # Neither the object nor the list of what it depends on.
    for option in ("-o", "-MF", "-MT"):
        if option in words:
            del words[words.index(option):words.index(option) + 2]
    words = [word for word in words if word != "-MD"]
    ended = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return ended.returncode, ended.stderr


def embedded(sources):
    """Those of the libraries that programs embed, which is what weir::weir is made of."""
    text = pathlib.Path("cmake/libraries.cmake").read_text()
    lists = re.findall(r"^weir_library\((?:core|replicas|run)\b.*?FOLDERS (.*)\)", text, re.M)
    folders = {folder for folder in " ".join(lists).split() if folder != "QUICK"}
    return [source for source in sources if source.startswith(tuple(f"src/weir/{folder}/" for folder in folders))]


def main():
    quick = sys.argv[1] == "--quick"
    base, *builds = sys.argv[1 + quick:]
    wanted = affected.affected_sources(base)
    if quick and wanted == affected.affected_sources(""):
        wanted = embedded(wanted)
    wanted = set(wanted)
    entries = {}
    for build in builds:
        for entry in json.load(open(f"{build}/compile_commands.json")):
            name = os.path.relpath(entry["file"], affected.ROOT)
            if name in wanted:
                entries.setdefault(name, entry)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for status, text in pool.map(check, sorted(entries.values(), key=lambda e: -os.path.getsize(e["file"]))):
            if status != 0:
                print(text, end="", flush=True)
                failed += 1
    print(f"apart: {len(entries)} sources, {failed} of which cannot be compiled by themselves")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
