"""What results have to fulfil."""
import dataclasses


@dataclasses.dataclass
class Check:
    """One thing that a result has to fulfil."""
    what: str
    value: float | str
    bound: str  # as people read it
    good: bool


def at_least(what, value, bound):
    return Check(what, value, f">= {bound:g}", value >= bound)


def at_most(what, value, bound):
    return Check(what, value, f"<= {bound:g}", value <= bound)


def measured(what, value):
    """Told, not judged."""
    return Check(what, value, "measured", True)


def within(what, value, other, share):
    """The ratio of two values is at most so far from 1."""
    return Check(what, value / other, f"1 +- {share:g}", abs(value / other - 1) <= share)


def ratio(what, value, other, _):
    """The same, told and not judged."""
    return measured(what, value / other)


def told(what, base, held):
    """Told, not judged: two values and their ratio."""
    ratio = f"{base / held:.3g}" if held else "-"
    return Check(what, f"{base:.4g} / {held:.4g} = {ratio}", "measured", True)


def loads(results):
    """The results of lab-load among all that a boot has said."""
    return [one for one in results if "OutSegs" in one]


def one_load(results, boot):
    found = loads(results[boot])
    if len(found) != 1:
        raise ValueError(f"{boot}: {len(found)} results of lab-load instead of one")
    return found[0]


def same_network(results):
    """What makes results of several boots comparable: a switch that routes, NICs as fast as their links, super-packets of
    one size."""
    said = [load for boot in results.values() for load in loads(boot)]
    if not said:
        return []
    sizes = {load["gso_max_size"] for load in said}
    return [
        Check("the switch", " ".join({load["switch"] for load in said}), "routes",
              all(load["switch"] == "routes" for load in said)),
        Check("rate of NICs", " ".join({load["nic_rate"] for load in said}), "that of their links",
              all(load["nic_rate"] == load["link_rate"] and load["nic_rate"].isalnum() for load in said)),
        Check("gso_max_size of all devices", " ".join(sizes), "one", len(sizes) == 1 and sizes.pop().isdigit()),
    ]


def long_mbps(load):
    return sum(flow["mbps"] for flow in load["long"])


def longest_silence(load):
    return max(flow["longest_silence_ms"] for flow in load["long"])


def reordered(load):
    return load["TCPSACKReorder"] + load["TCPTSReorder"]


def quiet(label, base, held, *, retransmissions=True):
    """Nothing is lost, sent again or overtaken that was not without On-Ramp. Where nothing was sent again without it,
    probes of the tail that come too early because packets are held may be, so that this is not always judged."""
    again = at_most(f"{label}: retransmissions", held["RetransSegs"], base["RetransSegs"])
    return [
        at_most(f"{label}: drops", held["drops_p_r"], base["drops_p_r"]),
        at_most(f"{label}: packets seen reordered", reordered(held), reordered(base)),
        at_most(f"{label}: packets overtaken at the sender", held["overtaking"], base["overtaking"]),
        at_most(f"{label}: broken connections", held["broken"], 0),
    ] + ([again] if retransmissions else [])


def compare(label, base, held, *, better, throughput):
    """Completion and throughput against those without On-Ramp."""
    return [
        at_least(f"{label}: completion, mean, times better",
                 base["incast_ms"]["mean"] / held["incast_ms"]["mean"], better),
        at_least(f"{label}: completion, 99th percentile, times better",
                 base["incast_ms"]["p99"] / held["incast_ms"]["p99"], better),
        at_least(f"{label}: throughput of long flows, of the baseline's", long_mbps(held) / long_mbps(base), throughput),
    ] + quiet(label, base, held)
