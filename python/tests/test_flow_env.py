import warnings

import numpy as np
import pytest
import weir

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from weir.gym import FlowEnv  # noqa: E402
from weir.policy import Policy  # noqa: E402


@pytest.mark.parametrize("latency", ["0 us", "2 us"])
def test_the_checker_of_gymnasium_passes(many_to_one, latency):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(FlowEnv(many_to_one(4, latency, "1 ms")), skip_render_check=True)
        made = gymnasium.make("weir/Flow-v0", scenario=many_to_one(4, latency, "1 ms"))
        check_env(made.unwrapped)  # with each render mode, too


def play(env, seed, actions):
    rows = [env.reset(seed=seed)[0]]
    for y in actions:
        observation, reward, terminated, truncated, info = env.step(np.array([y], np.float32))
        rows.append((observation.tolist(), reward, terminated, truncated, info["time_ps"]))
        if terminated or truncated:
            break
    return rows


def test_equal_seeds_give_equal_episodes(many_to_one):
    env = FlowEnv(many_to_one(4, "0 us", "300 us"), flow=1)
    actions = np.random.default_rng(1).uniform(-1, 1, 1000)
    first, second = play(env, 3, actions), play(env, 3, actions)
    assert len(first) > 10
    assert first[1:] == second[1:]
    assert first[-1][2:4] == (False, True)  # cut off by run.stop


@pytest.mark.parametrize("seed", [-1, 2**53, 2**64, 1.5, "1"])
def test_wrong_seeds_are_refused_and_change_nothing(many_to_one, seed):
    env, same = (FlowEnv(many_to_one(2, "0 us", "1 ms")) for _ in range(2))
    env.reset(seed=1)
    same.reset(seed=1)
    with pytest.raises(weir.InputError, match="valid is a whole number from 0 to 9007199254740991") as caught:
        env.reset(seed=seed)
    assert caught.value.key == "seed"
    assert env.step([0.5])[0].tolist() == same.step([0.5])[0].tolist()
    env.reset(seed=np.int64(2**53 - 1))


def test_a_flow_that_is_not_there(many_to_one):
    env = FlowEnv(many_to_one(8, "0 us", "1 ms"), flow=99)
    with pytest.raises(weir.InputError, match="there is no flow 99: in this episode 8 can be decided") as caught:
        env.reset(seed=1)
    assert caught.value.key == "flow"
    with pytest.raises(weir.InputError, match="ended before its first question"):
        FlowEnv(many_to_one(8, "0 us", "1 us"), flow=7).reset(seed=1)


def test_the_end_of_another_flow_is_not_its_own(many_to_one):
    flows = "traffic=[{kind='flows', flow=[{src=0, dst=2, size='1 GB'}, {src=1, dst=2, size='100 KB'}]}]"
    rows = play(FlowEnv(many_to_one(2, "0 us", "1 ms", flows)), 1, [0.0] * 1000)
    assert rows[-1][2:4] == (False, True)


def test_it_takes_what_a_run_takes(many_to_one, tmp_path):
    scenario = many_to_one(2, "0 us", "1 ms")
    (tmp_path / "two.toml").write_text(scenario.to_toml())
    expected = play(FlowEnv(scenario), 1, [0.5] * 10)[1:]
    for source in (scenario.to_dict(), tmp_path / "two.toml"):
        assert play(FlowEnv(source), 1, [0.5] * 10)[1:] == expected
    overrides = {"algorithm.first_rate": 0.2}
    faster = play(FlowEnv(scenario, overrides=overrides), 1, [0.5] * 10)[1:]
    assert faster == play(FlowEnv(scenario.with_values(overrides)), 1, [0.5] * 10)[1:] != expected


def test_gymnasium_makes_it_by_its_name(many_to_one):
    env = gymnasium.make("weir/Flow-v0", scenario=many_to_one(2, "2 us", "1 ms"), flow=1)
    assert isinstance(env.unwrapped, FlowEnv) and env.spec.id == "weir/Flow-v0"
    env.reset(seed=1)


def test_an_episode_ends_with_the_flow(many_to_one):
    env = FlowEnv(many_to_one(2, "0 us", "10 ms", "traffic.0.size=100 KB"))
    rows = play(env, 1, [1.0] * 1000)
    assert rows[-1][2:4] == (True, False)
    with pytest.raises(RuntimeError, match="reset"):
        env.step([0.0])


def test_larger_actions_send_faster(many_to_one):
    ends = []
    for y in (-1.0, 1.0):
        env = FlowEnv(many_to_one(1, "0 us", "1 s", "traffic.0.size=300 KB", "algorithm.first_rate=0.5"))
        ends.append(play(env, 1, [y] * 100_000)[-1][4])
    assert ends[1] < ends[0]


