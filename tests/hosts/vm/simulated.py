"""The incast of the virtual machine in the simulator: simulated/incast.toml."""
import csv
import math
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent / "simulated"
ROWS = 17  # of incast.csv for a request: a wait, 8 requests, 8 answers
SKIPPED = 2  # first requests that are not counted, as in the virtual machine
WARM = 10**12  # ps; requests begin then
RATE = 100e6  # bit/s

# What stands for weir-host's settings.
ON_RAMP = {"T": "1 ms", "segment": "4344 B", "packets_per_ack": 3, "memory": "false"}


def mean(values):
    return sum(values) / len(values)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def run(weir, folder, held):
    """Simulates it, with On-Ramp if `held`; in the words of lab-load's results."""
    settings = [f"--set=algorithm.on_ramp.{key}={value}" for key, value in ON_RAMP.items()] if held else []
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([weir, "run", HERE / "incast.toml", "--quiet", "--out", folder, *settings], check=True,
                   stdout=subprocess.DEVNULL)
    begun, ended = {}, {}
    for row in rows(folder / "flows.csv"):
        request = int(row["flow_id"]) // ROWS
        if row["tag"] == "request":
            begun[request] = min(begun.get(request, 1 << 62), int(row["start_ps"]))
        elif row["tag"] == "incast":
            ended[request] = max(ended.get(request, 0), int(row["finish_ps"]))
    times = sorted((ended[one] - begun[one]) / 1e9 for one in ended if one >= SKIPPED)
    queue = [int(row["queue_bytes"]) / 1e3 for row in rows(folder / "queues.csv") if int(row["time_ps"]) > WARM]
    rates = list(rows(folder / "rates.csv"))
    flows = {row["flow_id"] for row in rates}
    return {
        "incast_ms": {"count": len(times), "mean": mean(times), "p99": times[math.ceil(0.99 * len(times)) - 1]},
        "queue_kb_mean": mean(queue),
        "queue_ms_mean": mean(queue) * 8e6 / RATE,
        "long_mbps": mean([int(row["rate_bps"]) / 1e6 for row in rates]) * len(flows),
    }
