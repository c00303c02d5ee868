"""Hosts as network namespaces around a switch that routes, made and removed by the test that uses them.

The switch routes. On a bridge a packet would still belong to its sender's socket while it waits in the bottleneck, so
that TCP small queues see it and congestion never forms. The NIC of a host has the rate of its link, and super-packets of
segmentation offload have the same size on all hosts. `Lab.settings` has all that a figure must be read with.

    with Lab(senders=4) as lab:
        lab.run("h1", "ping", "-c1", lab.address("r"))

Everything is bounded: commands by a time, namespaces by the life of this process (also if it is ended by a signal).
"""

import atexit
import ctypes
import json
import os
import platform
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

SKIPPED = 77  # exit status of a test that could not run here
CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


class Missing(Exception):
    """This machine lacks something that the lab needs."""


def need_root_and_tools():
    """Raises Missing with one sentence where namespaces cannot be made."""
    if os.geteuid() != 0:
        raise Missing("network namespaces need root")
    for tool in ("ip", "tc", "iptables", "ip6tables"):
        if not any(os.access(os.path.join(place, tool), os.X_OK)
                   for place in os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/sbin"]):
            raise Missing(f"{tool} is missing (packages iproute2, iptables)")
    name = f"weir-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, timeout=20).returncode != 0:
        raise Missing("network namespaces cannot be made here")
    subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=20)


def skip_unless_possible():
    """Ends the test with the status of a skipped one where namespaces cannot be made."""
    try:
        need_root_and_tools()
    except Missing as missing:
        print(f"left out: {missing}")
        sys.exit(SKIPPED)


