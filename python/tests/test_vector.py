import numpy as np
import pytest
import weir

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from weir.gym import FlowEnv, VectorEnv  # noqa: E402

SEEN = ("time_ps", "interval_ps", "rtt_ps", "base_rtt_ps", "rate", "sent_packets", "marked_packets", "lost_packets",
        "acknowledged_bytes")


def chosen(observations):
    return np.where(observations[:, 1:2] > 0, -0.5, 0.5).astype(np.float32)


def test_it_is_a_vector_environment_of_gymnasium(many_to_one):
    env = VectorEnv(many_to_one(3, "0 us", "200 us"), 4, threads=2)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert (env.num_envs, env.single_action_space.shape, env.action_space.shape) == (4, (1,), (4, 1))
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert set(infos) == {*SEEN, *(f"_{name}" for name in SEEN)}
    observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
    assert env.observation_space.contains(observations)
    assert rewards.shape == (4,) and terminated.dtype == truncated.dtype == bool
    env.close()


@pytest.mark.parametrize("rest", [("200 us",), ("10 ms", "traffic.0.size=100 KB")])
def test_it_gives_what_gymnasiums_own_gives_of_single_environments(many_to_one, rest):
    """Until the first of them ends: the seeds of later episodes are drawn differently."""
    scenario = many_to_one(4, "0 us", *rest)
    mine = VectorEnv(scenario, 3, threads=2)
    other = SyncVectorEnv([lambda: FlowEnv(scenario)] * 3, autoreset_mode=AutoresetMode.NEXT_STEP)
    (seen, infos), (expected, other_infos) = mine.reset(seed=5), other.reset(seed=5)
    steps = 0
    while True:
        assert seen.tolist() == expected.tolist()
        assert {name: infos[name].tolist() for name in SEEN} == {name: other_infos[name].tolist() for name in SEEN}
        seen, rewards, terminated, truncated, infos = mine.step(chosen(seen))
        expected, *others, other_infos = other.step(chosen(expected))
        assert [one.tolist() for one in (rewards, terminated, truncated)] == [one.tolist() for one in others]
        steps += 1
        if (terminated | truncated).any():
            break
    assert steps > 5
    assert terminated.any() == (len(rest) == 2)


def test_an_episode_that_has_ended_begins_again_with_the_next_step(many_to_one):
    env = VectorEnv(many_to_one(2, "0 us", "100 us"), 2)
    seen, _ = env.reset(seed=1)
    while True:
        seen, _, terminated, truncated, infos = env.step(chosen(seen))
        ended = terminated | truncated
        assert (infos["_rtt_ps"] == ~ended).all()
        if ended.any():
            break
    # The action of one that begins is ignored, whatever it is.
    seen, rewards, terminated, truncated, infos = env.step(np.where(ended[:, None], np.nan, 0.0))
    assert not (terminated | truncated)[ended].any()
    assert rewards[ended].tolist() == [0] * ended.sum()
    assert (infos["time_ps"][ended] < 50_000_000).all()


def test_the_number_of_threads_changes_nothing(many_to_one):
    def course(threads):
        env = VectorEnv(many_to_one(4, "2 us", "100 us"), 5, threads=threads)
        seen, _ = env.reset(seed=3)
        out = []
        for _ in range(60):
            seen, rewards, terminated, truncated, infos = env.step(chosen(seen))
            out.append([one.tolist() for one in (seen, rewards, terminated, truncated, infos["time_ps"])])
        return out

    assert course(1) == course(3)


def test_what_flows_see_is_told(many_to_one):
    ecn = ["network.ecn={enabled=true, k_min='1 KB', k_max='2 KB'}"]
    marked, info = 0, None
    env = FlowEnv(many_to_one(8, "0 us", "500 us", *ecn))
    env.reset(seed=1)
    before = 0
    for _ in range(30):
        _, _, terminated, truncated, info = env.step([0.5])
        if terminated or truncated:
            break
        assert before in (0, info["time_ps"] - info["interval_ps"])
        before = info["time_ps"]
        assert info["acknowledged_bytes"] > 0
        assert info["rtt_ps"] >= info["base_rtt_ps"] > 0 and 0 < info["rate"] <= 1
        assert info["sent_packets"] >= info["marked_packets"] >= 0
        marked += info["marked_packets"]
    assert set(SEEN) == set(info)
    assert marked > 0


