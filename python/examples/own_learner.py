# %% [markdown]
# # A learner of one's own
#
# The reward is one like Aurora's (Jay et al., 2019): goodput less delay less losses, of what the environments tell of flows.
# The learner is the cross-entropy method: of some weights at random, the best become the mean of the next ones. Any other
# learner takes its place; its network becomes a policy of Weir in the end. Each `# %%` is a cell.

# %%
import numpy as np
import weir
from numpy.typing import NDArray
from weir.gym import BatchEnv, Settings
from weir.policy import Policy, factor

SCENARIO = weir.Scenario.from_dict(
    {
        "topology": {"kind": "star", "hosts": 9, "rate": "100 Gbps", "delay": "1 us"},
        "network": {"buffer": {"mode": "lossy"}},
        "algorithm": {"name": "pcc_rl", "decision_latency": "1 us", "first_rate": 0.1},
        "traffic": [{"kind": "incast", "size": "1 GB", "receiver": "last"}],
        "run": {"stop": "1 ms"},
    }
)
SETTINGS: Settings = {"base_rtt": 0, "beta": 1, "target": 0.1, "scale": 4, "first_rates": (0.05, 0.5)}
FLOWS, LINE = 8, 100e9

# %% [markdown]
# **The environment.** Each of many environments tries other weights: two for the factor and the signal of the last decision,
# two for those of the decision before. An observation has the signal; the reward needs nothing of it.

# %%
CANDIDATES, BEST, GENERATIONS = 24, 6, 12
env = BatchEnv(SCENARIO, CANDIDATES, slots=FLOWS, **SETTINGS)


def returns_of(weights: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The mean reward of each candidate over the time of an episode."""
    sums, times = np.zeros(CANDIDATES), np.zeros(CANDIDATES)
    n = env.reset(seed)
    while (env.episodes[:n] == 0).any():
        of = env.environments[:n]
        goodput = env.acknowledged_bytes[:n] * 8 / (env.interval_ps[:n] * 1e-12) / LINE
        delay = env.rtt_ps[:n] / env.base_rtt_ps[:n] - 1
        reward = 10 * FLOWS * goodput - 5 * delay - 20 * env.lost_packets[:n]
        counted = (env.first[:n] == 0) & (env.episodes[:n] == 0)
        np.add.at(sums, of[counted], (reward * env.interval_ps[:n])[counted])
        np.add.at(times, of[counted], env.interval_ps[:n][counted])
        n = env.step(factor(np.tanh((env.observations[:n] * weights[of]).sum(axis=1))))
    return sums / np.maximum(times, 1)


# %% [markdown]
# **Learn.**

# %%
random = np.random.default_rng(1)
mean, spread = np.zeros(4), np.full(4, 0.3)
for generation in range(GENERATIONS):
    candidates = mean + spread * random.normal(size=(CANDIDATES, 4))
    returns = returns_of(candidates, seed=1000 * generation)
    best = candidates[np.argsort(returns)[-BEST:]]
    mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
    if generation % 4 == 3:
        print(f"generation {generation + 1}: mean return {returns.mean():.2f}, best {returns.max():.2f}")

# %% [markdown]
# **A policy of Weir.** The network has one layer. A scenario takes it as it takes any policy.

# %%
policy = Policy.from_layers([(mean[None], "none")], provenance={"learner": "cross-entropy method"}, **SETTINGS)
policy.save("own.toml")
run = weir.Simulation(SCENARIO, {"algorithm.policy": "./own.toml"})
queues: list[int] = []
run.every("10 us", lambda now: queues.append(int(run.queues().max())) if now > 500_000_000 else None)
run.advance("500 us")
before = run.flows()["acked_bytes"].sum()
run.advance()
flows = run.flows()
goodput = (flows["acked_bytes"].sum() - before) * 8 / 500e-6
rates = flows["rate_bps"]
print(f"{policy}: goodput {goodput * 1e-9:.1f} Gb/s, mean queue {np.mean(queues) / 1e3:.1f} KB")
print(f"rates from {rates.min() * 1e-9:.1f} to {rates.max() * 1e-9:.1f} Gb/s")
