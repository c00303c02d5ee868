"""The cases of the virtual machine: scripts that run inside, and what has to come of them."""
import dataclasses
import typing

import checks
from checks import one_load


@dataclasses.dataclass
class Case:
    name: str
    about: str
    boots: dict[str, str]  # name of a boot: its script
    judge: typing.Callable[[dict], list[checks.Check]]  # results by name of their boot: lists of JSON objects
    full: bool = False  # only with --full, or by its name
    agent: bool = True  # needs weir-host
    twice: bool = False  # each boot is run again, with all processors busy, and must say the same
    virtual: bool = True  # time; else with two processors, and slow
    limit: int = 900  # s on the wall, for a boot
    simulations: dict[str, dict] = dataclasses.field(default_factory=dict)  # beside it: name, settings of simulated.run()


def script(*lines):
    return "\n".join(("set -eu", ". /lab.sh", ". /agents.sh") + lines) + "\n"


def plan(label, *lines, family=4, senders="h1 h2 h3 h4"):
    """A shell command that runs lab-load."""
    seen = ("queue sw p_r 2ms",) + tuple(f"departures {host} eth0" for host in senders.split())
    return "\n".join((f"{{ plan_hosts {family}; cat <<PLAN",) + seen + lines + (f"PLAN\n}} | load {label}",))


def requests(count, *, connections=8, every="100ms", size=2048):
    """The paper's incast, smaller: answers of 2 KB on connections that are dealt to 4 senders."""
    return (f"requests incast r h1 h2 h3 h4 connections={connections} size={size} count={count} skip=2 every={every}",)


def times(count):
    return "warm 1s", f"until {count * 0.25 + 5:.0f}s"


def incast(count):
    """Beside two long flows."""
    return times(count) + ("long r h1 h2",) + requests(count)


def with_agents(mode, label, workload, *, before=(), config="", family=4, interface="eth0"):
    """A whole boot: the lab, agents unless mode is "none", the workload, agents off."""
    up = () if mode == "none" else (f"agents_up {mode} {family} {interface} '{config}'",)
    down = () if mode == "none" else ("agents_report", "agents_off")
    extra = f"extra='\"mode\": \"{mode}\", \"family\": {family}'"
    return script(*before, "lab_up", *up, extra, plan(label, *workload, family=family), *down)


def modes(name, workload, which=("none", "bpf", "queue"), **more):
    """The same in several modes."""
    return {f"{name}-{mode}": with_agents(mode, name, workload, **more) for mode in which}


def quick():
    """All modes one after another in one boot, with a little of the incast."""
    lines = ["lab_up", "snapshot > /run/before"]
    for mode in ("none", "bpf", "queue"):
        up = () if mode == "none" else (f"agents_up {mode}",)
        down = () if mode == "none" else ("agents_off", "sleep 1", "snapshot > /run/after",
                                          f"trace_between {mode} /run/before /run/after")
        lines += [*up, f"extra='\"mode\": \"{mode}\"'",
                  plan("quick", "warm 500ms", "until 5s", "long r h1 h2", *requests(6)), *down]
    return script(*lines)


def judge_quick(results):
    found = {load["mode"]: load for load in checks.loads(results["quick"])}
    left = [one for one in results["quick"] if "trace" in one]
    return (checks.compare("bpf", found["none"], found["bpf"], better=2.6, throughput=0.9) +
            checks.compare("queue", found["none"], found["queue"], better=2.6, throughput=0.9) +
            [checks.at_least("modes that went up and off", len(left), 2)] + untouched(left))


def judge_same(results):
    load = one_load(results, "same")
    return [checks.at_least("requests that completed", load["incast_ms"]["count"], 5),
            checks.at_most("broken connections", load["broken"], 0)]


def judge_incast(results):
    base = one_load(results, "incast-none")
    return (checks.compare("bpf", base, one_load(results, "incast-bpf"), better=2.6, throughput=0.97) +
            checks.compare("queue", base, one_load(results, "incast-queue"), better=2.6, throughput=0.93))


def judge_measured(name, measures, which=("bpf", "queue")):
    """What is told and not judged: without agents, with them, and the ratio."""
    def judge(results):
        base = one_load(results, f"{name}-none")
        found = []
        for mode in which:
            held = one_load(results, f"{name}-{mode}")
            found += [checks.told(f"{mode}: {what}, none / {mode}", measure(base), measure(held))
                      for what, measure in measures.items()]
            found += checks.quiet(mode, base, held, retransmissions=False)
        return found
    return judge


