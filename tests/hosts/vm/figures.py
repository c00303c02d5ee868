#!/usr/bin/env python3
"""Makes docs/figures/on-hosts/figures.json of results of run.py; `weir report docs/figures/on-hosts --svg docs/images/images/images/images/images` draws it.

    tests/hosts/vm/figures.py RESULTS... > docs/figures/on-hosts/figures.json

RESULTS are files with the results of the cases "incast" and "beside"; of results with the same name the last one counts.
"""
import json
import sys

import checks

RATE = 25e6  # bit/s, of the case "beside"


def bars(identity, title, y, categories, series, scale="linear"):
    return {"id": identity, "title": title, "caption": "", "kind": "bars",
            "x": {"label": "", "unit": "1", "scale": "category", "categories": categories},
            "y": {"label": y, "unit": "ms", "scale": scale},
            "series": [{"name": name, "x": list(range(len(values))), "y": values} for name, values in series]}


def incast(found):
    modes = {"none": "without On-Ramp", "bpf": "weir-host --mode bpf", "queue": "weir-host --mode queue"}
    return bars("on-hosts-incast", "Completion of an incast beside two long flows, on Linux hosts",
                "completion of a request", ["mean", "99th percentile"],
                [(name, [found[f"incast-{mode}"]["incast_ms"][part] for part in ("mean", "p99")])
                 for mode, name in modes.items()])


def beside(found):
    def pair(without, held):
        queues = [found[name]["queue_p_r_kb"]["mean"] * 8e6 / RATE if name else None for name in (without, held)]
        times = [found[name]["incast_ms"]["mean"] if name else None for name in (without, held)]
        return queues + times
    return bars("on-hosts-simulated", "The same incast on Linux hosts and simulated", "mean",
                ["queueing, without", "queueing, with", "completion, without", "completion, with On-Ramp"],
                [("Linux hosts, mode queue", pair("beside-none", "beside-queue")),
                 ("simulated, a segment at a time", pair("simulated-none", "simulated-held")),
                 ("simulated, two segments at once", pair(None, "simulated-held-2")),
                 ("Linux hosts, mode bpf", pair(None, "beside-bpf")),
                 ("simulated, departures fixed early", pair(None, "simulated-early"))], scale="log")


def main():
    found = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                if "simulated" in line or checks.loads([line]):
                    found[line["boot"]] = line
    missing = {"incast-none", "incast-bpf", "incast-queue", "beside-none", "beside-queue", "beside-bpf", "simulated-none",
               "simulated-held", "simulated-held-2", "simulated-early"} - set(found)
    if missing:
        print(f"figures.py: no result of {', '.join(sorted(missing))} in {' '.join(sys.argv[1:]) or 'no file'}",
              file=sys.stderr)
        return 2
    json.dump({"weir": "0.1.0", "format": 1, "title": "On-Ramp on Linux hosts", "figures": [incast(found), beside(found)]},
              sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
