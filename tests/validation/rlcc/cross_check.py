#!/usr/bin/env python3
"""Runs a policy of ours in the public simulator of PCC-RL's authors and in Weir, and compares.

    tests/validation/rlcc/cross_check.py RLCC [--weir build/release/bin/weir] [--policy data/policies/standard.toml]

RLCC is a checkout of github.com/NVlabs/RLCC, whose simulator may be used for research and evaluation; Weir does not
contain it. It runs without changes, in a copy of its folder, and asks by TCP at port 5555, as its README says: this
script answers each question with what the policy's file says, and reads utilisation and packet latency from the result.
Weir runs the same with preset = "public". With 2 and 4 senders to one receiver the mean latency of packets must be
within 5 % and the utilisation of the receiver's link within half a point; the exit status is 1 if it is not.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import tomllib

PORT = 5555  # of the simulator's first runs; its configuration counts up from there
RUNS = {2: 0, 4: 9}  # senders: number of the simulator's run with one flow each
FIELDS = 9  # whole numbers of 32 bits in a question
# An answer that follows the text of status at once is lost.
PAUSE = 1e-4


class Network:
    """A policy of the kind mlp on the inputs of the public code, as decider.h evaluates it, in double precision."""

    def __init__(self, policy):
        if policy["kind"] != "mlp" or policy["inputs"] != "code" or policy.get("arithmetic", "float32") != "float32":
            sys.exit("cross_check: the policy must be an mlp of float32 on the inputs 'code'")
        if policy["signal"].get("queue_unit", "0 s") != "0 s" or not policy["signal"]["base_rtt"].endswith(" ns"):
            sys.exit("cross_check: the policy's signal must be of the inflation over a base_rtt in ns")
        self.policy = policy
        self.base_ns = float(policy["signal"]["base_rtt"].split()[0])
        self.past = {}  # by flow: the last factor, then pairs of factor and signal, the newest first

    def factor(self, flow, rtt_ns, rate):
        p, s = self.policy, self.policy["signal"]
        signal = (max(rtt_ns / self.base_ns - s["beta"], 0) * rate ** s.get("power", 0.5) - s["target"]) * s["scale"]
        last, pairs = self.past.get(flow, (1.0, [(1.0, 0.0)] * (p["history"] - 1)))
        pairs = [(last, signal)] + pairs
        x = [min(max(v, -p["clip"]), p["clip"]) for pair in pairs for v in pair]
        for layer in p["layer"]:
            x = [sum(w * v for w, v in zip(row, x)) for row in layer["weights"]]
            if layer["activation"] == "relu":
                x = [max(v, 0.0) for v in x]
            elif layer["activation"] == "tanh":
                x = [math.tanh(v) for v in x]
        y = p["step"] * math.tanh(x[0])
        out = 1 + y if y >= 0 else 1 / (1 - y)
        self.past[flow] = (out, pairs[: p["history"] - 1])
        return out


def answer(server, process, network):
    """Answers questions until the simulator has ended."""
    server.settimeout(1)
    questions = 0
    while process.poll() is None:
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        with connection:
            data = b""
            while len(data) < 4 * FIELDS and (more := connection.recv(4 * FIELDS - len(data))):
                data += more
            if len(data) < 4 * FIELDS:
                continue
            rtt_ns, _, _, _, rate, _, _, tag, host = struct.unpack(f"{FIELDS}I", data)
            connection.sendall(b"receive status: OK")
            factor = network.factor((host, tag), rtt_ns, rate / 2**20)
            until = time.perf_counter() + PAUSE
            while time.perf_counter() < until:
                pass
            connection.sendall(struct.pack("I", round(factor * 2**16)))
            questions += 1
    return questions


def scalars(file):
    """The scalars of a result, by module and name, and the means of its statistics."""
    out, statistic = {}, None
    for line in file.read_text().splitlines():
        words = [w.strip('"') for w in line.split()]
        if not words:
            continue
        if words[0] == "scalar":
            out[words[1], " ".join(words[2:-1])] = float(words[-1])
        elif words[0] == "statistic":
            statistic = (words[1], " ".join(words[2:]))
        elif words[0] == "field" and words[1] == "mean" and statistic:
            out[statistic] = float(words[2])
    return out


def theirs(rlcc, policy, senders, folder):
    shutil.copytree(rlcc / "nv_ccsim", folder / "nv_ccsim")
    sim = folder / "nv_ccsim" / "sim"
    ned = "../ned/algo/:../ned/prog_cc:../ned/dctg/"
    environment = dict(os.environ, LD_LIBRARY_PATH="../lib:../lib/python_2.7.11/lib/", NEDPATH=ned)
    which = ["-c", "RL_Eval_ManyToOne", "-r", str(RUNS[senders])]
    command = ["../bin/ccsim_release", "omnetpp.ini", *which, "-u", "Cmdenv"]
    with socket.create_server(("localhost", PORT), backlog=500) as server:
        process = subprocess.Popen(command, cwd=sim, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        questions = answer(server, process, Network(policy))
        errors = process.stderr.read().decode()
    results = list((sim / "results").glob("*.sca"))
    if process.returncode != 0 or len(results) != 1:
        sys.exit(f"cross_check: the simulator ended with status {process.returncode}: {errors[-500:]}")
    values = scalars(results[0])
    latency = [v for (module, name), v in values.items() if name == "pktLatencyVec:mean" and "host[0]" in module]
    sent = [v for (module, name), v in values.items() if "egress-BW-Gbps" in name and module.endswith("netq[0]")]
    if not latency or not sent:
        sys.exit("cross_check: the result has no packet latency or no bandwidth of the receiver's port")
    return {"questions": questions, "latency_us": sum(latency) / len(latency), "utilisation": sum(sent) / len(sent)}


SCENARIO = """
[run]
stop = "170 ms"
[topology]
kind = "star"
hosts = {hosts}
rate = "100 Gbps"
delay = "2 us"
[network.buffer]
mode = "lossy"
size = "4 MiB"
egress_alpha = 64
[transport]
payload = "1024 B"
[algorithm]
name = "pcc_rl"
preset = "public"
policy = "{policy}"
[[traffic]]
kind = "incast"
receiver = "0"
flows = {senders}
size = "10 GB"
spread = "1 ms"
[probes.queues]
ports = "{hosts}->0"
interval = "10 us"
start = "50 ms"
[probes.links]
ports = "{hosts}->0"
interval = "10 ms"
start = "50 ms"
"""


def ours(weir, policy_file, senders, folder):
    file, out = folder / "scenario.toml", folder / "weir"
    file.write_text(SCENARIO.format(hosts=senders + 1, senders=senders, policy=policy_file))
    subprocess.run([weir, "run", file, "--out", out, "-q"], check=True, stderr=subprocess.DEVNULL)
    summary = json.loads((out / "summary.json").read_text())
    queue = summary["queues"]["all"]["mean"]
    # two links of 2 us, each of which a packet of 1,072 B takes 0.09 us to be sent on
    empty_us = 2 * (2 + 1072 * 8e-5)
    return {"latency_us": empty_us + queue * 8e-5, "utilisation": 100 * summary["links"]["all"]["utilisation"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rlcc", type=pathlib.Path, help="a checkout of github.com/NVlabs/RLCC")
    parser.add_argument("--weir", default="build/release/bin/weir")
    parser.add_argument("--policy", type=pathlib.Path, default=pathlib.Path("data/policies/standard.toml"))
    o = parser.parse_args()
    if not (o.rlcc / "nv_ccsim/bin/ccsim_release").exists():
        sys.exit(f"cross_check: {o.rlcc} has no nv_ccsim/bin/ccsim_release; name a checkout of github.com/NVlabs/RLCC")
    policy_file = o.policy.resolve()
    policy = tomllib.loads(policy_file.read_text())
    good = True
    print(f"{'senders':>7} {'':>12} {'theirs':>8} {'Weir':>8}")
    for senders in RUNS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            a, b = theirs(o.rlcc, policy, senders, folder), ours(o.weir, policy_file, senders, folder)
        print(f"{senders:>7} {'latency us':>12} {a['latency_us']:>8.2f} {b['latency_us']:>8.2f}")
        print(f"{'':>7} {'utilisation':>12} {a['utilisation']:>8.2f} {b['utilisation']:>8.2f}", flush=True)
        good &= abs(b["latency_us"] / a["latency_us"] - 1) <= 0.05 and abs(b["utilisation"] - a["utilisation"]) <= 0.5
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