AGAIN = {"retransmissions": lambda load: load["RetransSegs"]}
COMPLETION = {"completion, mean": lambda load: load["incast_ms"]["mean"],
              "completion, 99th percentile": lambda load: load["incast_ms"]["p99"]} | AGAIN
LONG = {"long flows": checks.long_mbps}
TIMEOUTS = {"timeouts": lambda load: load["TCPTimeouts"]}
# Flows of a background, by size.
WEB = {f"flows {size}, {statistic}": lambda load, size=size, statistic=statistic: load["web_ms"][size][statistic]
       for size in ("to_10KB", "to_1MB", "above") for statistic in ("mean", "p95", "p99")}
SIZES = ("WebSearch", "FB_Hadoop")  # of data/workloads


def background(load, sizes, seconds, asking):
    """Each host that asks asks all others for flows of these sizes, such that they are this part of its link; beside it
    the incast."""
    hosts = ("r", "h1", "h2", "h3", "h4")
    return (("warm 1s", f"until {2 * seconds}s") +
            tuple(f"web web {load} 100e6 /{sizes}.txt {seconds}s {one} " + " ".join(host for host in hosts if host != one)
                  for one in hosts[:asking]) +
            requests(0))


def background_case(name, load, sizes="WebSearch", *, seconds=30, asking=5, which=("bpf",), **more):
    who = "between all hosts" if asking == 5 else "to one host"
    how = f", {more['before'][0]}" if "before" in more else ""
    return Case(name, f"{sizes} at {100 * load:.0f} % {who}, beside the incast{how}",
                modes(name, background(load, sizes, seconds, asking), ("none", *which), **more),
                judge_measured(name, COMPLETION | WEB, which), full=True, limit=3000)


# The simulator beside the virtual machine. Links are slow, so that the processor's time, which the simulator does not
# know, is small beside what packets wait.
BESIDE = {"count": 50, "every_ms": 400, "warm_ms": 2000}
BESIDE_CONFIG = "\n".join(("[clock]", "max_error = \"1 ms\"", "[hold]", "at_most = \"40 ms\"",
                           "[rule]", "max_pause = \"40 ms\""))


def beside():
    workload = ("warm {warm_ms}ms".format(**BESIDE), "until 60s", "long r h1 h2",
                *requests(BESIDE["count"], every="{every_ms}ms".format(**BESIDE)))
    return modes("beside", workload, before=("rate=25mbit", "buffer=250000", "threshold='4 ms'"), config=BESIDE_CONFIG)


def judge_beside(results):
    measures = {"mean queue": lambda one: one["queue_p_r_kb"]["mean"],
                "completion, mean": lambda one: one["incast_ms"]["mean"],
                "long flows": checks.long_mbps}

    def ratios(host, simulation, judged):
        if simulation not in results:
            return []
        found = one_load(results, host)
        made = results[simulation][0]
        compared = checks.within if judged else checks.ratio
        return [compared(f"{what}, {simulation} / {host}", measure(made), measure(found), 0.2)
                for what, measure in measures.items()]

    # TCP hands several super-packets down before the first may leave, and what has gathered leaves at once.
    return (ratios("beside-none", "simulated-none", True) + ratios("beside-queue", "simulated-held-2", True) +
            ratios("beside-queue", "simulated-held", False) + ratios("beside-bpf", "simulated-early", True))


def handed_down():
    """What TCP has handed down before a pause ends, and what it does to the queue."""
    return {"handed-down-all": with_agents("queue", "handed-down", incast(40), before=("leaf=pfifo",)),
            "handed-down-one": with_agents("queue", "handed-down", incast(40), before=("leaf=pfifo", "limit_output=1"))}


def judge_handed_down(results):
    every, one = (one_load(results, f"handed-down-{what}") for what in ("all", "one"))
    return [checks.at_least("mean queue, all / one", every["queue_p_r_kb"]["mean"] / one["queue_p_r_kb"]["mean"], 1.5),
            checks.told("completion, mean, all / one", every["incast_ms"]["mean"], one["incast_ms"]["mean"])]


STRAWMAN = "[rule]\nkind = \"strawman\""


def faults(mode, rounds, after=1):
    """Rounds of six faults, the first of them `after` seconds after the load has begun."""
    # Slow links, since it takes long; and agents that have been up long enough to know the paths' least delays, as they
    # are not behind a queue that stands from the beginning.
    return script("rate=25mbit", "buffer=250000", "threshold='4 ms'", "lab_up", f"agents_up {mode}", "sleep 12",
                  f"extra='\"mode\": \"{mode}\"'",
                  plan("faults", "warm 500ms", f"until {rounds * 30 + 10}s", "long r h1 h2", "long h1 r",
                       *requests(0)) + " > /run/result &",
                  f"sleep {after}", f"faults {rounds}", "kill -TERM \"$(pidof lab-load)\"", "wait", "cat /run/result",
                  "agents_report", "agents_off")


