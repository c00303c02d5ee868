"""Scenarios of the tests."""

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


@pytest.fixture(name="many_to_one")
def many_to_one_fixture():
    return many_to_one
