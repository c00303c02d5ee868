"""Runs the examples of docs/guides/reading-results.md on results of weir, and holds what they print against the results' own numbers.

    results_examples.py pandas|duckdb WEIR
"""
import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def example(language, what):
    """The code block of the language that has these words in it."""
    text = pathlib.Path("docs/guides/reading-results.md").read_text()
    found = [b for b in re.findall(rf"```{language}\n(.*?)```", text, re.S) if what in b]
    assert len(found) == 1, f"{len(found)} examples of {language} with '{what}'"
    return found[0]


def run_example(what, directory):
    """What a Python example prints, and its variables."""
    out = io.StringIO()
    variables = {}
    with contextlib.redirect_stdout(out):
        exec(example("python", what).replace("DIR", directory), variables)
    print(out.getvalue())
    return out.getvalue(), variables


def summary_of(directory):
    return json.loads(pathlib.Path(directory, "summary.json").read_text())


def rows_of(directory):
    import csv
    with open(f"{directory}/flows.csv", newline="") as file:
        return list(csv.DictReader(file))


def percentile(values, thousandths):
    return sorted(values)[len(values) * thousandths // 1000]


def percentiles_by_size(directory):
    _, variables = run_example("pd.cut", directory)
    table = variables["table"]
    buckets = [b for b in summary_of(directory)["slowdown"]["by_size"] if b["count"] > 0]
    assert len(table) == len(buckets) > 2
    for (interval, row), bucket in zip(table.iterrows(), buckets):
        assert interval.left == bucket["above_bytes"], (interval, bucket)
        assert (row.p50, row.p99) == (bucket["p50"], bucket["p99"]), (row, bucket)


def longest_queue(directory):
    _, variables = run_example("peak", directory)
    peak = summary_of(directory)["queues"]["peak"]
    suspects = variables["suspects"]
    named = suspects.dropna(subset=["bytes"])
    top = {flow["flow_id"]: flow for flow in peak["top"]}
    assert len(named) > 0 and len(suspects) >= len(named)
    assert all(top[row.flow_id]["bytes"] == row.bytes for row in named.itertuples())
    # the others of the ten had acknowledgements there: the port leads towards their senders
    acknowledged = set(top) - set(named.flow_id)
    assert acknowledged and all(top[flow]["src"] == peak["to"] for flow in acknowledged)
    assert sum(flow["bytes"] for flow in top.values()) + peak["other_bytes"] + peak["ended_bytes"] == peak["queue_bytes"]


def waits_of_packets(directory):
    """A flow that is alone waits nowhere but at its own NIC, behind its own packets."""
    _, variables = run_example("packets.csv", directory)
    waits = variables["waits"]
    flows = rows_of(directory)
    sent = sum(-(-int(flow["size_bytes"]) // 1000) for flow in flows)
    hops = 2  # the NIC and the switch
    assert len(waits) == sent * hops, (len(waits), sent)
    assert (waits.wait_ps >= 0).all()
    # 16 senders meet at the switch's port to the receiver
    means = waits.groupby("from").wait_ps.mean()
    switch = max(means.index)
    assert means[switch] == means.max() > 0
    assert len(variables["one"]) == hops * -(-int(flows[0]["size_bytes"]) // 1000)


def with_pandas(run, sweep, packets):
    import pandas
    percentiles_by_size(run)
    longest_queue(run)
    waits_of_packets(packets)
    printed, _ = run_example("points.csv", sweep)
    points = pandas.read_csv(f"{sweep}/points.csv")
    assert len(points) == 6
    assert points.web_p95.notna().all() and (points.web_p95_low <= points.web_p95).all()
    for label in ("HPCC", "DCTCP", "0.5"):
        assert label in printed, label
    runs = pandas.read_csv(f"{sweep}/runs.csv")
    assert len(runs) == 30 and (runs.status == "done").all()


def with_duckdb(run, sweep, _):
    import duckdb

    def rows_of_example(what, old, new):
        rows = duckdb.sql(example("sql", what).replace(old, new)).fetchall()
        for row in rows:
            print(*row, sep=",")
        return rows

    by_tag = summary_of(run)["slowdown"]["by_tag"]
    rows = rows_of_example("longest_us", "results/*", run)
    assert {(row[1], row[3], row[4]) for row in rows} == {(tag, d["count"], d["p99"]) for tag, d in by_tag.items()}
    rows = rows_of_example("runs.csv", "DIR", sweep)
    assert len(rows) == 6
    for load, algorithm, flows, p99 in rows:
        web = [row for file in pathlib.Path(sweep).glob(f"runs/{load}+{algorithm}+*/flows.csv")
               for row in rows_of(file.parent) if row["tag"] == "web"]
        assert len(web) == flows > 0
        assert percentile([float(row["slowdown"]) for row in web if row["slowdown"]], 990) == p99


def main():
    package, weir = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        run = f"{temporary}/run"
        sweep = f"{temporary}/load"
        packets = f"{temporary}/packets"
        for command in (["run", "scenarios/mixed-algorithms.toml", "--set", "probes.queues=true",
                         "--set", "probes.flows.paths=true", "--out", run],
                        ["run", "scenarios/incast-16.toml", "--set", "probes.packets=true",
                         "--set", "traffic.0.size=20 KB", "--out", packets],
                        ["sweep", "scenarios/studies/load.toml", "--out", sweep]):
            subprocess.run([weir, *command, "-q"], check=True, stdout=subprocess.DEVNULL)
        {"pandas": with_pandas, "duckdb": with_duckdb}[package](run, sweep, packets)


main()
