import threading

import numpy as np
import pytest
import weir
from weir.gym import BatchEnv
from weir.policy import Policy, factor


def episode(scenarios, envs, **options):
    env = BatchEnv(scenarios, envs, **options)
    rows = []
    n = env.reset(5)
    while (env.episodes[:n] == 0).any():
        seen = env.observations[:n]
        columns = (env.environments, env.episodes, env.times, env.flows, env.first, env.rewards)
        rows += [
            (*(c[i].item() for c in columns), *seen[i].tolist()) for i in range(n) if env.episodes[i] == 0
        ]
        n = env.step(np.where(seen[:, 1] > 0, 0.9, 1.1))
    return sorted(rows)


def test_results_depend_on_neither_threads_nor_slots(many_to_one):
    scenarios = [many_to_one(5, "2 us", "300 us"), many_to_one(9, "3 us", "200 us")]
    expected = episode(scenarios, 4, threads=1)
    assert len(expected) > 300
    assert episode(scenarios, 4, threads=3) == expected
    assert episode(scenarios, 4, threads=2, slots=2) == expected


def test_the_arrays_are_those_of_the_caller(many_to_one):
    mine = np.full((8, 4), 7, np.float32)
    env = BatchEnv(many_to_one(4, "2 us", "1 ms"), 2, slots=4, out={"observations": mine})
    n = env.reset(1)
    assert env.observations is mine
    assert (mine[:n] != 7).any()
    assert env.rewards[:n].tolist() == [0] * n
    assert env.first[:n].tolist() == [1] * n
    for out in ({"observations": np.zeros((8, 4))}, {"observations": np.zeros((8, 8), np.float32)[:, ::2]},
                {"observations": np.zeros((8, 5), np.float32)}, {"rewards": np.zeros(7, np.float32)}, {"obs": mine}):
        with pytest.raises(weir.InputError):
            BatchEnv(many_to_one(4, "2 us", "1 ms"), 2, slots=4, out=out).reset(1)


def test_what_flows_have_seen_is_told(many_to_one):
    """What BatchEnv tells is what the agents of parallel_env are told, and it suffices for a reward of one's own."""
    pytest.importorskip("pettingzoo")
    from weir.gym import parallel_env

    scenario = many_to_one(5, "2 us", "1 ms", "network.ecn={enabled=true, k_min='1 KB', k_max='2 KB'}")
    names = ("interval_ps", "rtt_ps", "base_rtt_ps", "rate", "sent_packets", "marked_packets", "lost_packets", "acknowledged_bytes")
    agents = parallel_env(scenario)
    _, infos = agents.reset(seed=4)
    env = BatchEnv(scenario)
    n = env.reset(4)
    marked = acknowledged = 0
    for _ in range(30):
        told = sorted((agent, *(info[name] for name in names)) for agent, info in infos.items() if info["ready"])
        seen = sorted((f"flow_{env.flows[i]}", *(getattr(env, name)[i].item() for name in names)) for i in range(n))
        assert [row[0] for row in seen] == [row[0] for row in told]
        np.testing.assert_allclose([row[1:] for row in seen], [row[1:] for row in told], rtol=1e-6)
        marked += env.marked_packets[:n].sum()
        acknowledged += env.acknowledged_bytes[:n].sum()
        actions = {agent: np.array([0.5]) for agent in agents.agents}
        _, _, _, _, infos = agents.step(actions)
        n = env.step(np.full(n, 1.1))
    assert marked > 0 and acknowledged > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wrong_actions_are_refused_and_change_nothing(many_to_one, dtype):
    env, same = (BatchEnv(many_to_one(4, "2 us", "1 ms"), 2, threads=1) for _ in range(2))
    with pytest.raises(RuntimeError, match="reset"):
        env.step(np.ones(0, dtype))
    n = env.reset(1)
    assert same.reset(1) == n
    for wrong in (0, -1, np.nan, np.inf):
        factors = np.full(n, 1.1, dtype)
        factors[-1] = wrong
        with pytest.raises(weir.InputError) as caught:
            env.step(factors)
        assert caught.value.key == "actions"
    for size in (0, n - 1, n + 1):
        with pytest.raises(weir.InputError):
            env.step(np.ones(size, dtype))
    for shape in ((n, 1), (1, n), ()):
        with pytest.raises(weir.InputError, match="one dimension") as caught:
            env.step(np.ones(shape, dtype))
        assert caught.value.key == "actions"
    for seed in (-1, 2**53, 2**64):
        with pytest.raises(weir.InputError) as caught:
            env.reset(seed)
        assert caught.value.key == "seed"
    assert env.step(np.full(n, 1.1, dtype)) == same.step(np.full(n, 1.1, dtype))
    assert env.observations.tolist() == same.observations.tolist()


def test_other_threads_go_on_and_may_not_interfere(many_to_one):
    env = BatchEnv(many_to_one(64, "2 us", "2 ms"), 1)
    n = env.reset(1)
    refused, counts = [], []

    def step():
        try:
            env.step(np.ones(n))
        except RuntimeError as error:
            refused.append(str(error))
        except weir.InputError:
            counts.append(1)

    threads = [threading.Thread(target=step) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in text for text in refused)
    assert len(refused) + len(counts) < 8  # at least one has been taken


def test_a_policy_earns_more_than_always_faster(many_to_one):
    policy = Policy("standard")

    def mean_reward(outputs):
        env = BatchEnv(many_to_one(4, "2 us", "3 ms"), 1)
        memory = policy.start(4)
        n = env.reset(1)
        rewards = []
        while (env.episodes[:n] == 0).all():
            flows = env.flows[:n]
            state = memory[flows]
            y = outputs(env.observations[:n], state)
            memory[flows] = state
            rewards += env.rewards[:n][env.first[:n] == 0].tolist()
            n = env.step(factor(y, policy.step))
        return np.mean(rewards)

    assert mean_reward(policy.outputs) > mean_reward(lambda rows, _: np.ones(len(rows)))


def test_wrong_shapes_are_refused(many_to_one):
    for shape, key in (({"num_envs": -1}, "environments"), ({"slots": -1}, "slots"), ({"threads": 2**40}, "threads")):
        with pytest.raises(weir.InputError, match="valid is") as caught:
            BatchEnv(many_to_one(2, "2 us", "1 ms"), **shape)
        assert caught.value.key == key


def test_scenarios_are_what_a_run_takes(many_to_one):
    scenario = many_to_one(2, "2 us", "100 us")
    assert episode(scenario.to_dict(), 2) == episode([scenario, scenario.to_dict()], 2) == episode(scenario, 2)


def test_the_environments_are_listed():
    assert set(weir.gym.__all__) <= set(dir(weir.gym))
