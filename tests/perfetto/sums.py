"""Holds traces of `weir run --trace` against the results of the same runs, by SQL on what query.py reads.

    sums.py WEIR
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, "share/perfetto")
import query  # noqa: E402

PROBES = [
    'probes.queues.exact=false',
    'probes.queues.interval="1 us"',
    'probes.queues.ports="all, hosts"',
    'probes.pfc.ports="all, hosts"',
    'probes.links.ports="all, hosts"',
]
ENGINE_SEQUENCE = 3


def run(weir, scenario, folder, more=(), status=0):
    trace = str(folder / "t.pftrace")
    command = [weir, "run", scenario, "--quiet", "--json", "--trace", trace, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, (command, done.returncode, done.stderr)
    return trace, json.loads(done.stdout)


def rows(folder, name):
    with open(folder / "results" / name, newline="") as file:
        return list(csv.DictReader(file))


def by_port(table, column):
    """What each port has, by the name of its track, which tells parallel links apart."""
    links = {}
    for row in table:
        links.setdefault((row["from"], row["to"]), []).append(row)
    out = {}
    for (source, to), alike in links.items():
        for row in alike:
            name = f"{source}->{to}" + (f" port {row['port']}" if len(alike) > 1 else "")
            if int(row[column]):
                out[name] = int(row[column])
    return out


class Comparison:
    """Measures of one trace, each with what the results say. compare() returns those that are above 0."""

    def __init__(self, trace, answer, folder):
        self.db = query.load(trace)
        self.manifest = answer["manifest"]
        self.summary = answer["summary"]
        self.folder = folder
        self.some = set()

    def ask(self, sql):
        return self.db.execute(sql).fetchall()

    def one(self, sql):
        return self.ask(sql)[0][0] or 0

    def is_equal(self, what, shown, expected):
        assert shown == expected, f"{what}: the trace has {shown}, the results {expected}"
        if shown:
            self.some.add(what)

    def events(self, name):
        return dict(
            self.ask(
                f"select t.name, count(*) from slice s join track t on t.id = s.track_id "
                f"where s.name = '{name}' group by 1"
            )
        )

    def compare(self):
        self.compare_flows()
        links = rows(self.folder, "links.csv")
        pfc = rows(self.folder, "pfc.csv")
        manifest = self.manifest
        self.is_equal("marks", self.events("mark"), by_port(links, "marked_packets"))
        self.is_equal("losses on links", self.events("loss on link"), by_port(links, "lost_packets"))
        self.is_equal("losses on links", sum(self.events("loss on link").values()), manifest["packets_lost"])
        self.is_equal("trims", sum(self.events("trim").values()), manifest["packets_trimmed"])
        drops = manifest["packets_dropped"] + manifest["pfc_storm_dropped"]
        self.is_equal("drops", sum(self.events("drop").values()), drops)
        if manifest["pfc_storm_dropped"]:
            self.some.add("storm drops")
        self.is_equal("timeouts", sum(self.events("timeout").values()), manifest["timeouts"])
        if self.events("loss told"):
            self.some.add("losses")
        self.compare_pauses(pfc)
        longest = self.one("select max(value) from counter c join counter_track t on t.id = c.track_id "
                           "where t.name like 'queue %'")
        self.is_equal("queue", float(longest), self.summary["queues"]["all"]["max"])
        for counter in ("window", "rate"):
            if self.one(f"select count(*) from counter_track where name like '{counter} %'"):
                self.some.add(counter)
        return self.some

    def compare_flows(self):
        flows = rows(self.folder, "flows.csv")
        facts = ["flow", "src", "dst", "size", "start_ps", "completion_ps", "slowdown", "algorithm", "tag",
                 "retransmitted", "finished"]
        columns = ", ".join(f"extract_arg(arg_set_id, 'debug.{fact}') as {fact}" for fact in facts)
        shown = self.ask(f"select {columns} from slice where name like 'flow %' order by 1")
        expected = []
        for flow in sorted(flows, key=lambda flow: int(flow["flow_id"])):
            ended = flow["fct_ps"] != ""
            expected.append((
                int(flow["flow_id"]), int(flow["src"]), int(flow["dst"]), int(flow["size_bytes"]),
                int(flow["start_ps"]), int(flow["fct_ps"]) if ended else None,
                int(flow["fct_ps"]) / int(flow["ideal_fct_ps"]) if ended else None, flow["algorithm"], flow["tag"],
                int(flow["retransmitted_packets"]), int(ended)))
        for ours, theirs in zip(shown, expected):
            assert ours == theirs, f"flows: the trace has {ours}, the results {theirs}"
        self.is_equal("flows", len(shown), len(expected))
        self.is_equal("finished", sum(row[10] for row in shown), self.manifest["flows_completed"])
        self.is_equal("unfinished", sum(not row[10] for row in shown), self.summary["flows"]["unfinished"])
        # what is drawn is what is told
        wrong = self.one("select count(*) from slice where name like 'flow %' and "
                         "extract_arg(arg_set_id, 'debug.finished') and abs(dur * 1000 - "
                         "extract_arg(arg_set_id, 'debug.completion_ps')) > 1000")
        assert wrong == 0, f"{wrong} flows are drawn longer or shorter than they are"
        overlapping = self.one("select count(*) from slice a join slice b on a.track_id = b.track_id and a.id < b.id "
                               "where a.dur > 0 and b.dur > 0 and a.name like 'flow %' and b.name like 'flow %' "
                               "and a.ts < b.ts + b.dur and b.ts < a.ts + a.dur")
        assert overlapping == 0, f"{overlapping} flows overlap on a track"
        assert self.one("select count(*) from slice where dur < 0") == 0

    def compare_pauses(self, pfc):
        # By port: a port is paused while any of its classes is.
        spans = {}
        for port, start, length, paused in self.ask(
            "select p.name, s.ts, s.dur, extract_arg(s.arg_set_id, 'debug.paused_ps') from slice s "
            "join track t on t.id = s.track_id join track p on p.id = t.parent_id where s.name = 'paused' order by s.ts"
        ):
            spans.setdefault(port, []).append((start, length, paused))
            assert abs(length * 1000 - paused) <= 1000
        self.is_equal("pauses", set(spans), set(by_port(pfc, "pauses")))
        classes = self.ask("select count(distinct name) from track where name like 'pauses %'")[0][0]
        if classes == len(spans):
            self.is_equal("pauses", {port: sum(p for _, _, p in of) for port, of in spans.items()},
                          by_port(pfc, "paused_ps"))
        else:
            times = by_port(pfc, "paused_ps")
            for port, of in spans.items():
                union, end = 0, 0
                for start, length, _ in of:
                    union += max(0, start + length - max(start, end))
                    end = max(end, start + length)
                assert abs(union * 1000 - times[port]) <= 2000 * len(of), (port, union, times[port])


def packets_without_engine(trace):
    return [p.SerializeToString() for p in query.packets(trace) if p.trusted_packet_sequence_id != ENGINE_SEQUENCE]


def sums(weir):
    for it in tomllib.loads(pathlib.Path("tests/perfetto/sums.toml").read_text())["scenario"]:
        bytes_of = []
        for threads in ("1", "2"):
            with tempfile.TemporaryDirectory(prefix="weir-traces") as name:
                folder = pathlib.Path(name)
                more = ["--out", str(folder / "results"), "--threads", threads]
                for probe in PROBES:
                    more += ["--set", probe]
                trace, answer = run(weir, it["file"], folder, more, it.get("status", 0))
                some = Comparison(trace, answer, folder).compare()
                missing = set(it["some"]) - some
                assert not missing, f"{it['file']}: nothing of {missing}"
                bytes_of.append(pathlib.Path(trace).read_bytes())
        assert bytes_of[0] == bytes_of[1], f"{it['file']}: one thread and two differ"
        print(f"{it['file']}: {', '.join(sorted(some))}")


def choices(weir):
    """The options that choose."""
    scenario = "tests/scenarios/irn-lossy.toml"
    with tempfile.TemporaryDirectory(prefix="weir-traces") as name:
        folder = pathlib.Path(name)
        trace, _ = run(weir, scenario, folder, ["--trace-at", "0,17->16", "--trace-from", "10 us", "--trace-until",
                                                "300 us"])
        db = query.load(trace)
        names = {row[0] for row in db.execute("select distinct name from track where name like '%->%'")}
        assert "17->16" in names and names <= {"17->16", "0->17", "queue 17->16", "queue 0->17"}, names
        flows = {row[0] for row in db.execute("select extract_arg(arg_set_id, 'debug.src') from slice "
                                              "where name like 'flow %'")}
        assert flows == {0}, flows
        times = db.execute("select min(ts), max(ts), count(*) from slice where name in ('mark', 'drop')").fetchone()
        assert times[0] >= 10_000 and times[1] < 300_000 and times[2] > 10, times
        times = db.execute("select min(ts), max(ts) from counter where value > 0").fetchone()
        assert times[0] >= 10_000 and times[1] < 300_000, times

        trace, _ = run(weir, scenario, folder, ["--trace-flow", "3,5-6", "--trace-interval", "5 us"])
        db = query.load(trace)
        shown = {row[0] for row in db.execute("select extract_arg(arg_set_id, 'debug.flow') from slice "
                                              "where name <> 'paused'")}
        assert shown == {3, 5, 6}, shown
        off = db.execute("select count(*) from counter where ts % 5000 <> 0 and value <> 0").fetchone()[0]
        assert off == 0, off
    print(f"{scenario}: chosen ports, flows and times")


def engine_time(weir):
    """Where the time of the run goes is in packets of its own, and adds up."""
    scenario = "tests/scenarios/fat-tree-poisson.toml"
    with tempfile.TemporaryDirectory(prefix="weir-traces") as name:
        folder = pathlib.Path(name)
        plain, _ = run(weir, scenario, folder)
        without = packets_without_engine(plain)
        for threads in (1, 2):
            trace, answer = run(weir, scenario, folder, ["--trace-engine", "--threads", str(threads)])
            assert packets_without_engine(trace) == without
            db = query.load(trace)

            def one(sql):
                return db.execute(sql).fetchone()[0]

            tracks = [row[0] for row in db.execute("select name from track where name like 'thread %' order by 1")]
            # on a busy machine one thread does the work of both
            assert 1 <= len(tracks) <= threads and tracks == [f"thread {i}" for i in range(len(tracks))], tracks
            epochs = one("select count(*) from slice where name = 'epoch'")
            assert epochs > 100
            assert one("select count(*) from slice where name = 'partition'") == threads * epochs
            # partitions are within their epochs, and all is within the run
            within = one("select count(*) from slice e join slice p on "
                         "extract_arg(e.arg_set_id, 'debug.from_ps') = extract_arg(p.arg_set_id, 'debug.from_ps') "
                         "where e.name = 'epoch' and p.name = 'partition' "
                         "and p.ts >= e.ts and p.ts + p.dur <= e.ts + e.dur")
            assert within == threads * epochs
            wall = answer["manifest"]["wall_s"] * 1e9
            for thread in tracks:
                top = one("select sum(dur) from slice s join track t on t.id = s.track_id "
                          f"where t.name = '{thread}' and (s.name <> 'partition' or t.name <> 'thread 0')")
                assert 0 < top <= wall, (top, wall)
            # the same at simulated time
            last = answer["manifest"]["sim_time_ps"] / 1000
            for i in range(threads):
                track = f"time for partition {i}"
                spent, until = db.execute("select sum(value), max(ts) from counter c join counter_track t "
                                          f"on t.id = c.track_id where t.name = '{track}'").fetchone()
                assert spent == one("select sum(dur) from slice where name = 'partition' and "
                                    f"extract_arg(arg_set_id, 'debug.partition') = {i}")
                assert until < last
    print(f"{scenario}: the engine's time")


if __name__ == "__main__":
    sums(sys.argv[1])
    choices(sys.argv[1])
    engine_time(sys.argv[1])
