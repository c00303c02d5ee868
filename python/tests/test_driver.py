"""Messages that wait for each other, by an object of the program."""

import numpy as np
import pytest
import weir


class Ring(weir.Driver):
    """A ring all-reduce: each host sends on what it has received, 2 (n - 1) times."""

    def __init__(self, hosts, part):
        self.hosts, self.part = hosts, part
        self.steps = 2 * (hosts - 1)
        self.tasks = hosts * self.steps
        self.last_ps = 0
        self.times = []

    def begin(self, desk):
        self.send(desk, 0)

    def received(self, desk, message):
        self.times.append(desk.now_ps)
        self.last_ps = desk.now_ps
        if message.word + 1 < self.steps:
            self.send(desk, message.word + 1)

    def sent(self, desk, message):
        desk.done()

    def send(self, desk, step):
        desk.send((desk.host + 1) % self.hosts, self.part, step)


@pytest.fixture(name="network")
def network_fixture():
    return {
        "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 4},
        "algorithm": {"name": "hpcc"},
        "traffic": [],
    }


def collective(size):
    return {"traffic": [{"kind": "collective", "operation": "ring-all-reduce", "size": size}]}


@pytest.mark.parametrize("connections", ["message", "kept"])
@pytest.mark.parametrize("algorithm", ["hpcc", "dctcp"])
def test_a_ring_is_the_built_in_one(network, algorithm, connections):
    values = {"algorithm.name": algorithm, "transport.connections": connections, "network.ecn.enabled": True}
    built_in = weir.run(network | collective("800 KB"), values)
    driver = Ring(8, 100_000)
    run = weir.Simulation(network, values, driver=driver)
    assert run.advance()
    result = run.finish()
    assert driver.last_ps == built_in.summary["collectives"][0]["completion_ps"]
    assert len(result.flows) == driver.tasks
    for column in ("start_ps", "fct_ps"):
        assert sorted(result.flows[column]) == sorted(built_in.flows[column])


def test_a_ring_without_packets_is_the_built_in_one(network):
    values = {"run.fidelity": "flow"}
    built_in = weir.run(network | collective("800 KB"), values)
    driver = Ring(8, 100_000)
    assert weir.Simulation(network, values, driver=driver).advance()
    assert driver.last_ps == built_in.summary["collectives"][0]["completion_ps"]


def test_calls_come_in_the_order_of_time(network):
    driver = Ring(8, 100_000)
    run = weir.Simulation(network, {"run.threads": 4}, driver=driver)
    while not run.advance("3 us"):
        pass
    assert driver.times == sorted(driver.times) and len(driver.times) == driver.tasks
    again = Ring(8, 100_000)
    weir.Simulation(network, driver=again).advance()
    assert again.times == driver.times


class Story(weir.Driver):
    """Writes down what it is told."""

    tasks = 4

    def __init__(self):
        self.told = []

    def begin(self, desk):
        assert desk.now_ps == 0
        if desk.host == 0:
            desk.wake("5 us", 2)
            desk.wake(5_000_000, 1)
            desk.post(3, 77)
            desk.post(3, 78, at="9 us")

    def woken(self, desk, word):
        self.told.append(("woken", desk.host, desk.now_ps, word))
        if word == 1:
            desk.send(7, "3 KB", 2**64 - 1, channel=3, listed=False)
        else:
            desk.send(1, 1)

    def posted(self, desk, sender, word):
        self.told.append(("posted", desk.host, desk.now_ps, sender, word))
        desk.done()

    def received(self, desk, message):
        self.told.append(("received", desk.host, message.src, message.dst, message.size_bytes, message.word))

    def sent(self, desk, message):
        self.told.append(("sent", desk.host, message.channel, message.started_ps, message.profile))
        desk.done()