class Lab:
    """Hosts h1 ... hN and r, each behind a link of its own to the switch sw. Data flows from the h to r."""

    def __init__(self, senders=4, rate="100mbit", buffer=1_000_000, gso=6_000, control="cubic", v6=False):
        self.hosts = [f"h{i + 1}" for i in range(senders)] + ["r"]
        self.senders = self.hosts[:-1]
        self.rate, self.buffer, self.gso, self.control, self.v6 = rate, buffer, gso, control, v6
        self._prefix = f"weir-{os.getpid()}-"
        self._made = []
        self._home = None
        self._handles = {}
        self.tbf_burst = max(6_000, gso + 500)

    # Namespaces are named after this process, so that labs do not meet.
    def namespace(self, host):
        return self._prefix + host

    def number(self, host):
        return self.hosts.index(host) + 1

    def address(self, host, v6=None):
        v6 = self.v6 if v6 is None else v6
        return f"fd77:0:0:{self.number(host)}::2" if v6 else f"10.77.{self.number(host)}.2"

    @property
    def settings(self):
        """What a figure has to be read with, as it is now. Raises AssertionError if the network is not what it should
        be."""
        found = {"switch": self._switch_does(), "link_rate": self._rates(["sw"] * len(self.hosts),
                                                                         [f"p-{host}" for host in self.hosts]),
                 "nic_rate": self._rates(self.hosts, ["eth0"] * len(self.hosts)), "gso_max_size": self._gso_sizes()}
        assert found["switch"] == "routes", found
        assert found["nic_rate"] == found["link_rate"] and len(found["nic_rate"]) == 1, found
        assert len(found["gso_max_size"]) == 1, found
        return {"kernel": platform.release(), "switch": "routes", "nic_rate": found["nic_rate"][0],
                "link_rate": found["link_rate"][0], "gso_max_size": found["gso_max_size"][0], "buffer": self.buffer,
                "control": self.control, "ip": 6 if self.v6 else 4, "senders": len(self.senders),
                "load": os.getloadavg()[0]}

    def _switch_does(self):
        with self.inside("sw"):
            forwards = [open(f"/proc/sys/net/{name}").read().strip() for name in
                        ("ipv4/ip_forward", "ipv6/conf/all/forwarding")]
        if self.run("sw", "ip", "link", "show", "type", "bridge").strip():
            return "bridges"
        return "routes" if forwards == ["1", "1"] else "nothing"

    def _rates(self, places, devices):
        """Of the root qdiscs, bits per second, each once."""
        out = set()
        for place, device in zip(places, devices):
            root = json.loads(self.run(place, "tc", "-j", "qdisc", "show", "dev", device, "root"))[0]
            out.add(8 * root["options"]["rate"])
        return sorted(out)

    def _gso_sizes(self):
        return sorted({link["gso_max_size"] for place in ["sw"] + self.hosts
                       for link in json.loads(self.run(place, "ip", "-j", "-d", "link", "show", "type", "veth"))})

    def __enter__(self):
        self._home = open("/proc/thread-self/ns/net")
        atexit.register(self.close)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda received, _: sys.exit(128 + received))
        try:
            self._make()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for name in reversed(self._made):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=20, check=False)
        self._made.clear()
        for handle in self._handles.values():
            handle.close()
        self._handles.clear()

    def _make(self):
        for host in ["sw"] + self.hosts:
            subprocess.run(["ip", "netns", "add", self.namespace(host)], check=True, timeout=20)
            self._made.append(self.namespace(host))
            self._handles[host] = open(f"/run/netns/{self.namespace(host)}")
            self.set_all(host, {"net.ipv6.conf.all.accept_dad": 0, "net.ipv6.conf.default.accept_dad": 0,
                                "net.ipv6.conf.default.accept_ra": 0, "net.ipv4.tcp_no_metrics_save": 1})
            self.run(host, "ip", "link", "set", "lo", "up")
        self.set_all("sw", {"net.ipv4.ip_forward": 1, "net.ipv6.conf.all.forwarding": 1})
        for host in self.hosts:
            n, port = self.number(host), f"p-{host}"
            self.run("sw", "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns",
                     self.namespace(host))
            for place, device in ((host, "eth0"), ("sw", port)):
                self.run(place, "ip", "link", "set", device, "gso_max_size", str(self.gso), "up")
            for place, device, end in ((host, "eth0", 2), ("sw", port, 1)):
                self.run(place, "ip", "address", "add", f"10.77.{n}.{end}/24", "dev", device)
                self.run(place, "ip", "address", "add", f"fd77:0:0:{n}::{end}/64", "dev", device, "nodad")
            # A wire keeps order; a veth pair hands a packet to the processor that sent it, and two of these overtake
            # each other. By the hash of its flow each flow has one.
            all_processors = f"{(1 << os.cpu_count()) - 1:x}"
            for place, device in ((host, "eth0"), ("sw", port)):
                self.run(place, "sh", "-c", f"echo {all_processors} > /sys/class/net/{device}/queues/rx-0/rps_cpus")
            self.run(host, "ip", "route", "add", "default", "via", f"10.77.{n}.1")
            self.run(host, "ip", "-6", "route", "add", "default", "via", f"fd77:0:0:{n}::1")
            self.run(host, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", self.rate,
                     "burst", str(self.tbf_burst), "limit", "1000000")
            self.run("sw", "tc", "qdisc", "add", "dev", port, "root", "tbf", "rate", self.rate,
                     "burst", str(self.tbf_burst), "limit", str(self.buffer))

    def set_all(self, host, values):
        with self.inside(host):
            for key, value in values.items():
                path = "/proc/sys/" + key.replace(".", "/")
                # What is not per namespace in this kernel is left as it is.
                if os.path.exists(path):
                    with open(path, "w") as file:
                        file.write(str(value))

    def run(self, host, *command, check=True, timeout=20):
        """A command in a host's namespace; returns what it has written."""
        done = subprocess.run(["ip", "netns", "exec", self.namespace(host), *command], capture_output=True, text=True,
                              timeout=timeout, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{host}: {' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def start(self, host, *command, **more):
        """A process in a host's namespace, to be ended by who starts it."""
        return subprocess.Popen(["ip", "netns", "exec", self.namespace(host), *command], **more)

    @contextmanager
    def inside(self, host):
        """This thread is in the namespace of the host: sockets that it makes now belong there."""
        self._enter(self._handles[host])
        try:
            yield
        finally:
            self._enter(self._home)

    @staticmethod
    def _enter(handle):
        if _libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def socket(self, host, kind=socket.SOCK_STREAM):
        with self.inside(host):
            made = socket.socket(socket.AF_INET6 if self.v6 else socket.AF_INET, kind)
        # Only the first namespace may make any congestion control the default one.
        if kind == socket.SOCK_STREAM:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.control.encode())
        return made

    def bottleneck(self):
        """Counters of the switch's port to r."""
        found = json.loads(self.run("sw", "tc", "-s", "-j", "qdisc", "show", "dev", "p-r"))[0]
        return {key: found[key] for key in ("bytes", "packets", "drops")} | {"backlog": found.get("backlog", 0)}

    def tcp(self, host):
        """Counters of TCP of a host, as nstat has them."""
        out = {}
        with self.inside(host):
            for file in ("snmp", "netstat"):
                lines = open(f"/proc/thread-self/net/{file}").read().splitlines()
                for names, values in zip(lines[::2], lines[1::2]):
                    if names.startswith("Tcp"):
                        out.update(zip(names.split()[1:], map(int, values.split()[1:])))
        return out
