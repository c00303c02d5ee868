#!/usr/bin/env python3
"""An incast beside long flows, with and without a data path, in network namespaces that it makes and removes.

    python3 tests/hosts/lab/incast.py --path none,queue --repeat 3 --rate 100mbit --threshold-us 5000

Paths take turns, so that what else the machine does falls on all of them. One line of JSON per run, with all settings,
and at last the ratios. Exit status: 0; 1 something failed; 77 left out, for want of root or a tool.
"""

import argparse
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from namespaces import Lab, skip_unless_possible
from paths import NoPath, QueuePath
from traffic import LongFlow, Requests, Traffic


# At least: how many times better requests are, and which part of the throughput is left.
LEAST_GAIN, LEAST_THROUGHPUT = 2.6, 0.93
# What must not be more than without the path. A machine that stands still for some milliseconds makes TCP probe, and send
# a window again that was only late: once is forgiven.
SPARE = {"drops": 0, "retransmitted": 16, "sack_reordering": 1}


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else float("nan")


def queue_until(lab, end):
    """Looks at the queue of the port to r, bytes, now and then."""
    out = []
    while time.monotonic() < end:
        out.append(lab.bottleneck()["backlog"])
        time.sleep(0.1)
    return out


def measure(lab, path, options, seed):
    """One run; what was measured."""
    path.start()
    traffic = Traffic(lab)
    try:
        longs = [LongFlow(traffic, lab.senders[i % len(lab.senders)]) for i in range(options.long)]
        requests = Requests(traffic, lab.senders, options.fan_out, options.size, options.gap, seed)
        traffic.run(options.warm)
        before, tcp = lab.bottleneck(), {host: lab.tcp(host) for host in lab.hosts}
        for one in longs + [requests]:
            one.begin()
        with ThreadPoolExecutor(1) as aside:
            end = time.monotonic() + options.seconds
            queue = aside.submit(lambda: queue_until(lab, end))
            traffic.run(options.seconds)
        after, tcp_after = lab.bottleneck(), {host: lab.tcp(host) for host in lab.hosts}
    finally:
        traffic.close()
        counters = path.stop()

    def tcp_sum(name):
        return sum(tcp_after[host].get(name, 0) - tcp[host].get(name, 0) for host in lab.hosts)

    out = {"path": path.name, "requests": len(requests.times),
           "mean_ms": 1e3 * statistics.fmean(requests.times) if requests.times else None,
           "p50_ms": 1e3 * percentile(requests.times, 0.5), "p99_ms": 1e3 * percentile(requests.times, 0.99),
           "long_mbps": sum(one.received for one in longs) * 8e-6 / options.seconds,
           "queue_kb": 1e-3 * statistics.fmean(queue.result()), "drops": after["drops"] - before["drops"], "retransmitted": tcp_sum("RetransSegs"),
           "timeouts": tcp_sum("TCPTimeouts"), "out_of_order": tcp_sum("TCPOFOQueue"),
           "sack_reordering": tcp_sum("TCPSACKReorder"), "longest_turn_ms": 1e3 * traffic.longest_turn}
    if counters:
        sending = [counters[host] for host in lab.senders]
        out |= {"held": sum(c["held"] for c in sending), "held_ms_max": max(c["held_ns_max"] for c in sending) / 1e6,
                "pauses": sum(c["pauses"] for c in sending), "accepted": sum(c["or_acks_accepted"] for c in sending),
                "refused_note": sum(c["refused_note"] for c in sending),
                "refused_time": sum(c["refused_time"] for c in sending),
                "clipped": sum(c["clipped"] for c in sending),
                "processor_ms": {host: c["processor_ns"] / 1e6 for host, c in counters.items()}}
    return out