def test_what_a_driver_is_told(network):
    driver = Story()
    run = weir.Simulation(network, driver=driver)
    lag = run.epoch_ps
    assert run.advance()
    assert driver.told[:4] == [
        ("posted", 3, lag, 0, 77),
        ("woken", 0, 5_000_000, 1),
        ("woken", 0, 5_000_000, 2),
        ("posted", 3, 9_000_000, 0, 78),
    ] or sorted(driver.told[:3]) == sorted([("posted", 3, lag, 0, 77), ("woken", 0, 5_000_000, 1), ("woken", 0, 5_000_000, 2)])
    assert ("received", 7, 0, 7, 3_000, 2**64 - 1) in driver.told
    assert ("sent", 0, 3, 5_000_000, "hpcc") in driver.told
    assert ("received", 1, 0, 1, 1, 0) in driver.told
    assert list(run.finish().flows["dst"]) == [1]


def test_flows_beside_a_driver(network):
    driver = Ring(8, 100_000)
    network["traffic"] = [{"kind": "incast", "size": "1 MB", "receiver": "last"}]
    run = weir.Simulation(network, driver=driver)
    run.advance()
    assert len(run.finish().flows) == driver.tasks + 7
    alone = Ring(8, 100_000)
    weir.Simulation(network, {"traffic": []}, driver=alone).advance()
    assert driver.last_ps > alone.last_ps


def test_a_run_with_a_driver_is_saved_and_forked(network):
    driver = Ring(8, 100_000)
    run = weir.Simulation(network, driver=driver)
    run.advance("30 us")
    fork = run.fork()
    saved = weir.Simulation.restore(network, run.save(), driver=Ring(8, 100_000))
    assert run.driver is driver and fork.driver is not driver
    for copy in (fork, saved):
        before = len(copy.driver.times)
        assert before == len(driver.times) > 0
        copy.advance()
        assert len(copy.driver.times) == driver.tasks and len(driver.times) == before
    run.advance()
    assert driver.times == fork.driver.times == saved.driver.times
    np.testing.assert_array_equal(run.finish().flows["fct_ps"], saved.finish().flows["fct_ps"])
    with pytest.raises(weir.InputError):
        weir.Simulation.restore(network, fork.save())


@pytest.mark.parametrize(
    "call, key",
    [
        (lambda desk: desk.send(0, 1), "dst"),
        (lambda desk: desk.send(99, 1), "dst"),
        (lambda desk: desk.send(1, 0), "size"),
        (lambda desk: desk.send(1, "1 us"), "size"),
        (lambda desk: desk.send(1, 1, channel=50_000), "channel"),
        (lambda desk: desk.send(1, 1, profile="swift"), "profile"),
        (lambda desk: desk.send(1, 1, tag="none"), "tag"),
        (lambda desk: desk.wake("1 us"), "at"),
        (lambda desk: desk.post(99), "host"),
        (lambda desk: desk.post(0), "host"),
        (lambda desk: desk.post(1, at=1), "at"),
    ],
)
def test_a_desk_refuses(network, call, key):
    class Wrong(weir.Driver):
        tasks = 1

        def begin(self, desk):
            if desk.host == 0:
                desk.wake("2 us")

        def woken(self, desk, word):
            call(desk)

    with pytest.raises(weir.InputError) as caught:
        weir.Simulation(network, driver=Wrong()).advance()
    assert caught.value.key == key


def test_a_driver_that_cannot_be_one_is_refused(network):
    class Idle(weir.Driver):
        pass

    with pytest.raises(weir.InputError, match="tasks"):
        weir.Simulation(network, driver=Idle())

    class Broken(weir.Driver):
        tasks = 1
        kept = None

        def begin(self, desk):
            self.kept = desk
            if desk.host == 5:
                raise KeyError("mine")

    driver = Broken()
    with pytest.raises(KeyError, match="mine"):
        weir.Simulation(network, driver=driver)
    with pytest.raises(RuntimeError, match="only while"):
        driver.kept.done()
