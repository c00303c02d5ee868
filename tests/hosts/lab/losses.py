#!/usr/bin/env python3
"""How long Linux waits until it sends a lost packet again, in network namespaces, and how long the simulator's hosts with
`transport.preset = "linux"` do.

    python3 tests/hosts/lab/losses.py --repeat 10 --weir build/release/bin/weir

A server answers requests with so many full packets, of which one holds a mark; the switch drops the first packet that
does. What counts is the time from the answer to its last byte. One line of JSON for each case. Exit status: 0; 1 a time
is not as it should be; 77 left out, for want of root or a tool.
"""

import argparse
import json
import os
import platform
import socket
import struct
import subprocess
import sys
from contextlib import closing

from namespaces import SKIPPED, Lab, skip_unless_possible

PORT = 5_001
ETH_P_ALL, SO_TIMESTAMPNS = 3, 35
COUNTS = ("RetransSegs", "TCPTimeouts", "TCPLossProbes")
PAYLOAD = 1_448
# Of how many packets which one is lost, and from how much later on it is sent again: TCP's own time, round trips aside.
CASES = {
    "last-of-two": {"packets": 2, "lost": 1, "wait": lambda slack_ms: slack_ms},
    "alone": {"packets": 1, "lost": 0, "wait": lambda slack_ms: 200},
    "third-of-ten": {"packets": 10, "lost": 2, "wait": None},
}
GAP_PS, TO_SWITCH_PS = 838_400, 1_083_840  # of losses.toml


def slack_ms(tick):
    """TCP_TIMEOUT_MIN of this kernel."""
    version = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    return 2 if version >= (6, 7) else 2 * tick


def within(case, tick):
    """What the times of a case must be within, milliseconds: whole ticks, the rest of the running one, and at most as
    much for the round trips. A loss that something tells of takes less than any timer."""
    if case["wait"] is None:
        return 0, tick
    whole = tick * (1 + int(case["wait"](slack_ms(tick)) // tick))
    return whole, whole + tick


def tick_ms():
    """Of this kernel's timers, from its configuration; None if it cannot be known."""
    for name in ("/proc/config.gz", f"/boot/config-{platform.release()}"):
        if not os.path.exists(name):
            continue
        text = subprocess.run(["zcat", "-f", name], capture_output=True, text=True, timeout=20, check=True).stdout
        for line in text.splitlines():
            if line.startswith("CONFIG_HZ="):
                return 1_000 / int(line.split("=")[1])
    return None


def connected(lab):
    """Both ends of a connection: of the server, and of who asks."""
    listener = lab.socket("h1")
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((lab.address("h1"), PORT))
    listener.listen(1)
    asker = lab.socket("r")
    asker.settimeout(5)
    asker.connect((lab.address("h1"), PORT))
    server, _ = listener.accept()
    listener.close()
    for end in (asker, server):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end.settimeout(5)
    return server, asker


def answer(server, asker, data):
    """A request and its answer."""
    asker.send(b"ask")
    server.recv(16)
    server.sendall(data)
    left = len(data)
    while left > 0:
        got = len(asker.recv(left))
        if got == 0:
            raise RuntimeError("the connection has ended")
        left -= got


class Watcher:
    """The switch's port to h1, which sees all that h1 sends, by the kernel's clock: also what is dropped behind it."""

    def __init__(self, lab):
        with lab.inside("sw"):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.bind(("p-h1", ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setblocking(False)

    def close(self):
        self.socket.close()

    def times_of(self, mark):
        """When packets came that hold the mark, seconds."""
        out = []
        while True:
            try:
                data, extra, _, _ = self.socket.recvmsg(2_048, 64)
            except BlockingIOError:
                return out
            if mark in data:
                seconds, rest = struct.unpack("qq", extra[0][2])
                out.append(seconds + 1e-9 * rest)


def measure(lab, watcher, case, number):
    """One answer of which a packet is lost, on a connection that has had others: after how many milliseconds the packet
    came again, and what TCP counted."""
    server, asker = connected(lab)
    mark = b"lost-%08d" % number
    rule = ["FORWARD", "-p", "tcp", "-m", "string", "--algo", "bm", "--string", mark.decode(), "-m", "quota", "--quota",
            "1600", "-j", "DROP"]
    data = bytearray(case["packets"] * PAYLOAD)
    at = case["lost"] * PAYLOAD + 100
    data[at:at + len(mark)] = mark
    try:
        for _ in range(20):
            answer(server, asker, bytes(2 * PAYLOAD))
        lab.run("sw", "iptables", "-A", *rule)
        before = lab.tcp("h1")
        watcher.times_of(mark)
        answer(server, asker, bytes(data))
        after = lab.tcp("h1")
        lab.run("sw", "iptables", "-D", *rule)
    finally:
        server.close()
        asker.close()
    times = watcher.times_of(mark)
    if len(times) < 2:
        raise RuntimeError("the packet was not lost")
    return 1e3 * (times[1] - times[0]), {name: after[name] - before[name] for name in COUNTS}


def simulate(weir, case, tick, seed):
    """The same of the simulator: how long the flow takes of which the packet is lost, milliseconds."""
    blocks = 10_000_000 + case["lost"] * GAP_PS
    settings = {"run.seed": seed, "transport.timer_tick": f"{tick} ms", "transport.timer_slack": f"{slack_ms(tick)} ms",
                "traffic.0.flow.0.size": f"{case['packets']} KB", "traffic.0.flow.1.start": f"{blocks - 900} ps",
                "traffic.0.flow.2.start": f"{blocks - 800} ps"}
    command = [weir, "run", os.path.join(os.path.dirname(os.path.abspath(__file__)), "losses.toml"), "--json"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    out = json.loads(done.stdout)
    if out["manifest"]["packets_dropped"] != 1 or out["manifest"]["retransmitted_packets"] != 1:
        raise RuntimeError("the simulator's packet was not lost once")
    return out["summary"]["flows"]["max_fct_ps"] * 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--weir", default=os.environ.get("WEIR"), help="the command; without it, Linux alone is measured")
    options = parser.parse_args()
    skip_unless_possible()
    tick = tick_ms()
    if tick is None:
        print("left out: this kernel does not tell how often it ticks")
        return SKIPPED
    failed = False
    with Lab(senders=1, rate="1gbit", gso=1_500) as lab, closing(Watcher(lab)) as watcher:
        for name in options.case or CASES:
            case = CASES[name]
            seen = [measure(lab, watcher, case, number) for number in range(options.repeat)]
            linux = sorted(took for took, _ in seen)
            weir = sorted(simulate(options.weir, case, tick, seed + 1) for seed in range(options.repeat)) \
                if options.weir else []
            least, most = within(case, tick)
            # What this machine does besides makes single ones late, and none early.
            good = all(least <= took <= most + tick for took in weir)
            good = good and linux[0] >= least and linux[len(linux) // 2] <= most + tick
            failed = failed or not good
            print(json.dumps({"case": name, "kernel": platform.release(), "tick_ms": tick, "from_ms": least, "to_ms": most,
                              "linux_ms": [round(took, 3) for took in linux],
                              "weir_ms": [round(took, 3) for took in weir], "counts": seen[0][1], "good": good}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
