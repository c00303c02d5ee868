"""The data paths that a lab can put on its hosts: none, or the one in user space on its own (weir-queue-driver)."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def find_program(name, variable):
    """Of the environment, of a folder of builds, or None."""
    given = os.environ.get(variable)
    places = [Path(given)] if given else sorted(ROOT.glob(f"build/*/bin/{name}"), key=lambda p: -p.stat().st_mtime)
    return next((place for place in places if os.access(place, os.X_OK)), None)


class NoPath:
    name = "none"

    def __init__(self, lab):
        pass

    def start(self):
        pass

    def stop(self):
        return {}


class QueuePath:
    """weir-queue-driver on each host; every other host of the lab is its peer."""

    name = "queue"

    def __init__(self, lab, threshold_us=5_000, driver=None, **more):
        self.lab, self.threshold_us, self.more = lab, threshold_us, more
        self.driver = driver or find_program("weir-queue-driver", "WEIR_QUEUE_DRIVER")
        if self.driver is None:
            raise FileNotFoundError("weir-queue-driver is not built (cmake -S hosts -B build/hosts)")
        self.processes = {}

    def command(self, host):
        lab = self.lab
        out = [str(self.driver), "--interface", "eth0", "--threshold-us", str(self.threshold_us), "--seconds", "600"]
        for v6 in (False, True):
            out += ["--local", lab.address(host, v6)]
            for other in lab.hosts:
                if other != host:
                    out += ["--peer", lab.address(other, v6)]
        for key, value in self.more.items():
            out += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
        return out

    def begin_host(self, host):
        """Starts the path of a host; is_up() tells when it is there."""
        process = self.lab.start(host, *self.command(host), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.set_blocking(process.stdout.fileno(), False)
        self.processes[host] = process

    def is_up(self, host):
        process = self.processes[host]
        line = process.stdout.readline()
        if line == "up\n":
            os.set_blocking(process.stdout.fileno(), True)
            return True
        if process.poll() is not None:
            raise RuntimeError(f"the path of {host} does not start: {process.stderr.read()}")
        return False

    def start(self):
        for host in self.lab.hosts:
            self.begin_host(host)
        for host in self.lab.hosts:
            wait_until(lambda of=host: self.is_up(of), 20, f"the path of {host} does not start")

    def stop_host(self, host):
        """Its counters."""
        process = self.processes.pop(host)
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            out, errors = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            raise RuntimeError(f"the path of {host} does not end") from None
        if process.returncode != 0:
            raise RuntimeError(f"the path of {host} ended with {process.returncode}: {errors}")
        return json.loads(out.splitlines()[-1])

    def stop(self):
        return {host: self.stop_host(host) for host in list(self.processes)}

    def watchdog(self, host):
        """The number of its process, or None."""
        parent = self.processes[host].pid
        for task in Path(f"/proc/{parent}/task").iterdir():
            try:
                for child in (task / "children").read_text().split():
                    if Path(f"/proc/{child}/comm").read_text().strip() == "weir-watchdog":
                        return int(child)
            except OSError:
                pass  # it has just ended
        return None

    def kill_all(self):
        """What is left, when a test fails."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes.clear()


def rules_of(lab, host):
    """The rules of a host that are not there by default."""
    out = []
    for tables in ("iptables", "ip6tables"):
        lines = lab.run(host, tables, "-t", "mangle", "-S", check=False).splitlines()
        out += [line for line in lines if not line.startswith("-P ")]
    return out


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.02)
