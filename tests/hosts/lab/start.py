#!/usr/bin/env python3
"""Agents that are started where a queue stands already: how long it takes until flows are held and clocks are known.

    python3 tests/hosts/lab/start.py --tries 20 --T "1 ms"

Two long flows fill the port to r, with requests beside them, before the agents of all hosts begin (mode queue). With
--step9 they have been up in mode observe before the load, and go `off` and `up` under it. Each try is a lab of its own,
and a line of JSON: after how long the peers of both senders were known and held, how long requests took before that
and afterwards. Exit status: 0; 1 something failed; 77 left out.
"""

import argparse
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from agents import Agents
from namespaces import Lab, skip_unless_possible
from traffic import LongFlow, Requests, Traffic


def one_try(options, number):
    with Lab(senders=2, rate=options.rate, gso=options.gso) as lab, ThreadPoolExecutor(1) as aside:
        agents = Agents(lab, f'T = "{options.T}"\nrate = "{options.rate.replace("mbit", " Mbps")}"\n{options.config}')
        traffic = None
        try:
            if options.step9:
                agents.up("observe")
                time.sleep(12)
            traffic = Traffic(lab)
            flows = [LongFlow(traffic, host) for host in lab.senders]
            requests = Requests(traffic, lab.senders, 8, 2_000, 0.05, number)

            def until(work):
                done = aside.submit(work)
                while not done.done():
                    traffic.run(0.05)
                return done.result()

            def states():
                return [agents.peer(host, "r") for host in lab.senders]

            traffic.run(options.load_first)
            before = requests.times
            if options.step9:
                until(agents.off)
            until(lambda: agents.up("queue"))
            began = time.monotonic()
            known, held, seen = None, None, []
            while time.monotonic() < began + options.within and known is None:
                peers = until(states)
                now = time.monotonic() - began
                seen.append([peer["state"] for peer in peers])
                if options.verbose:
                    print(f"{now:.2f} s:", [(peer["state"], peer["clock"] and peer["clock"]["sigma_ns"], peer["T_ns"])
                                            for peer in peers], lab.bottleneck()["backlog"], file=sys.stderr)
                if held is None and all(peer["held"] for peer in peers):
                    held = now
                if all(peer["state"] == "held" for peer in peers):
                    known = now
            requests.begin()
            for flow in flows:
                flow.begin()
            traffic.run(options.seconds)
            return {"try": number, "T": options.T, "step9": options.step9, "held_s": held, "known_s": known,
                    "last_states": seen[-1], "before_ms": 1e3 * statistics.fmean(before),
                    "mean_ms": 1e3 * statistics.fmean(requests.times) if requests.times else None,
                    "long_mbps": sum(flow.received for flow in flows) * 8e-6 / options.seconds} | lab.settings
        finally:
            if traffic:
                traffic.close()
            agents.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument("--T", default="1 ms")
    parser.add_argument("--step9", action="store_true", help="agents observe before the load, and go off and up under it")
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--gso", type=int, default=3_241)  # as agents want it with T = 1 ms
    parser.add_argument("--load-first", type=float, default=3, help="s")
    parser.add_argument("--within", type=float, default=10, help="s that are waited for clocks")
    parser.add_argument("--seconds", type=float, default=3, help="of requests that are measured afterwards")
    parser.add_argument("--check", type=float, default=0, help="fail unless clocks are known within so many s")
    parser.add_argument("--config", default="", help="more keys and tables of the agents")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    skip_unless_possible()
    tries = []
    for number in range(options.tries):
        tries.append(one_try(options, number))
        print(json.dumps(tries[-1]), flush=True)
    late = [one["try"] for one in tries if one["known_s"] is None or one["known_s"] > options.check]
    if options.check and late:
        print(f"clocks were not known within {options.check} s in tries {late}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
