#!/usr/bin/env python3
"""Runs scenarios on several ranks of MPI and compares their result files, to the byte, with those of one process.

usage: check.py WEIR [--short] [--one-way] [--random N] [--first SEED] [--only NAME] [--no-files]
                [--mpi openmpi,mpich] [--ranks 1,2,3] [--threads 1,2]

Without options, all scenarios of tests/scenarios and 200 random ones run on {1, 2, 3} ranks with {1, 2} threads under
each MPI that is there, once with the scenario's probes and once with more, which takes hours. With --one-way each
scenario is run in one of these ways under each MPI, the next one in the next way. With --short, it is a part of them on
two ranks, and what happens when ranks differ, die, are interrupted, or go on from a checkpoint. Times and memory are left
out of the comparison. It exits with 77 if there is no MPI.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STARTERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
    "mpich": ["mpirun.mpich"],
}
# Of one run, by what they take or on what they depend.
LEFT_OUT = ("threads", "regime", "wall_s", "cpu_s", "max_rss_bytes", "checksum")
PROBES = {
    "queues": '{series = true, interval = "2 us"}',
    "rates": '{series = true, interval = "20 us"}',
    "links": '{series = true, interval = "10 us"}',
    "pfc": "true",
    "anatomy": "true",
    "view": "true",
}
SHORT = ("collective-ring", "collective-slots", "cut-off-few-entropies", "link-down", "pfc-watchdog")
TIMEOUT = 300

environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")


def starter(mpi, ranks):
    command = STARTERS[mpi] + ["-n", str(ranks)]
    if mpi == "openmpi" and os.getuid() == 0:
        command.insert(1, "--allow-run-as-root")
    return command


def random_scenario(seed):
    """A small scenario, drawn at random, as TOML."""
    draw = random.Random(seed)
    topology = draw.choice(
        [
            f'kind = "leaf-spine"\nleaves = {draw.randint(2, 5)}\nspines = {draw.randint(1, 3)}\n'
            f"hosts_per_leaf = {draw.randint(2, 5)}",
            f'kind = "clos"\npods = {draw.randint(2, 3)}\ntors_per_pod = 2\nhosts_per_tor = {draw.randint(2, 3)}\n'
            "aggs_per_pod = 2\ncores = 2",
            'kind = "fat-tree"\nk = 4',
        ]
    )
    algorithm = draw.choice(
        [
            'name = "hpcc"',
            'name = "hpcc"\npreset = "ns3"',
            'name = "dcqcn"\npreset = "vendor"',
            'name = "dctcp"\nrecovery = { kind = "sack" }',
            'name = "swift"\nrecovery = { kind = "sack" }',
            'name = "timely"',
            'name = "nscc"\npreset = "spraying"\nrecovery = { kind = "sack" }\n'
            f'load_balancing = {{ kind = "{draw.choice(["ops", "reps", "adaptive", "ecmp"])}" }}',
        ]
    )
    traffic = []
    if draw.random() < 0.6:
        traffic.append(
            f'kind = "poisson"\nsizes = "{draw.choice(["FB_Hadoop", "WebSearch", "20 KB"])}"\n'
            f'load = {draw.choice([0.2, 0.4, 0.7])}\nstop = "{draw.randint(50, 200)} us"'
        )
    if draw.random() < 0.4:
        traffic.append(f'kind = "permutation"\nsize = "{draw.randint(20, 400)} KB"')
    if draw.random() < 0.4:
        operation = draw.choice(["ring-all-reduce", "all-to-all"])
        traffic.append(f'kind = "collective"\noperation = "{operation}"\nsize = "{draw.randint(50, 300)} KB"')
    if draw.random() < 0.4:
        operation = draw.choice(["ring-all-reduce", "ring-broadcast", "tree-all-reduce"])
        traffic.append(
            f'kind = "collective"\noperation = "{operation}"\nsize = "{draw.randint(50, 300)} KB"\n'
            f'chunks = {draw.randint(2, 9)}\nslots = {draw.randint(2, 4)}\nslots_freed_by = "receiver"\n'
            f'step_delay = "1 us"\nslow = "2"\nslow_factor = {draw.choice([2, 20])}'
        )
    if not traffic or draw.random() < 0.2:
        traffic.append('kind = "incast_poisson"\nsize = "20 KB"\nfan_in = 3\nload = 0.1\nstop = "100 us"')
    text = f"[run]\nseed = {draw.randint(0, 10**6)}\n"
    text += f'stop = "{draw.choice([1, 3])} ms"\n' if draw.random() < 0.9 else 'stop = "20 ms"\n'
    text += f"\n[topology]\n{topology}\n"
    mode = draw.choice(["lossless", "lossy", "lossy"])
    text += f'\n[network.buffer]\nmode = "{mode}"\nsize = "{draw.choice([2, 4, 12])} MB"\n'
    text += '\n[network.ecn]\nenabled = true\nk_min = "40 KB"\nk_max = "160 KB"\n'
    if draw.random() < 0.25:
        text += f"\n[[network.loss]]\nprobability = {draw.choice([1e-4, 1e-3])}\n"
    if draw.random() < 0.15:
        text += '\n[[network.failure]]\nprobability = 0.1\ntime = "30 us"\n'
    text += '\n[transport]\nmin_rto = "200 us"\n'
    if draw.random() < 0.3:
        text += 'ack_class = "priority"\n'
    text += f"\n[algorithm]\n{algorithm}\n"
    for source in traffic:
        text += f"\n[[traffic]]\n{source}\n"
    return text


class Check:
    def __init__(self, options, work):
        self.options = options
        self.work = work
        self.compared = 0
        self.turn = 0
        self.refused = 0
        self.failures = []

    def fail(self, what):
        self.failures.append(what)
        print(f"FAILED: {what}", flush=True)

    def weir(self, arguments, before=()):
        command = [*before, self.options.weir, *arguments]
        try:
            return subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, -1, "", f"it took more than {TIMEOUT} s")

    def contents(self, directory):
        """The files of a result, without what the machine has to do with."""
        out = {}
        for path in sorted(p for p in directory.rglob("*") if p.is_file()):
            name = str(path.relative_to(directory))
            data = path.read_bytes()
            if name == "scenario.toml":
                data = b"\n".join(line for line in data.split(b"\n") if not line.startswith(b"threads = "))
            if name == "manifest.json":
                manifest = json.loads(data)
                for key in LEFT_OUT:
                    manifest.pop(key, None)
                manifest["files"].pop("scenario.toml")
                data = json.dumps(manifest, indent=1).encode()
            out[name] = data
        return out

    def difference(self, a, b):
        for name in sorted(set(a) | set(b)):
            if name not in a or name not in b:
                return f"only one of them has {name}"
            if a[name] != b[name]:
                for x, y in zip(a[name].split(b"\n"), b[name].split(b"\n")):
                    if x != y:
                        return f"{name}: {x[:120]!r} and {y[:120]!r}"
                return f"{name}: one is longer"
        return ""

    def scenario(self, name, file, settings):
        """One scenario in all ways."""
        alone = self.work / "alone"
        arguments = ["run", str(file), "-q", *settings, "--out"]
        reference = self.weir([*arguments, str(alone)])
        if reference.returncode == 2:
            self.refused += 1
            return
        expected = self.contents(alone)
        shutil.rmtree(alone)
        for mpi in self.options.mpi:
            ways = [(ranks, threads) for ranks in self.options.ranks for threads in self.options.threads]
            if self.options.one_way:
                self.turn += 1
                ways = [ways[self.turn // len(self.options.mpi) % len(ways)]]
            for ranks, threads in ways:
                what = f"{name}: {mpi}, {ranks} ranks, {threads} threads"
                out = self.work / "ranks"
                run = self.weir([*arguments, str(out), "--threads", str(threads)], starter(mpi, ranks))
                if not out.exists():
                    self.fail(f"{what}: status {run.returncode}: {run.stderr.strip()[:300]}")
                    continue
                different = self.difference(expected, self.contents(out))
                shutil.rmtree(out)
                if different:
                    self.fail(f"{what}: {different}")
                if (run.returncode == 0) != (reference.returncode == 0):
                    self.fail(f"{what}: status {run.returncode}, not {reference.returncode}")
                self.compared += 1

    def both(self, name, file):
        probes = [w for probe, value in PROBES.items() for w in ("--set", f"probes.{probe}={value}")]
        if not self.options.short:
            self.scenario(name, file, [])
        self.scenario(f"{name} with probes", file, probes)

    def all(self):
        files = [] if self.options.no_files else sorted(pathlib.Path("tests/scenarios").glob("*.toml"))
        for file in filter(is_exact, files):
            if self.options.only and self.options.only != file.stem:
                continue
            if self.options.short and file.stem not in SHORT:
                continue
            self.both(file.stem, file)
            print(f"{file.stem}: {self.compared} compared", flush=True)
        for seed in range(self.options.first, self.options.first + self.options.random):
            file = self.work / "random.toml"
            file.write_text(random_scenario(seed))
            self.both(f"random {seed}", file)
            if seed % 10 == 9:
                print(f"random {seed}: {self.compared} compared", flush=True)

    # What goes wrong.

    def long_scenario(self):
        file = self.work / "long.toml"
        file.write_text(
            '[run]\nstop = "200 ms"\n[topology]\nkind = "leaf-spine"\nleaves = 2\nspines = 2\nhosts_per_leaf = 4\n'
            '[algorithm]\nname = "hpcc"\n[[traffic]]\nkind = "poisson"\nsizes = "FB_Hadoop"\nload = 0.5\nstop = "1 s"\n'
        )
        return file

    def ranks_that_differ(self, mpi):
        files = [self.work / name for name in ("a.toml", "b.toml")]
        for file, seed in zip(files, (1, 2)):
            file.write_text(random_scenario(1).replace("[run]\nseed = ", f"[run]\nseed = {seed}"))
        before = starter(mpi, 1)
        run = self.weir(["run", str(files[0]), ":", "-n", "1", self.options.weir, "run", str(files[1])], before)
        if run.returncode != 2 or "rank 1 of 2" not in run.stderr or "another scenario" not in run.stderr:
            self.fail(f"{mpi}: ranks with different scenarios: status {run.returncode}: {run.stderr}")
        run = self.weir(["run", "nowhere.toml"], starter(mpi, 2))
        if run.returncode != 2 or run.stderr.count("nowhere.toml") != 1:
            self.fail(f"{mpi}: a scenario that is not there: status {run.returncode}: {run.stderr}")

    def start(self, mpi, out, arguments):
        """A run on two ranks, as soon as it has kept a checkpoint."""
        command = [*starter(mpi, 2), self.options.weir, "run", "-q", "--checkpoint", "1 ms", "--out", str(out), *arguments]
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 60
        while not pathlib.Path(f"{out}.partial-run", "checkpoint").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return process

    def rank_that_dies(self, mpi):
        out = self.work / "dies"
        process = self.start(mpi, out, [str(self.long_scenario())])
        victims = processes_of(process.pid, self.options.weir)
        os.kill(victims[-1], signal.SIGKILL)
        begin = time.monotonic()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
        took = time.monotonic() - begin
        if process.returncode == 0 or took > 10 or out.exists():
            self.fail(f"{mpi}: a rank that dies: status {process.returncode} after {took:.1f} s")
        shutil.rmtree(f"{out}.partial-run", ignore_errors=True)

    def interrupted(self, mpi):
        out = self.work / "interrupted"
        process = self.start(mpi, out, [str(self.long_scenario())])
        for pid in processes_of(process.pid, self.options.weir)[1:]:
            os.kill(pid, signal.SIGINT)
        process.communicate(timeout=60)
        if not (out / "manifest.json").exists() or not json.loads((out / "manifest.json").read_text())["interrupted"]:
            self.fail(f"{mpi}: an interrupted run keeps nothing")
            return
        shutil.rmtree(out)

    def goes_on(self, mpi):
        """A run with checkpoints, interrupted on two ranks, goes on on three, and on one."""
        file = self.work / "goes-on.toml"
        file.write_text(self.long_scenario().read_text().replace("200 ms", "4 ms"))
        alone = self.work / "alone"
        self.weir(["run", str(file), "-q", "--out", str(alone)])
        expected = self.contents(alone)
        for ranks in (3, 1):
            out = self.work / "goes-on"
            process = self.start(mpi, out, [str(file)])
            for pid in processes_of(process.pid, self.options.weir):
                os.kill(pid, signal.SIGINT)
            process.communicate(timeout=60)
            run = self.weir(["resume", "-q", str(out)], starter(mpi, ranks))
            different = self.difference(expected, self.contents(out)) if out.exists() else run.stderr
            if different:
                self.fail(f"{mpi}: a run that goes on on {ranks} ranks: {different}")
            shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(alone)

    def faults(self):
        for mpi in self.options.mpi:
            for check in (self.ranks_that_differ, self.rank_that_dies, self.interrupted, self.goes_on):
                check(mpi)
                print(f"{mpi}: {check.__name__}", flush=True)


def is_exact(file):
    text = file.read_text()
    return "fidelity" not in text.split("[topology]")[0] and "fast_forward" not in text


def processes_of(ancestor, program):
    """The processes of this program below another one, in order of their numbers."""
    parents = {}
    names = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            names[int(folder.name)] = os.readlink(folder / "exe")
        except OSError:
            continue
        parents[int(folder.name)] = int(stat.rsplit(")", 1)[1].split()[1])
    out = []
    for pid in sorted(parents):
        at = pid
        while at in parents and at != ancestor:
            at = parents[at]
        if at == ancestor and os.path.samefile(names[pid], program):
            out.append(pid)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--one-way", action="store_true")
    parser.add_argument("--no-files", action="store_true")
    parser.add_argument("--random", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--mpi", type=lambda t: t.split(","), default=list(STARTERS))
    parser.add_argument("--ranks", type=lambda t: [int(n) for n in t.split(",")])
    parser.add_argument("--threads", type=lambda t: [int(n) for n in t.split(",")])
    options = parser.parse_args()
    options.weir = os.path.realpath(options.weir)
    options.random = options.random if options.random is not None else 2 if options.short else 200
    options.ranks = options.ranks or ([2] if options.short else [1, 2, 3])
    options.threads = options.threads or ([1] if options.short else [1, 2])
    modules = pathlib.Path(options.weir).parent.parent
    options.mpi = [
        mpi for mpi in options.mpi if shutil.which(STARTERS[mpi][0]) and list(modules.glob(f"lib*/**/libweir-ranks-{mpi}.so"))
    ]
    if not options.mpi:
        print("skipped: no MPI; Debian: apt-get install --no-install-recommends libopenmpi-dev openmpi-bin libmpich-dev mpich")
        return 77
    with tempfile.TemporaryDirectory(prefix="weir-") as work:
        check = Check(options, pathlib.Path(work))
        check.all()
        if options.short:
            check.faults()
        print(f"{check.compared} results compared, {check.refused} scenarios refused, {len(check.failures)} failures")
        return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
