# %% [markdown]
# # From a training to a result
#
# A policy of `pcc_rl` is trained, validated, made small, run beside HPCC, and reported; docs/guides/learning.md explains
# what it is and what it learns from. It takes less than a minute. Each `# %%` is a cell: editors such as VS Code and Spyder
# run them one by one, and jupytext makes a notebook of them.

# %%
import pathlib
import shutil
import subprocess

import numpy as np
import weir
import weir.learn

# %% [markdown]
# **Train.** The curriculum is what `weir train` reads, as a dictionary: 2, 4 and 8 flows share the link to one host. The
# files are the same as those of the command.

# %%
STAR = {"topology": {"rate": "100 Gbps", "delay": "2 us"}}
CURRICULUM = {
    "title": "an example",
    "learner": {
        "seed": 14,
        "updates": 400,
        "final_learning_rate": 0.0001,
        "horizon": 4,
        "delay": 3,
        "reward": 1.5,
        "signal_clip": 2,
        "rollout": 32,
    },
    "scenario": STAR,
    "validation": {"flows": [3, 16, 128], "every": 40, "duration": "20 ms", "measured": 0.2},
    "environment": [{"flows": 2}, {"flows": 4}, {"flows": 8}],
}


def tell(update: weir.learn.Update) -> None:
    if update.score is not None:
        print(f"update {update.update:3}: loss {update.loss:.3f}, fairness {update.fairness:.2f}, score {update.score:.3f}")


training = weir.learn.train(CURRICULUM, "agent", progress=tell)
assert training.policy is not None
print(f"best after update {training.update}: {training.policy}")

# %% [markdown]
# **Validate.** What does the policy do with numbers of flows that it has not seen, and in networks that it was not trained
# for? Twice the delay is too much for a signal with a fixed base round trip; `wide` measures its own.

# %%
FAR = {**CURRICULUM, "scenario": {"topology": {"rate": "100 Gbps", "delay": "4 us"}}}


def show(title: str, table: weir.Table) -> None:
    print(title)
    for flows, used, jain, queue, expected in zip(
        *(table[name] for name in ("flows", "utilisation", "jain", "queue_ps", "expected_queue_ps")), strict=True
    ):
        print(
            f"{flows:5} flows: {used:6.1%} of the link, Jain {jain:.3f}, queue {queue * 1e-6:.1f} us, "
            f"expected {expected * 1e-6:.1f} us"
        )


show("links of 2 us", training.validation)
show("links of 4 us", weir.learn.validate(training.policy, FAR))
show("links of 4 us, wide", weir.learn.validate("wide", FAR))

# %% [markdown]
# **Make it small.** int8 weights, with the units of what goes in from the training's own inputs. What do both decide for
# these inputs?

# %%
training.policy.save("agent.toml")
small = training.policy.quantised(training.inputs)
inputs = np.loadtxt(pathlib.Path("agent", "inputs.csv"), delimiter=",", skiprows=1)[:, 1:]
outputs = [policy.outputs(inputs, policy.start(len(inputs))) for policy in (training.policy, small)]
print(f"outputs differ by {np.abs(outputs[0] - outputs[1]).max():.4f} at most, {small}")
small.save("agent-int8.toml")

# %% [markdown]
# **Run** both in a scenario that names their files: eight hosts send to a ninth without an end.

# %%
SCENARIO = {
    "topology": {"kind": "star", "hosts": 9, "rate": "100 Gbps", "delay": "2 us"},
    "network": {"buffer": {"mode": "lossy"}},
    "traffic": [{"kind": "incast", "size": "1 GB", "receiver": "last"}],
    "probes": {"queues": {"series": True, "interval": "10 us"}, "rates": {"interval": "100 us"}},
    "run": {"stop": "10 ms"},
}
runs = {
    name: weir.run({**SCENARIO, "algorithm": algorithm, "title": name}, out=f"run-{name}")
    for name, algorithm in {
        "policy": {"name": "pcc_rl", "policy": "./agent.toml"},
        "int8": {"name": "pcc_rl", "policy": "./agent-int8.toml"},
        "hpcc": {"name": "hpcc"},
    }.items()
}

# %% [markdown]
# **Report.** A table of the last five milliseconds, and where the command `weir` is, a page with figures of the training and
# of all runs.

# %%
print("| run | mean queue, us | longest queue, us | Jain's index |\n|---|---|---|---|")
for name, run in runs.items():
    queues, rates = run["queues"], run["rates"]
    seen = (queues["time_ps"] > 5e9) & (queues["to"] == 8)  # at the receiver
    queue = queues["queue_bytes"][seen] * 8 / 100e3
    late = rates["time_ps"] > 5e9
    mean = np.array([rates["rate_bps"][late & (rates["flow_id"] == flow)].mean() for flow in range(8)])
    print(f"| {name} | {queue.mean():.1f} | {queue.max():.1f} | {mean.sum() ** 2 / 8 / (mean**2).sum():.3f} |")
command = shutil.which("weir")
if command is not None:
    subprocess.run([command, "report", "agent", *(f"run-{name}" for name in runs), "--out", "report.html"], check=True)
