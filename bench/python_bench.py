"""Measures the environments of the package weir: decisions a second, and what a decision costs besides simulation.

    python bench/python_bench.py [REPEATS]

Each figure is the best of REPEATS (5), of processor time. Run it on a machine that does nothing else.
"""

import sys
import time

import numpy as np
import weir
from weir.gym import BatchEnv


def scenario(hosts, flows, latency, stop, *more):
    """So many flows of so many hosts to one more by a switch, links of 100 Gb/s, packets of 1 KB."""
    return weir.Scenario.from_values(
        [
            "topology.kind=star",
            f"topology.hosts={hosts + 1}",
            "topology.rate=100 Gbps",
            "topology.delay=1 us",
            "network.buffer.mode=lossy",
            "transport.payload=1 KB",
            "transport.min_rto=200 us",  # a flow has a timer's entry for each decision of that long
            "algorithm.name=pcc_rl",
            f"algorithm.decision_latency={latency}",
            f"algorithm.first_rate={1 / flows}",
            f"traffic=[{{kind='incast', size='1 GB', receiver='last', flows={flows}}}]",
            f"run.stop={stop}",
            *more,
        ]
    )


def trivial(env, n):
    return np.where(env.observations[:n, 1] > 0, 0.98, 1.02)


def decisions_per_second(hosts, flows, envs, latency, decisions):
    """A trivial policy of NumPy, one thread: decisions per second of processor time of all of it, and those of a call."""
    env = BatchEnv(scenario(hosts, flows, latency, "1 s"), envs, threads=1)
    n = env.reset(1)
    warm = 0
    while warm < 50_000:
        warm += n
        n = env.step(trivial(env, n))
    begin, done, calls = time.process_time(), 0, 0
    while done < decisions:
        done += n
        calls += 1
        n = env.step(trivial(env, n))
    return done / (time.process_time() - begin), done / calls


def crossing(rows, decide):
    """Nanoseconds per decision of calls in which nothing is simulated: their window has more questions than a call gives
    out. The median of the calls, of wall time, since a look at the clock of a thread takes as long as a call."""
    window = 500_000_000  # picoseconds
    clock = time.perf_counter_ns
    env = BatchEnv(scenario(64, 2048, "500 us", "1 s"), 1, slots=rows, threads=1)
    step = env.step
    costs = []
    n = env.reset(1)
    last = env.times[n - 1]
    while len(costs) < 400:
        begin = clock()
        m = step(decide(env, n))
        end = clock()
        if n == m == rows and env.times[0] // window == last // window:
            costs.append((end - begin) / rows)
        n, last = m, env.times[m - 1]
    return float(np.median(costs))


def steps_per_second(envs, steps):
    """VectorEnv, one of two flows in each environment, one thread: decisions a second of processor time."""
    from weir.gym import VectorEnv

    env = VectorEnv(scenario(2, 2, "0 us", "1 s"), envs, threads=1)
    observations, _ = env.reset(seed=1)
    begin = time.process_time()
    for _ in range(steps):
        observations, _, _, _, _ = env.step(np.where(observations[:, 1:2] > 0, -0.1, 0.1))
    seconds = time.process_time() - begin
    env.close()
    return steps * envs / seconds


def turns_per_second(senders, turns, latency="0 us"):
    """aec_env and its loop: decisions a second of processor time."""
    from weir.gym import aec_env

    env = aec_env(scenario(senders, senders, latency, "1 s"))
    env.reset(seed=1)
    up, down = np.array([0.1]), np.array([-0.1])
    begin, done = time.process_time(), 0
    for agent in env.agent_iter(turns):
        observation, _, _, _, _ = env.last()
        env.step(down if observation[1] > 0 else up)
        done += 1
    seconds = time.process_time() - begin
    env.close()
    return done / seconds


def handover(senders, turns):
    """The same without PettingZoo: what stopping at each question costs."""
    from weir import _weir

    env = _weir.TurnEnvironment(scenario(senders, senders, "0 us", "1 s"), _weir.settings())
    env.reset(1)
    step = env.step
    begin = time.process_time()
    for _ in range(turns):
        step(1.0)
    seconds = time.process_time() - begin
    env.close()
    return turns / seconds


def best(repeats, measure, *arguments, least=False):
    values = [measure(*arguments) for _ in range(repeats)]
    return min(values) if least else max(values)


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for hosts, flows, envs, latency in (
        (64, 1024, 1, "20 us"),
        (64, 1024, 1, "2 us"),
        (64, 1024, 8, "20 us"),
        (1024, 1024, 1, "20 us"),
        (8, 8, 32, "2 us"),
    ):
        rate, rows = best(repeats, decisions_per_second, hosts, flows, envs, latency, 100_000)
        print(
            f"{envs:3} x {flows} flows of {hosts} hosts, latency {latency}: {rate / 1e6:.3f} M decisions a second and "
            f"core, {rows:.0f} a call"
        )
    ones = np.ones(1024, np.float32)
    for rows in (64, 256, 512):
        plain = best(repeats, crossing, rows, lambda env, n: ones[:n], least=True)
        policy = best(repeats, crossing, rows, trivial, least=True)
        print(f"{rows:5} decisions a call: {plain:.1f} ns each, {policy:.1f} ns with a policy of NumPy")
    for envs in (16, 256):
        rate = best(repeats, steps_per_second, envs, 200)
        print(f"{envs:5} environments of VectorEnv: {rate:,.0f} decisions a second")
    for senders in (8, 1024):
        pettingzoo = best(repeats, turns_per_second, senders, 5_000)
        alone = best(repeats, handover, senders, 5_000)
        print(f"{senders:5} flows in turn: {pettingzoo:,.0f} decisions a second, {alone:,.0f} without PettingZoo")


if __name__ == "__main__":
    main()
