import algorithms
import pytest
import weir


@pytest.fixture(name="marking")
def marking_fixture(star):
    """A switch that marks, and flows long enough to be marked."""
    weir.add_algorithm(algorithms.Plain)
    star["algorithm"] = {"name": "py-plain"}
    star["network"] = {"ecn": {"enabled": True, "k_min": "5 KB", "k_max": "5 KB"}}
    star["traffic"] = [{"kind": "incast", "size": "300 KB", "receiver": "last"}]
    return star


def test_it_runs_and_reacts(marking):
    result = weir.run(marking)
    assert result.is_whole and result.summary["flows"]["finished"] == 8
    assert result.manifest["packets_marked"] > 0
    assert set(result.flows["algorithm"]) == {"py-plain"}
    faster = weir.run(marking, {"algorithm.increase": 50.0})
    assert faster.manifest["packets_marked"] > result.manifest["packets_marked"]


def test_it_is_in_the_catalogue(marking):
    entry = weir.catalogue()["algorithms"]["py-plain"]
    assert entry["increase"].default == 1 and entry["pause"].type == "time"
    assert entry.meaning.startswith("A window that grows") and entry.source == "Chiu and Jain, 1989"
    for wrong in ({"algorithm.increase": -1.0}, {"algorithm.pause": 5}, {"algorithm.nothing": 1}):
        with pytest.raises(weir.InputError):
            weir.Scenario.from_dict(marking).with_values(wrong)


def test_its_runs_are_the_same_whatever_the_threads(marking):
    marking["topology"] = {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 8}
    assert len({weir.run(marking, {"run.threads": n}).manifest["digest"] for n in (1, 2)}) == 1


def test_its_runs_can_be_saved_and_forked(marking):
    run = weir.Simulation(marking)
    run.advance("50 us")
    runs = [run, run.fork(), weir.Simulation.restore(marking, run.save())]
    for one in runs:
        one.advance()
    assert len({one.finish().manifest["digest"] for one in runs}) == 1


class Base(weir.Algorithm):
    name = "py-base"
    count = weir.remember(0)

    def start(self, control):
        control.window_bytes = 10 * self.flow.payload_bytes

    def on_ack(self, ack, control):
        self.count += 1


def with_base(star, **members):
    weir.add_algorithm(type("Derived", (Base,), {"name": "py-base", **members}))
    return star | {"algorithm": {"name": "py-base"}}


def test_a_class_can_be_defined_again(star):
    def slower(self, ack, control):
        control.window_bytes = self.flow.payload_bytes

    plain = weir.run(with_base(star)).summary["flows"]["mean_fct_ps"]
    assert weir.run(with_base(star, on_ack=slower)).summary["flows"]["mean_fct_ps"] != plain
    assert weir.run(with_base(star)).summary["flows"]["mean_fct_ps"] == plain


def test_timers_and_packets_are_told(star):
    told = []

    def start(self, control):
        control.window_bytes = 10 * self.flow.payload_bytes
        control.timer_ps = self.flow.start_ps + 5_000_000

    def on_timer(self, now_ps, control):
        told.append(now_ps)
        control.timer_ps = None

    def on_send(self, send, control):
        told.append(send.wire_bytes)

    weir.run(with_base(star, start=start, on_timer=on_timer, on_send=on_send))
    assert told.count(5_000_000) == 8
    assert len(told) > 8 * 100


def test_telemetry_is_seen(star):
    class Reader(weir.Algorithm):
        name = "py-reader"
        needs = ("telemetry",)
        seen = []

        def start(self, control):
            control.window_bytes = 10 * self.flow.payload_bytes

        def on_ack(self, ack, control):
            self.seen.append(ack)

    weir.add_algorithm(Reader)
    weir.run(star | {"algorithm": {"name": "py-reader"}})
    assert {len(ack.hops) for ack in Reader.seen} == {1}
    assert {ack.hops[0].rate_bps for ack in Reader.seen} == {100_000_000_000}
    assert max(ack.hops[0].queue_bytes for ack in Reader.seen) > 0


@pytest.mark.parametrize(
    ("on_ack", "error"),
    [
        (lambda self, ack, control: 1 / 0, ZeroDivisionError),
        (lambda self, ack, control: setattr(self, "count", "many"), TypeError),
        (lambda self, ack, control: setattr(control, "window_bytes", -1), weir.InputError),
        (lambda self, ack, control: setattr(control, "rate_bps", float("inf")), weir.InputError),
    ],
)
def test_an_error_ends_the_run_and_is_raised(star, on_ack, error):
    scenario = with_base(star, on_ack=on_ack)
    with pytest.raises(error):
        weir.run(scenario)
    threads = {"run.threads": 2, "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 8}}
    del scenario["topology"]
    with pytest.raises(error):
        weir.run(scenario, threads)


@pytest.mark.parametrize(
    "members",
    [
        {"name": "hpcc"},
        {"name": "Not Valid"},
        {"name": "py-new", "needs": ("luck",)},
        {"name": "py-new", "gain": weir.parameter(2.0, "too large", most=1)},
        {"name": "py-new", "gain": weir.parameter("1 mile", "no unit")},
        {"name": "py-base", "gain": weir.parameter(2.0, "another parameter than before")},
    ],
)
def test_classes_that_are_not_possible(star, members):
    with_base(star)
    with pytest.raises(weir.InputError):
        weir.add_algorithm(type("Wrong", (Base,), members))
    assert "py-new" not in weir.catalogue()["algorithms"]