# From TCP to the wire, ms: 10 of the longest hold, 1 of resolution, and the NIC's own queue.
LONGEST_WAIT = 14


def judge_faults(bound, wait=LONGEST_WAIT):
    """Over all boots: `bound`, of silence, and `wait` from TCP to the wire in ms."""
    def judge(results):
        loads = [one_load(results, name) for name in results]
        done = [next(one for one in found if "faults" in one) for found in results.values()]
        total = {what: sum(one[what] for one in done) for what in ("faults", "restarts", "held_again")}
        return [checks.at_least("faults", total["faults"], 6 * len(done)),
                checks.measured("restarts after which all was held within 3 s", total["held_again"] / total["restarts"]),
                checks.at_most("broken connections", sum(load["broken"] for load in loads), 0),
                checks.at_most("longest silence of a long flow, ms", max(map(checks.longest_silence, loads)), bound),
                checks.at_most("longest wait from TCP to the wire, ms",
                               max(load["departure_ms"]["max"] for load in loads), wait)]
    return judge


def no_trace():
    """All modes up and off, and killed and off, between snapshots."""
    # Large super-packets, so that agents make them smaller.
    lines = ["hosts='h1 r'", "segment=60000", "segments=auto", "lab_up", "snapshot > /run/before"]
    for mode in ("observe", "bpf", "queue"):
        lines += [f"agents_up {mode}",
                  plan("trace", "warm 100ms", "until 600ms", "long r h1", senders="h1") + " > /dev/null",
                  f"echo \"{{\\\"up\\\": \\\"{mode}\\\", \\\"gso_max_size\\\": $(gso_sizes h1)}}\"",
                  "agents_off", "sleep 1", "snapshot > /run/after", f"trace_between {mode} /run/before /run/after"]
        if mode != "observe":
            lines += [f"agents_up {mode}", "kill -KILL $(for h in $hosts; do agent_process $h; done)", "sleep 1",
                      "agents_off", "sleep 1", "snapshot > /run/after",
                      f"trace_between {mode}-killed /run/before /run/after"]
    return script(*lines)


def untouched(found):
    """Nothing is left behind."""
    return [checks.at_most(f"{one['trace']}: lines that differ", one["lines"], 0) for one in found]


def judge_trace(results):
    found = [one for one in results["trace"] if "trace" in one]
    up = {one["up"]: one["gso_max_size"] for one in results["trace"] if "up" in one}
    return ([checks.at_least("modes that went up and off", len(found), 5)] +
            [checks.at_most(f"{mode}: gso_max_size while it is up", up[mode], up["observe"] - 1)
             for mode in ("bpf", "queue")] + untouched(found))


IDLE_MODES = ("observe", "bpf", "queue")


def idle():
    """Agents with four peers each and nothing to do, half a minute after they began."""
    return {f"idle-{mode}": script("lab_up", f"agents_up {mode}", "sleep 30", f"agents_share {mode} 20", "agents_report",
                                   "agents_off") for mode in IDLE_MODES}


def judge_idle(results):
    share = {one["share"]: one["percent"] for mode in IDLE_MODES for one in results[f"idle-{mode}"] if "share" in one}
    return [checks.at_most(f"{mode}: an agent's share of a processor, %", share[mode], 1) for mode in IDLE_MODES]


def judge_smoke(results):
    found = []
    for boot in results:
        load = one_load(results, boot)
        found += [checks.at_most(f"{boot}: completion, mean, ms", load["incast_ms"]["mean"], 25),
                  checks.at_most(f"{boot}: drops", load["drops_p_r"], 0),
                  checks.at_most(f"{boot}: broken connections", load["broken"], 0)]
    return found


def smoke():
    """IPv6 and VLANs: a little of the incast, which shows whether flows are held at all."""
    return {"smoke-v6": with_agents("bpf", "smoke", incast(10), family=6),
            "smoke-vlan": with_agents("bpf", "smoke", incast(10), before=("vlan=7",))}


PROCESSOR_MODES = ("bpf", "queue")


def processors():
    """Slow links, and what arrives is dealt to both processors."""
    slow = ("rate=5mbit", "threshold='20 ms'", "receive_on=3")
    config = "\n".join(("[clock]", "max_error = \"5 ms\"", "[hold]", "at_most = \"100 ms\"",
                        "[rule]", "max_pause = \"100 ms\""))
    workload = ("warm 3s", "until 13s", "long r h1 h2 h3 h4", "long h1 r", *requests(0))
    return modes("processors", workload, PROCESSOR_MODES, before=slow, config=config)


