"""weir-host on each host of a lab; every other host is its peer."""

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from paths import find_program


class Agents:
    """Their files are in a folder of their own, which close() removes with all that runs."""

    def __init__(self, lab, config="", program=None):
        self.lab, self.program = lab, program or find_program("weir-host", "WEIR_HOST")
        if self.program is None:
            raise FileNotFoundError("weir-host is not built (cmake -S hosts -B build/hosts)")
        self.folder = tempfile.TemporaryDirectory(prefix="weir-lab-")
        self.configure(config)
        self.command("r", "key", self.file("key"))

    def file(self, name):
        return str(Path(self.folder.name) / name)

    def configure(self, config):
        """`config`: keys and tables besides those that the lab gives."""
        for host in self.lab.hosts:
            peers = "".join(f'[[peer]]\naddress = "{self.lab.address(other)}"\n' for other in self.lab.hosts
                            if other != host)
            Path(self.file(f"{host}.toml")).write_text(
                f'interface = "eth0"\nkey_file = "{self.file("key")}"\n{config}\n[metrics]\nlisten = "off"\n{peers}')

    def command(self, host, *words, check=True):
        return self.lab.run(host, str(self.program), "--run", self.file(f"run-{host}"), "--config",
                            self.file(f"{host}.toml"), *words, check=check, timeout=60)

    def up(self, mode, hosts=None):
        for host in hosts or self.lab.hosts:
            self.command(host, "up", "--mode", mode)

    def off(self, hosts=None):
        for host in hosts or self.lab.hosts:
            self.command(host, "off", check=False)

    def status(self, host):
        return json.loads(self.command(host, "status", "--json"))

    def peer(self, host, other):
        address = self.lab.address(other)
        return next(peer for peer in self.status(host)["peers"] if peer["address"] == address)

    def close(self):
        self.off()
        for host in self.lab.hosts:  # what has not ended
            try:
                os.kill(self.status(host)["pid"], signal.SIGKILL)
            except (RuntimeError, ProcessLookupError, subprocess.TimeoutExpired, ValueError):
                pass
        time.sleep(0.1)
        self.folder.cleanup()
