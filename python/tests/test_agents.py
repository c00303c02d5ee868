import warnings

import numpy as np
import pytest
import weir

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test  # noqa: E402
from weir.gym import aec_env, parallel_env  # noqa: E402


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# Flows that go on to the end of the run, and flows that end within it.
ENDLESS = ("1 ms",)
ENDING = ("10 ms", "traffic.0.size=100 KB")


@pytest.mark.parametrize("rest", [ENDLESS, ENDING])
@pytest.mark.parametrize("latency", ["0 us", "2 us"])
def test_the_checkers_of_pettingzoo_pass_in_turn(many_to_one, latency, rest):
    api_test(aec_env(many_to_one(6, latency, *rest)), num_cycles=3000)
    seed_test(lambda: aec_env(many_to_one(6, latency, *rest)), num_cycles=200)


@pytest.mark.parametrize("rest", [ENDLESS, ENDING])
def test_the_checkers_of_pettingzoo_pass_in_parallel(many_to_one, rest):
    parallel_api_test(parallel_env(many_to_one(6, "2 us", *rest)), num_cycles=3000)
    parallel_seed_test(lambda: parallel_env(many_to_one(6, "2 us", *rest)), num_cycles=200)


def test_an_agent_is_the_flow_whose_probe_has_returned(many_to_one):
    env = aec_env(many_to_one(3, "0 us", "200 us"))
    env.reset(seed=1)
    turns, times = {}, []
    for agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        turns[agent] = turns.get(agent, 0) + 1
        times.append(info["time_ps"])
        env.step(np.zeros(1))
    assert sorted(turns) == ["flow_0", "flow_1", "flow_2"]
    assert min(turns.values()) > 3
    assert times == sorted(times)
    assert env.agents == []


def test_a_run_may_be_left_before_its_end(many_to_one):
    env = aec_env(many_to_one(3, "0 us", "1 s"))
    for seed in range(3):
        env.reset(seed=seed)
        env.step(np.zeros(1))
    env.close()


def test_turns_and_windows_of_the_same_latency_agree(many_to_one):
    """Nobody decides before anyone else has been seen, so both show each flow the same."""
    scenario = many_to_one(5, "2 us", "300 us")
    seen = {}
    in_turn = aec_env(scenario)
    in_turn.reset(seed=4)
    for agent in in_turn.agent_iter():
        observation, reward, terminated, truncated, _ = in_turn.last()
        dead = terminated or truncated
        if not dead:
            seen.setdefault(agent, []).append((observation.tolist(), reward))
        in_turn.step(None if dead else np.array([-0.5 if observation[1] > 0 else 0.5]))

    shown = {}
    at_once = parallel_env(scenario)
    observations, infos = at_once.reset(seed=4)
    rewards = dict.fromkeys(at_once.agents, 0.0)
    while at_once.agents:
        for agent in at_once.agents:
            if infos[agent]["ready"]:
                shown.setdefault(agent, []).append((observations[agent].tolist(), rewards[agent]))
        actions = {a: np.array([-0.5 if observations[a][1] > 0 else 0.5]) for a in at_once.agents}
        observations, rewards, _, _, infos = at_once.step(actions)
    assert shown == seen
    assert len(shown) == 5


def test_too_many_flows_are_an_error(many_to_one):
    env = aec_env(many_to_one(3, "0 us", "1 ms"), max_flows=2)
    with pytest.raises(weir.InputError, match="max_flows"):
        env.reset(seed=1)
    with pytest.raises(weir.InputError, match="decision_latency"):
        parallel_env(many_to_one(3, "0 us", "1 ms"))


def test_a_ready_agent_needs_an_action(many_to_one):
    env, same = (parallel_env(many_to_one(3, "2 us", "1 ms")) for _ in range(2))
    env.reset(seed=1)
    same.reset(seed=1)
    with pytest.raises(weir.InputError, match="there is no action of flow_0, which has asked"):
        env.step({})
    actions = dict.fromkeys(env.agents, np.zeros(1))
    assert str(env.step(actions)) == str(same.step(actions))
    turns = aec_env(many_to_one(3, "2 us", "1 ms"))
    turns.reset(seed=1)
    with pytest.raises(weir.InputError, match="action of flow_0 is None"):
        turns.step(None)


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_a_line_is_rendered_for_each_agent(many_to_one, make):
    env = make(many_to_one(3, "2 us", "1 ms"), render_mode="ansi")
    env.reset(seed=1)
    lines = env.render().splitlines()
    assert [line.split()[0].rstrip(":") for line in lines] == env.agents
    assert "RTT" in env.render()
    assert make(many_to_one(3, "2 us", "1 ms")).render() is None


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_wrong_seeds_and_actions_are_refused_and_change_nothing(many_to_one, make):
    env, same = (make(many_to_one(2, "2 us", "1 ms").to_dict()) for _ in range(2))
    env.reset(seed=1)
    same.reset(seed=1)

    def step(on, y):
        return on.step(np.array([y]) if make is aec_env else dict.fromkeys(on.agents, np.array([y])))

    for _ in range(4):
        for seed in (-1, 2**53, 2**64):
            with pytest.raises(weir.InputError) as caught:
                env.reset(seed=seed)
            assert caught.value.key == "seed"
        with pytest.raises(weir.InputError, match=r"action is 2.0; valid is a number in \[-1, 1\]"):
            step(env, 2.0)
        if make is aec_env:
            assert [str(x) for x in env.last()] == [str(x) for x in same.last()] and env.rewards == same.rewards
        assert str(step(env, 0.5)) == str(step(same, 0.5))
