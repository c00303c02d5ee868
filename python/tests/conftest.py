"""Scenarios of the tests."""

import copy

import pytest
import weir


def many_to_one(senders, latency, stop, *more):
    """So many hosts send to one more by a switch; all flows are pcc_rl's."""
    return weir.Scenario.from_values(
        [
            "topology.kind=star",
            f"topology.hosts={senders + 1}",
            "topology.rate=100 Gbps",
            "topology.delay=1 us",
            "network.buffer.mode=lossy",
            "algorithm.name=pcc_rl",
            f"algorithm.decision_latency={latency}",
            "algorithm.first_rate=0.1",
            "traffic=[{kind='incast', size='1 GB', receiver='last'}]",
            f"run.stop={stop}",
            *more,
        ]
    )


STAR = {
    "title": "star",
    "topology": {"kind": "star", "hosts": 9, "rate": "100 Gbps", "delay": "1 us"},
    "algorithm": {"name": "hpcc"},
    "traffic": [{"kind": "incast", "size": "100 KB", "receiver": "last"}],
    "probes": {"queues": {"series": True, "interval": "10 us"}},
    "run": {"stop": "2 ms"},
}


@pytest.fixture(name="star")
def star_fixture():
    """Tables of a scenario in which eight hosts send to a ninth, all at once."""
    return copy.deepcopy(STAR)


@pytest.fixture(name="many_to_one")
def many_to_one_fixture():
    return many_to_one