def test_wrappers_of_gymnasium_take_it(many_to_one):
    """What programs like those of CleanRL put around a vector environment."""
    from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics, TransformReward

    inner = VectorEnv(many_to_one(2, "0 us", "100 us"), 3, threads=2)
    env = TransformReward(NormalizeObservation(RecordEpisodeStatistics(inner)), lambda reward: 2 * reward)
    plain = VectorEnv(many_to_one(2, "0 us", "100 us"), 3)
    env.reset(seed=1)
    plain.reset(seed=1)
    returns, lengths = np.zeros(3), 0
    while True:
        actions = np.full((3, 1), 0.25)
        _, rewards, terminated, truncated, infos = env.step(actions)
        _, expected, *_ = plain.step(actions)
        assert rewards.tolist() == (2 * expected).tolist()
        returns += expected
        lengths += 1
        if (terminated | truncated).any():
            break
    ended = infos["_episode"]
    np.testing.assert_allclose(infos["episode"]["r"][ended], returns[ended])
    assert (infos["episode"]["l"][ended] == lengths).all()


def test_lines_of_text_are_rendered(many_to_one):
    env = VectorEnv(many_to_one(2, "0 us", "20 us"), 2, render_mode="ansi")
    env.reset(seed=1)
    while True:
        lines = env.render()
        assert [line[:13] for line in lines] == ["environment 0", "environment 1"]
        _, _, terminated, truncated, _ = env.step(np.zeros((2, 1)))
        if (terminated | truncated).all():
            break
    assert all("has ended" in line for line in env.render())
    assert VectorEnv(many_to_one(2, "0 us", "20 us"), 2).render() is None


def test_gymnasium_makes_one(many_to_one):
    env = gymnasium.make_vec("weir/Flow-v0", num_envs=2, vectorization_mode="vector_entry_point",
                             scenario=many_to_one(2, "0 us", "100 us"))
    assert env.unwrapped.__class__ is VectorEnv
    assert env.reset(seed=1)[0].shape == (2, 4)


def test_what_cannot_be_used_is_refused_and_changes_nothing(many_to_one):
    scenario = many_to_one(2, "0 us", "100 us")
    for wrong, key in (({"num_envs": 0}, "environments"), ({"num_envs": 1.5}, "num_envs"), ({"threads": -1}, "threads"),
                       ({"flow": -1}, "flow"), ({"step": 2}, "step"), ({"render_mode": "human"}, "render_mode")):
        with pytest.raises(weir.InputError) as caught:
            VectorEnv(scenario, **wrong)
        assert caught.value.key == key
    with pytest.raises(weir.InputError, match="there is no flow 9") as caught:
        VectorEnv(scenario, 2, flow=9).reset(seed=1)
    assert caught.value.key == "flow"
    env, same = VectorEnv(scenario, 2), VectorEnv(scenario, 2)
    assert env.reset(seed=7)[0].tolist() == same.reset(seed=[7, 8])[0].tolist()
    for wrong in ([2.0, 0.0], [[2.0], [0.0]], [[np.nan], [0.0]], [[0.0]]):
        with pytest.raises(weir.InputError) as caught:
            env.step(np.array(wrong))
        assert caught.value.key == "action"
    for seed in (-1, 2**53, [1], [1, -1]):
        with pytest.raises(weir.InputError) as caught:
            env.reset(seed=seed)
        assert caught.value.key == "seed"
    actions = np.full((2, 1), 0.5)
    assert str(env.step(actions)) == str(same.step(actions))
