"""Runs the blocks of pages, from top to bottom, in a new folder for each page.

    run_blocks.py WEIR ENVIRONMENT PAGE

A block of `toml`, `text`, `csv`, `python`... whose first line is `# NAME` or `# NAME: what it is` becomes that file. A
block of `sh` is run. In a block of `console` each line that begins with `$ ` is run, and the lines below it have to stand
in what it prints, in this order; a line `...` stands for any. `<!-- picture: FILE -->` before a picture says that it is the
file that the blocks have made. Where numbers differ from machine to machine, pages leave
them out. `weir` is WEIR; scenarios/, papers/, data/ and examples/ are copies of Weir's. `python3` is that of the folder
ENVIRONMENT, if there is one. A page that has a line `<!-- needs MODULE -->` is skipped, with status 77, if that Python has
no such module. WEIR_PLUGIN, an environment variable, is the plug-in halving.so of a page that needs one.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from pages import ROOT, blocks, text_of

FILES = ("toml", "csv", "python", "sql", "cpp", "text")
FILE = re.compile(r"(?:#|//|--) (?P<name>[\w./-]+\.[a-z]+)(?::.*)?$")


def fail(block, what):
    sys.exit(f"{block.page}:{block.line}: {what}")


def run(block, command, folder, environment):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if done.returncode != 0:
        fail(block, f"status {done.returncode} of\n{command}\n{done.stdout}")
    return done.stdout


def compare(block, command, wanted, output):
    """The lines that the page shows stand in the output, in this order."""
    printed = iter(line.rstrip() for line in output.splitlines())
    for line in wanted:
        if line.strip() != "..." and line.strip() and not any(line.rstrip() == other for other in printed):
            fail(block, f"'{line}' is not printed, or not in this order, by\n{command}\n{output}")


def console(block, folder, environment):
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif not commands:
            fail(block, "a block of console begins with '$ '")
        elif commands[-1][0].endswith("\\"):
            commands[-1] = (commands[-1][0] + "\n" + line, [])
        else:
            commands[-1][1].append(line)
    for command, wanted in commands:
        compare(block, command, wanted, run(block, command, folder, environment))
    return len(commands)


def run_page(weir, python, page):
    for module in re.findall(r"^<!-- needs (\w+) -->$", text_of(page), re.M):
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode != 0:
            print(f"skipped: {python} has no {module}")
            sys.exit(77)
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "work"
        programs = pathlib.Path(name) / "bin"
        folder.mkdir()
        programs.mkdir()
        (programs / "weir").symlink_to(weir)
        (programs / "python3").write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
        (programs / "python3").chmod(0o755)
        for shared in ("scenarios", "papers", "data", "examples"):
            shutil.copytree(ROOT / shared, folder / shared)
        if plugin := os.environ.get("WEIR_PLUGIN"):
            (folder / "halving.so").symlink_to(plugin)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "120"}
        for block in blocks(page):
            if block.not_run:
                continue
            if block.language == "console":
                count += console(block, folder, environment)
            elif block.language in ("sh", "bash"):
                run(block, block.text, folder, environment)
                count += 1
            elif block.language in FILES:
                match = FILE.match(block.text.split("\n", 1)[0])
                if not match:
                    fail(block, "the first line of a file's block is its name, as '# NAME'; or say <!-- not run: REASON -->")
                file = folder / match["name"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text.split("\n", 1)[1] if block.language == "csv" else block.text)
        # A picture of the page is what its blocks have drawn.
        for drawn, picture in re.findall(r"^<!-- picture: (\S+) -->\n!\[[^\]]*\]\((\S+)\)$", text_of(page), re.M):
            if (folder / drawn).read_bytes() != ((ROOT / page).parent / picture).read_bytes():
                sys.exit(f"{page}: {picture} is not what {drawn} is now")
    if count == 0:
        sys.exit(f"{page}: nothing is run")
    print(f"{page}: {count} blocks and commands ran")


def main():
    weir, environment, page = sys.argv[1:]
    python = pathlib.Path(environment) / "bin/python"
    run_page(os.path.abspath(weir), os.path.abspath(python) if python.exists() else sys.executable, page)


main()
