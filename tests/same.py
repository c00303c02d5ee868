#!/usr/bin/env python3
"""Compares two builds of the command `weir`: the same scenarios must give the same results, to the byte.

    ./dev same OLD NEW [--brief] [PATTERN ...]

Runs every scenario of tests/scenarios whose name matches a PATTERN (all without one) by both programs in each of
18 ways: run.scheduler auto, wheel, heap x run.threads 1, 2, 4 x network.port fifo, queued. Compares all files of the
results but scenario.toml, which changes with each new parameter, and of manifest.json the digest and all counters.
Counted events tell what digests do not: that turns have silently become single events. Then compares what the cases of
`weir bench` and the quick claims of papers give.

--brief takes four of the 18 ways, and leaves out the bench cases.

A difference is told with the command that shows it again. The exit status is 0 if there is none, 1 otherwise. A way that
both programs refuse, such as queued ports where a scenario cannot have them, counts as equal.
"""
import argparse
import concurrent.futures
import fnmatch
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEDULERS, THREADS, PORTS = ("auto", "wheel", "heap"), (1, 2, 4), ("fifo", "queued")
NOT_RESULTS = {"version", "simulator", "threads", "wall_s", "cpu_s", "max_rss_bytes", "files", "checksum", "regime"}  # keys of manifest.json
BRIEF = (("auto", 1, "fifo"), ("auto", 2, "fifo"), ("heap", 1, "queued"), ("wheel", 4, "fifo"))


def run(weir, arguments):
    return subprocess.run([weir, *arguments], cwd=ROOT, capture_output=True, text=True)


def options_of(way):
    scheduler, threads, port = way
    return ["--set", f"run.scheduler={scheduler}", "--threads", str(threads), "--set", f"network.port={port}"]


def files_of(folder):
    """The bytes of each file of a result, and what of its manifest is not of the machine or the program."""
    out = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and path.name not in ("manifest.json", "scenario.toml"):
            out[str(path.relative_to(folder))] = path.read_bytes()
    manifest = json.loads((pathlib.Path(folder) / "manifest.json").read_text())
    out["manifest.json"] = {k: v for k, v in manifest.items() if k not in NOT_RESULTS}
    return out


def result(weir, scenario, way):
    """A dictionary of files, or the text with which the program ended."""
    with tempfile.TemporaryDirectory(prefix="weir-same-") as folder:
        out = os.path.join(folder, "out")
        ended = run(weir, ["run", scenario, "-q", "--out", out, *options_of(way)])
        if not os.path.isdir(out):
            return f"status {ended.returncode}: {ended.stderr.strip()}"
        return files_of(out)


def differences(old, new):
    if isinstance(old, str) or isinstance(new, str):
        return [] if old == new else [f"{old if isinstance(old, str) else 'a result'!r} has become "
                                      f"{new if isinstance(new, str) else 'a result'!r}"]
    out = [f"only one has {name}" for name in sorted(old.keys() ^ new.keys())]
    for name in sorted(old.keys() & new.keys()):
        if old[name] == new[name]:
            continue
        if isinstance(old[name], dict):
            out += [f"{key} was {old[name].get(key)} and is {new[name].get(key)}"
                    for key in sorted(old[name].keys() | new[name].keys()) if old[name].get(key) != new[name].get(key)]
        else:
            out.append(f"{name} differs")
    return out


def compare_scenario(programs, scenario, way):
    found = differences(*(result(weir, scenario, way) for weir in programs))
    return [f"weir run {scenario} {' '.join(options_of(way))}: {what}" for what in found]


def compare_output(programs, arguments):
    def told(weir):
        ended = run(weir, arguments)
        return ended.returncode, re.sub(r'"weir": "[^"]*"', '', ended.stdout)  # the version

    old, new = map(told, programs)
    return [] if old == new else [f"weir {' '.join(arguments)}: the output differs"]


def bench_cases(programs):
    listed = (run(weir, ["bench", "--list"]).stdout.splitlines() for weir in programs)
    first, second = ([line.split()[0] for line in lines if line.strip()] for lines in listed)
    return [case for case in first if case in second]


def main():
    parser = argparse.ArgumentParser(prog="./dev same", description="Compares the results of two builds of weir.")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="of names of scenarios, such as 'on-ramp-*'")
    parser.add_argument("--brief", action="store_true", help="four of the 18 ways, and no bench cases")
    o = parser.parse_intermixed_args()
    programs = [os.path.abspath(o.old), os.path.abspath(o.new)]
    for weir in programs:
        if not os.access(weir, os.X_OK):
            parser.error(f"{weir} is no program")
    names = [path.name for path in sorted((ROOT / "tests/scenarios").glob("*.toml"))]
    chosen = [n for n in names if not o.patterns or any(fnmatch.fnmatch(n[:-5], p) for p in o.patterns)]
    if not chosen:
        parser.error("no scenario of tests/scenarios has such a name")
    ways = BRIEF if o.brief else list(itertools.product(SCHEDULERS, THREADS, PORTS))
    work = [(compare_scenario, f"tests/scenarios/{name}", way) for name in chosen for way in ways]
    if not o.patterns:
        work.append((compare_output, ["paper", "check", "--json", "-q"]))
        if not o.brief:
            work += [(compare_output, ["bench", "--one", case]) for case in bench_cases(programs)]
    found = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for ended, texts in enumerate(pool.map(lambda job: job[0](programs, *job[1:]), work), start=1):
            for text in texts:
                print(text, flush=True)
            found += bool(texts)
            if sys.stderr.isatty():
                print(f"\r{ended} of {len(work)} compared, {found} differ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{len(work) - found} of {len(work)} are the same")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