def judge_processors(results):
    found = []
    for mode in PROCESSOR_MODES:
        load = one_load(results, f"processors-{mode}")
        held = sum(one["agent"]["counters"]["held"] for one in results[f"processors-{mode}"] if "status" in one)
        found += [checks.at_most(f"{mode}: broken connections", load["broken"], 0),
                  checks.at_most(f"{mode}: packets overtaken at the sender", load["overtaking"], 0),
                  checks.at_most(f"{mode}: packets seen reordered", checks.reordered(load), 0),
                  checks.at_least(f"{mode}: packets held", held, 100),
                  checks.measured(f"{mode}: completion, mean, ms", load["incast_ms"]["mean"])]
    return found


CASES = [
    Case("same", "the same log twice, the second time with all processors busy",
         {"same": with_agents("none", "same", times(5) + ("long r h1 h2",) + requests(5))}, judge_same, agent=False,
         twice=True),
    Case("quick", "a little of the incast: none, bpf, queue in one machine; nothing is left behind", {"quick": quick()},
         judge_quick),
    Case("incast", "8 x 2 KB from 4 senders beside 2 long flows: none, bpf, queue", modes("incast", incast(100)),
         judge_incast, full=True),
    Case("trace", "up and off, killed and off: everything as before", {"trace": no_trace()}, judge_trace, full=True),
    Case("faults", "agents stopped and killed under load, bpf", {"faults-bpf": faults("bpf", 1)},
         judge_faults(600), full=True),
    Case("idle", "what agents take that have nothing to do", idle(), judge_idle, full=True),
    Case("smoke", "IPv6, VLANs", smoke(), judge_smoke, full=True),
    Case("same-held", "the same, with agents", {"same-held": with_agents("bpf", "same", incast(20))},
         lambda results: [checks.at_least("requests", one_load(results, "same-held")["incast_ms"]["count"], 20)],
         full=True, twice=True),
    Case("strawman", "the strawman instead of the final rule",
         {**modes("strawman", incast(100), ("none",)),
          **modes("strawman", incast(100), ("bpf", "queue"), config=STRAWMAN)},
         judge_measured("strawman", COMPLETION | LONG), full=True),
    Case("bbr", "the incast with BBR", modes("bbr", incast(100), before=("control=bbr",)),
         judge_measured("bbr", COMPLETION | LONG), full=True),
    Case("short", "one answer of 2 KB at a time beside 2 long flows",
         modes("short", times(100) + ("long r h1 h2",) + requests(100, connections=1)),
         judge_measured("short", COMPLETION | LONG), full=True),
    # All five hosts, the switch and five processes of mode queue are too much for the machine's one processor.
    background_case("web", 0.6),
    background_case("web-to-one", 0.6, seconds=40, asking=1, which=("bpf", "queue")),
    background_case("web-40", 0.4),
    background_case("web-80", 0.8),
    background_case("web-bbr", 0.4, before=("control=bbr",)),
    background_case("hadoop", 0.4, "FB_Hadoop"),
    Case("heavy", "an incast of 2 MB into a buffer of 1 MB, at 20 % of the load",
         modes("heavy", ("warm 1s", "until 41s") +
               requests(30, connections=16, every="800ms", size=125_000)), judge_measured("heavy", COMPLETION | TIMEOUTS),
         full=True),
    Case("beside", "the incast with links of 25 Mb/s, and the simulator beside it", beside(), judge_beside, full=True,
         simulations={"simulated-none": {"held": False}, "simulated-held": {"held": True},
                      "simulated-held-2": {"held": True, "at_once": 2},
                      "simulated-early": {"held": True, "early": True}}),
    Case("handed-down", "one super-packet for each flow below TCP instead of several", handed_down(), judge_handed_down,
         full=True),
    Case("faults-queue", "agents stopped and killed under load, queue", {"faults-queue": faults("queue", 1)},
         # what waits when the agent is stopped passes when the watchdog has noticed
         judge_faults(500, wait=500), full=True),
    # in several boots, so that one is done within its limit on a busy machine
    Case("faults-many", "the same hundreds of times, bpf",
         {f"faults-bpf-{i}": faults("bpf", 7, after=1 + 0.23 * i) for i in range(5)}, judge_faults(600), full=True,
         limit=2000),
    Case("processors", "two processors, in real time", processors(), judge_processors, full=True, virtual=False),
]
