#!/usr/bin/env python3
"""Counts the instructions of fixed cases with callgrind, and compares them with bench/instructions.json.

    ./dev instructions            exit status 1 if a case takes over 0.3 % more than is on record
    ./dev instructions --update   puts what is counted on record

A count does not depend on how busy the machine is, but on the compiler: the record says which one it is of, and with
another one the counts are told and not judged.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench/instructions.json"
BOUND = 0.003
# A case of `weir bench`, and what is changed of its scenario so that it is shorter.
CASES = {
    "fat-tree-320-hpcc": ["run.stop=60 us"],
    "fat-tree-320-dcqcn": ["run.stop=60 us"],
    "permutation-128": ["run.stop=40 us"],
    "permutation-1024": ["run.stop=20 us"],
    "incast-16-hpcc": ["run.stop=400 us"],
}


def compiler():
    cache = (ROOT / "build/release/CMakeCache.txt").read_text()
    path = next(l.split("=", 1)[1] for l in cache.splitlines() if l.startswith("CMAKE_CXX_COMPILER:"))
    return subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def count(weir, case):
    with tempfile.TemporaryDirectory(prefix="weir-instructions-") as folder:
        counted = os.path.join(folder, "callgrind")
        changes = [word for change in CASES[case] for word in ("--set", change)]
        # Nobody watches a case of `weir bench`, so it is simulated in one go: a run that is watched stops more often if it
        # is slow, as it is here.
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counted}", weir, "bench", "--one", case, *changes],
                       cwd=ROOT, capture_output=True, check=True)
        for line in open(counted):
            if line.startswith(("summary:", "totals:")):
                return int(line.split()[1])
    raise RuntimeError(f"callgrind has counted nothing of {case}")


def main():
    weir = os.path.abspath(sys.argv[1])
    update = "--update" in sys.argv[2:]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        counts = dict(zip(CASES, pool.map(lambda case: count(weir, case), CASES)))
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"compiler": "", "cases": {}}
    is_same_compiler = record["compiler"] == compiler()
    above = []
    for case, counted in counts.items():
        before = record["cases"].get(case)
        change = "" if before is None else f"{100 * (counted / before - 1):+.2f} %"
        print(f"{case:<24} {counted / 1e6:>9.1f} M instructions  {change}")
        if before is not None and counted > before * (1 + BOUND):
            above.append(case)
    if update:
        RECORD.write_text(json.dumps({"compiler": compiler(), "cases": counts}, indent=2) + "\n")
        return 0
    if not is_same_compiler:
        print(f"not judged: the record is of {record['compiler'] or 'no compiler'}, this build of {compiler()}")
        return 0
    if above:
        print(f"over {100 * BOUND:.1f} % more than on record: {', '.join(above)}; if the change is worth it, "
              "./dev instructions --update")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