@pytest.mark.parametrize("action", [[float("nan")], [float("inf")], [1.0, 2.0], [], [1.01], [-5.0]])
def test_wrong_actions_are_refused_and_change_nothing(many_to_one, action):
    env, same = (FlowEnv(many_to_one(2, "0 us", "1 ms")) for _ in range(2))
    env.reset(seed=1)
    same.reset(seed=1)
    with pytest.raises(weir.InputError):
        env.step(np.array(action))
    assert env.step([0.5])[0].tolist() == same.step([0.5])[0].tolist()


def test_signals_of_queueing_delays(many_to_one):
    """The formula of docs/guides/learning.md, of what `info` tells."""
    settings = {"target": 0.7, "beta": 0.25, "scale": 2.0, "queue_unit": 1e-6, "power": 0.875, "clip": 1e6}
    env = FlowEnv(many_to_one(6, "0 us", "1 ms"), **settings)
    observation, info = env.reset(seed=1)
    signals = []
    for _ in range(40):
        base, unit = info["base_rtt_ps"] * 1e-12, settings["queue_unit"]
        queue = (info["rtt_ps"] - info["base_rtt_ps"]) * 1e-12 / unit
        signal = (max(queue - 0.25, 0) * info["rate"] ** 0.875 - 0.7) * 2.0 * unit / base
        assert observation[1] == pytest.approx(signal, rel=1e-5)
        signals.append(signal)
        observation, _, _, _, info = env.step([-0.5 if signal > 0 else 0.5])
    assert min(signals) < 0 < max(signals)


def test_what_a_policy_sees_is_what_its_settings_show(many_to_one):
    """The policy outside, by its own settings, sends what it sends inside."""
    for name in ("standard", "wide"):
        policy = Policy(name)
        scenario = many_to_one(4, "0 us", "300 us", f"algorithm.policy={name}")
        env = FlowEnv(scenario, flow=1, step=policy.step, **policy.settings)
        memory = policy.start()
        observation, info = env.reset(seed=3)
        ended, sent = False, 0
        while not ended:
            observation, _, terminated, truncated, info = env.step(policy.outputs(observation[None], memory))
            ended = terminated or truncated
            sent = info["rate"]
        inside = weir.Simulation(scenario, {"run.seed": 3})
        inside.advance()
        rates = inside.flows()["rate_bps"]
        assert sent * 100e9 == pytest.approx(rates[1], rel=0.25)


def test_wrong_settings_are_refused(many_to_one):
    scenario = many_to_one(2, "0 us", "1 ms")
    for settings, key in [
        ({"history": 9}, "history"),
        ({"inputs": "all"}, "inputs"),
        ({"reward": "high"}, "reward"),
        ({"clip": -1}, "clip"),
        ({"first_rates": (0.5, 0.1)}, "first_rates"),
        ({"step": 2}, "step"),
        ({"profiles": ["nobody"]}, "profiles"),
        ({"flow": -1}, "flow"),
        ({"flow": 0.5}, "flow"),
        ({"queue_unit": -1}, "queue_unit"),
        ({"queue_unit": 1e-6, "base_rtt": 1e-6}, "base_rtt"),
        ({"queue_packets": 1}, "queue_packets"),
        ({"power": 0.3}, "power"),
    ]:
        with pytest.raises(weir.InputError) as caught:
            FlowEnv(scenario, **settings)
        assert caught.value.key == key
    hpcc = weir.Scenario.from_values(
        [
            "topology.kind=star",
            "topology.hosts=3",
            "algorithm.name=hpcc",
            "traffic=[{kind='incast', receiver='last', size='1 MB'}]",
        ]
    )
    with pytest.raises(weir.InputError, match="pcc_rl"):
        FlowEnv(hpcc)


def test_against_another_algorithm():
    scenario = weir.Scenario.from_text(
        """
        [topology]
        kind = "star"
        hosts = 4
        [network.buffer]
        mode = "lossy"
        [algorithm]
        name = "dcqcn"
        [network.ecn]
        enabled = true
        [[profile]]
        name = "learner"
        algorithm = "pcc_rl"
        first_rate = 0.1
        [[traffic]]
        kind = "incast"
        receiver = "last"
        size = "10 MB"
        [[traffic]]
        kind = "flows"
        flow = [{ src = 0, dst = 3, size = "10 MB", profile = "learner" }]
        """,
        ["run.stop=200 us"],
    )
    env = FlowEnv(scenario)
    assert len(play(env, 1, [0.0] * 1000)) > 5
