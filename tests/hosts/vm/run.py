#!/usr/bin/env python3
"""Runs cases of weir-host on Debian's kernel in a virtual machine in virtual time.

    tests/hosts/vm/run.py --build BUILD [--weir WEIR] [--fetch] [--full] [--results FILE] [--list] [CASE...]

BUILD is a folder that cmake has built, with bin/lab-load and bin/weir-host, and WEIR the simulator, which one of the
cases asks for (BUILD/bin/weir). Results are lines of JSON in
BUILD/vm/results.jsonl or FILE, logs are in BUILD/vm/log. Exit status: 0 all checks hold; 1 some do not; 2 wrong arguments; 77
something that is needed is not on this machine, and is named.
"""
import argparse
import json
import pathlib
import sys

import cases
import checks
import image
import machine
import simulated

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[2] / "build/release",
                        help="a folder that cmake has built")
    parser.add_argument("--weir", type=pathlib.Path, help="the simulator")
    parser.add_argument("--fetch", action="store_true", help="download the kernel's package if it is not there")
    parser.add_argument("--full", action="store_true", help="also the cases that take long")
    parser.add_argument("--results", type=pathlib.Path, help="write results there")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument("case", nargs="*", help="only these")
    chosen = parser.parse_args()
    names = [case.name for case in cases.CASES]
    for name in chosen.case:
        if name not in names:
            parser.error(f"no case {name!r}; there are {', '.join(names)}")
    return chosen


def program(build, name):
    path = build / "bin" / name
    if not path.is_file():
        raise image.Missing(f"{path} (build the target {name.replace('-', '_')})")
    return path


class Lab:
    """What all boots have in common."""

    def __init__(self, build, fetch, weir=None):
        self.folder = build / "vm"
        self.weir = weir or build / "bin/weir"
        machine.qemu()
        if fetch:
            try:
                machine.find_kernel(self.folder)
            except image.Missing:
                machine.fetch_kernel(self.folder)
        tree, self.kernel = machine.find_kernel(self.folder)
        programs = {"bin/lab-load": program(build, "lab-load")}
        try:
            programs["bin/weir-host"] = program(build, "weir-host")
        except image.Missing as missing:
            self.no_agent = str(missing)
        else:
            self.no_agent = None
        files = {"init": HERE / "guest/init"}
        files |= {f"{name}.txt": HERE.parents[2] / f"data/workloads/{name}.cdf.txt" for name in cases.SIZES}
        files |= {path.name: path for path in sorted((HERE / "guest").glob("*.sh"))}
        self.base = image.make(tree, programs, files).bytes()

    def boot(self, name, script, case):
        extra = image.overlay({"case.sh": (script, 0o644)})
        output, seconds = machine.boot(self.kernel, self.base + extra, self.folder / "log", name,
                                       virtual=case.virtual, limit=case.limit)
        lines = output.splitlines()
        if not lines or lines[-1] != "exit 0":
            raise machine.Failed(f"{name}: the script failed; see {self.folder}/log/{name}.*")
        return output, [json.loads(line) for line in lines if line.startswith("{")], seconds


def run_case(lab, case, record):
    """Returns whether all of it is as it should be."""
    results = {}
    good = True
    for name, script in case.boots.items():
        output, results[name], seconds = lab.boot(name, script, case)
        print("  {}: {:.0f} s, {:.0f} s of processor time".format(name, *seconds), flush=True)
        for result in results[name]:
            record({"boot": name, **result})
        if case.twice:
            with machine.Busy():
                again, _, _ = lab.boot(f"{name}-again", script, case)
            logs = [(lab.folder / "log" / f"{one}.console").read_bytes() for one in (name, f"{name}-again")]
            same = again == output and logs[0] == logs[1]
            good = good and same
            record({"check": f"{name}: the same with all processors busy", "good": same})
            print(f"  {'ok  ' if same else 'FAIL'} the same log, byte for byte, with all processors busy")
    network = checks.same_network(results)
    if case.simulations and not lab.weir.is_file():
        print(f"  left out the simulations: there is no {lab.weir} (build the target weir_cli, or --weir)")
    elif case.simulations:
        for name, settings in case.simulations.items():
            results[name] = [simulated.run(lab.weir, lab.folder / name, **cases.BESIDE, **settings)]
            record({"boot": name, **results[name][0]})
    for check in network + case.judge(results):
        good = good and check.good
        value = check.value if isinstance(check.value, str) else float(f"{check.value:.4g}")
        record({"check": f"{case.name}: {check.what}", "value": value, "bound": check.bound, "good": check.good})
        print(f"  {'ok  ' if check.good else 'FAIL'} {check.what}: {value} ({check.bound})", flush=True)
    return good


def main():
    chosen = arguments()
    if chosen.list:
        for case in cases.CASES:
            print(f"{case.name:14}{'--full  ' if case.full else ''}{case.about}")
        return 0
    try:
        lab = Lab(chosen.build.resolve(), chosen.fetch, chosen.weir)
    except image.Missing as missing:
        print(f"skipped: there is no {missing}")
        return SKIPPED
    machine.lower_priority()
    picked = [case for case in cases.CASES if case.name in chosen.case or
              not chosen.case and (chosen.full or not case.full)]
    good = True
    left_out = []
    with open(chosen.results or lab.folder / "results.jsonl", "w", encoding="utf-8") as file:
        def record(line):
            file.write(json.dumps(line) + "\n")
            file.flush()
        for case in picked:
            if case.agent and lab.no_agent:
                left_out.append(case.name)
                continue
            print(f"{case.name}: {case.about}", flush=True)
            try:
                good = run_case(lab, case, record) and good
            except (machine.Failed, ValueError) as failure:
                print(f"  FAIL {failure}")
                good = False
    if left_out:
        print(f"left out ({', '.join(left_out)}): there is no {lab.no_agent}")
        if len(left_out) == len(picked):
            return SKIPPED
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
