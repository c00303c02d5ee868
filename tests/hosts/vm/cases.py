"""The cases of the virtual machine: scripts that run inside, and what has to come of them."""
import dataclasses
import typing


@dataclasses.dataclass
class Check:
    """One thing that a result has to fulfil."""
    what: str
    value: float
    bound: str  # as people read it
    good: bool


@dataclasses.dataclass
class Case:
    name: str
    about: str
    boots: dict[str, str]  # name of a boot: its script
    judge: typing.Callable[[dict], list[Check]]  # results by name of their boot: lists of JSON objects
    full: bool = False  # only with --full, or by its name
    agent: bool = True  # needs weir-host
    twice: bool = False  # each boot is run twice and must say the same
    processors: int = 1


def script(*lines):
    return "\n".join(("set -eu", ". /lab.sh") + lines) + "\n"


def plan(label, *lines, family=4):
    """A shell command that runs lab-load."""
    return "\n".join((f"{{ plan_hosts {family}; cat <<PLAN", "queue sw p_r 2ms") +
                     tuple(f"departures h{i} eth0" for i in range(1, 5)) + lines + (f"PLAN\n}} | load {label}",))


def incast(count, long_senders="h1 h2"):
    """Requests beside long flows, as the paper's: 8 answers of 2 KB from 4 senders."""
    long_flows = (f"long r {long_senders}",) if long_senders else ()
    return ("warm 1s", f"until {count * 0.3 + 5:.0f}s", *long_flows,
            f"requests incast r h1 h2 h3 h4 connections=8 size=2048 count={count} skip=2 gap=30ms")


def with_agents(mode, label, workload, *, before=(), config=""):
    """A whole boot: the lab, agents unless mode is "none", the workload, agents off."""
    up = () if mode == "none" else (f"agents_up {mode} '{config}'",)
    down = () if mode == "none" else ("agents_report", "agents_off")
    return script(*before, "lab_up", *up, f"extra='\"mode\": \"{mode}\"'", plan(label, *workload), *down)


def at_least(what, value, bound):
    return Check(what, value, f">= {bound:g}", value >= bound)


def at_most(what, value, bound):
    return Check(what, value, f"<= {bound:g}", value <= bound)


def loads(results):
    return [one for one in results if "OutSegs" in one]


def long_mbps(load):
    return sum(flow["mbps"] for flow in load["long"])


def reordered(load):
    return load["TCPSACKReorder"] + load["TCPTSReorder"]


def compare(label, base, held, *, better, throughput):
    """The issue's table: completion, throughput, drops, retransmissions, reordering."""
    return [
        at_least(f"{label}: completion, mean, times better", base["incast_ms"]["mean"] / held["incast_ms"]["mean"], better),
        at_least(f"{label}: completion, 99th percentile, times better",
                 base["incast_ms"]["p99"] / held["incast_ms"]["p99"], better),
        at_least(f"{label}: throughput of long flows, of the baseline's", long_mbps(held) / long_mbps(base), throughput),
        at_most(f"{label}: drops", held["drops_p_r"], base["drops_p_r"]),
        at_most(f"{label}: retransmissions", held["RetransSegs"], base["RetransSegs"]),
        at_most(f"{label}: packets seen reordered", reordered(held), reordered(base)),
        at_most(f"{label}: broken connections", held["broken"], 0),
    ]


def one_load(results, boot):
    found = loads(results[boot])
    if len(found) != 1:
        raise ValueError(f"{boot}: {len(found)} results of lab-load in place of one")
    return found[0]


def judge_same(results):
    load = one_load(results, "same")
    return [at_least("requests that completed", load["incast_ms"]["count"], 10),
            at_most("broken connections", load["broken"], 0)]


def judge_incast(results):
    base = one_load(results, "incast-none")
    return (compare("bpf", base, one_load(results, "incast-bpf"), better=2.6, throughput=0.97) +
            compare("queue", base, one_load(results, "incast-queue"), better=2.6, throughput=0.93))


CASES = [
    Case("same", "the same run twice gives the same log, whatever else this machine does",
         {"same": with_agents("none", "same", incast(10))}, judge_same, agent=False, twice=True),
    Case("incast", "8 x 2 KB from 4 senders beside 2 long flows: none, bpf, queue",
         {f"incast-{mode}": with_agents(mode, "incast", incast(100)) for mode in ("none", "bpf", "queue")}, judge_incast),
]