def make_path(name, lab, options):
    if name == "none":
        return NoPath(lab)
    more = {"strawman": True} if options.strawman else {}
    if options.or_ack_packets:
        more["or_ack_packets"] = options.or_ack_packets
    if options.initial_beta is not None:
        more["initial_beta"] = options.initial_beta
    if options.max_hold_us:
        more["max_hold_us"] = options.max_hold_us
    if options.many_hold_us:
        more["many_hold_us"] = options.many_hold_us
    return QueuePath(lab, threshold_us=options.threshold_us, **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", default="none,queue", help="none, queue; several take turns")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--buffer", type=int, default=1_000_000, help="of the bottleneck, bytes")
    parser.add_argument("--gso", type=int, default=6_000, help="gso_max_size of all hosts, bytes")
    parser.add_argument("--control", default="cubic", help="congestion control")
    parser.add_argument("--threshold-us", type=float, default=5_000, help="T")
    parser.add_argument("--strawman", action="store_true")
    parser.add_argument("--initial-beta", type=float, help="beta of a new connection (1)")
    parser.add_argument("--or-ack-packets", type=int, default=0)
    parser.add_argument("--senders", type=int, default=4)
    parser.add_argument("--long", type=int, default=2, help="long flows, dealt to the senders in turn")
    parser.add_argument("--max-hold-us", type=int, default=0, help="and of a pause; 0: as the path has it")
    parser.add_argument("--many-hold-us", type=int, default=0, help="the same where flows are many; 0: as the path has it")
    parser.add_argument("--fan-out", type=int, default=8, help="answers of a request")
    parser.add_argument("--size", type=int, default=2_000, help="of an answer, bytes")
    parser.add_argument("--gap", type=float, default=0.05, help="between a request and the next one, s")
    parser.add_argument("--warm", type=float, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--v6", action="store_true")
    parser.add_argument("--check", action="store_true", help="fail unless the path gains what it must")
    parser.add_argument("--tries", type=int, default=1,
                        help="try again so often until the check passes: a machine that stands still for some milliseconds "
                             "spoils one run, a fault of the path spoils all")
    parser.add_argument("--least-gain", type=float, default=LEAST_GAIN, help="by which requests must be faster for that")
    parser.add_argument("--most-queue-kb", type=float, default=float("inf"), help="of the mean queue with a path for that")
    options = parser.parse_args()
    skip_unless_possible()

    with Lab(senders=options.senders, rate=options.rate, buffer=options.buffer, gso=options.gso,
             control=options.control, v6=options.v6) as lab:
        for _ in range(options.tries):
            if summarise(measure_all(lab, options), options) == 0:
                return 0
    return 1


def measure_all(lab, options):
    runs = []
    for number in range(options.repeat):
        for name in options.path.split(","):
            run = measure(lab, make_path(name, lab, options), options, seed=number)
            runs.append(run)
            print(json.dumps(run | {"T_us": options.threshold_us} | lab.settings), flush=True)
    return runs


def summarise(runs, options):
    """Prints the ratios; the exit status."""
    status = 0
    base = [run for run in runs if run["path"] == "none"]
    for name in sorted({run["path"] for run in runs} - {"none"}) if base else []:
        mine = [run for run in runs if run["path"] == name]

        def ratio(key):
            return statistics.fmean(r[key] for r in base) / statistics.fmean(r[key] for r in mine)

        ratios = {"mean_times_better": ratio("mean_ms"), "p99_times_better": ratio("p99_ms"),
                  "throughput_part": 1 / ratio("long_mbps")}
        print(json.dumps({"path": name} | ratios))
        more = [key for key, spare in SPARE.items() if sum(r[key] for r in mine) > sum(r[key] for r in base) + spare]
        longest = max(r["queue_kb"] for r in mine)
        if options.check and (min(ratios["mean_times_better"], ratios["p99_times_better"]) < options.least_gain
                              or ratios["throughput_part"] < LEAST_THROUGHPUT or longest > options.most_queue_kb or more):
            print(f"{name}: less than {options.least_gain} times better, {LEAST_THROUGHPUT} of the throughput, a mean queue of "
                  f"{longest:.0f} KB for {options.most_queue_kb:.0f}, or more of {more}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
