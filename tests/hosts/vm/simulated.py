"""The incast of the case "beside" in the simulator, with its model of Linux hosts: simulated.toml."""
import csv
import math
import pathlib
import random
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ASKER, SENDERS = 4, 4
CONNECTIONS = 8
SIZE = 2048  # bytes of an answer
ROWS = 1 + 2 * CONNECTIONS  # of incast.csv for a request: a wait, requests, answers
SKIPPED = 2  # first requests that are not counted, as in the virtual machine

# What stands for weir-host's settings.
ON_RAMP = {"T": "4 ms", "packets_per_ack": 3, "burst_gap": "0 us", "memory": "false"}
SEGMENT = 4344


def write_requests(out, count, every_us, warm_us):
    """Requests at random times as lab-load's, none before all answers to the one before are there."""
    draw = random.Random(1)
    out.write("id,src,dst,size_bytes,delay,after,tag\n")
    row = 0
    clock = ""  # the row that ends when a request is due
    answers = []
    for request in range(count + SKIPPED):
        wait = warm_us if request == 0 else draw.uniform(0.8 * every_us, 1.2 * every_us)
        row += 1
        out.write(f"{row},{ASKER},,,{wait:.0f} us,{clock},wait\n")
        clock = row
        begin = ";".join(map(str, [clock, *answers]))
        answers = []
        for connection in range(CONNECTIONS):
            server = connection % SENDERS
            out.write(f"{row + 1},{ASKER},{server},8,,{begin},request\n")
            out.write(f"{row + 2},{server},{ASKER},{SIZE},,{row + 1},\n")
            answers.append(row + 2)
            row += 2


def mean(values):
    return sum(values) / len(values)


def rank(values, share):
    """The least value that at least this share of all does not exceed, as lab-load has it."""
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def run(weir, folder, *, held, count, every_ms, warm_ms, at_once=1, early=False):
    """Simulates it, with On-Ramp if `held`, which lets `at_once` super-packets pass together, or fixes when each leaves as
    it is handed down (`early`). Returns what lab-load would say."""
    how = {"early": "true"} if early else {"segment": f"{SEGMENT * at_once} B"} if at_once > 1 else {}
    settings = {**ON_RAMP, **how} if held else {}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / "simulated.toml", folder / "incast.toml")
    with open(folder / "incast.csv", "w", encoding="utf-8") as file:
        write_requests(file, count, 1000 * every_ms, 1000 * warm_ms)
    subprocess.run([weir, "run", folder / "incast.toml", "--quiet", "--out", folder / "results",
                    *(f"--set=algorithm.on_ramp.{key}={value}" for key, value in settings.items())],
                   check=True, stdout=subprocess.DEVNULL)
    begun, ended = {}, {}
    for row in rows(folder / "results/flows.csv"):
        request = int(row["flow_id"]) // ROWS
        if row["tag"] == "request":
            begun[request] = min(begun.get(request, 1 << 62), int(row["start_ps"]))
        elif row["tag"] == "incast":
            ended[request] = max(ended.get(request, 0), int(row["finish_ps"]))
    times = [(ended[one] - begun[one]) / 1e9 for one in ended if one >= SKIPPED]
    last = max(ended.values())
    queue = [int(row["queue_bytes"]) / 1e3 for row in rows(folder / "results/queues.csv")
             if warm_ms * 10**9 < int(row["time_ps"]) <= last]
    rates = [row for row in rows(folder / "results/rates.csv") if int(row["time_ps"]) <= last]
    flows = sorted({row["flow_id"] for row in rates})
    return {
        "simulated": True, "held": held, "at_once": at_once, "early": early,
        "incast_ms": {"count": len(times), "mean": mean(times), "p95": rank(times, 0.95)},
        "queue_p_r_kb": {"mean": mean(queue)},
        "long": [{"mbps": mean([int(row["rate_bps"]) / 1e6 for row in rates if row["flow_id"] == flow])} for flow in flows],
    }
