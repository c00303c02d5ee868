# %% [markdown]
# # First steps
#
# Eight hosts send 100 KB each to a ninth, all at once. How long do the flows take, and where does the queue come from?
# Each `# %%` is a cell: editors such as VS Code and Spyder run them one by one, and jupytext makes a notebook of them.

# %%
import weir

scenario = weir.Scenario.from_dict(
    {
        "topology": {"kind": "star", "hosts": 9, "rate": "100 Gbps", "delay": "1 us"},
        "algorithm": {"name": "hpcc"},
        "traffic": [{"kind": "incast", "size": "100 KB", "receiver": "last"}],
        "probes": {"queues": {"series": True, "interval": "1 us"}},
        "run": {"stop": "2 ms"},
    }
)
result = weir.run(scenario)
print(result)

# %% [markdown]
# A table's columns are NumPy arrays on the table's own memory.

# %%
flows = result.flows
print(f"slowest of {len(flows)} flows: {flows['fct_ps'].max() * 1e-6:.1f} us, {flows['slowdown'].max():.2f} x ideal")

# %% [markdown]
# pandas and polars take tables as they are.

# %%
queues = result["queues"].to_pandas()
longest = queues.loc[queues["queue_bytes"].idxmax()]
print(f"longest queue: {longest['queue_bytes'] / 1e3:.0f} KB at {longest['time_ps'] * 1e-6:.0f} us in port {longest['port']}")
print(result.flows.to_polars().select("flow_id", "src", "fct_ps", "slowdown"))

# %% [markdown]
# What would be fair? Eight flows share the last link; theory needs no packets.

# %%
print(weir.theory.max_min([100e9], [[0]] * 8).rates)

# %% [markdown]
# A run can be stepped and steered. Here a ninth flow comes to the others, and a copy of the run shows what
# would have been without it.

# %%
run = weir.Simulation(scenario)
run.advance("20 us")
without = run.fork()
late = run.send(0, 7, "1 MB")
run.advance()
without.advance()
print(run)
print(f"{len(run.finish().flows)} flows, and {len(without.finish().flows)} without the late one")

# %% [markdown]
# An algorithm of one's own, in Python: slow, but enough to try an idea.


# %%
@weir.add_algorithm
class Steady(weir.Algorithm):
    """Every flow keeps a fixed share of its line rate."""

    name = "steady"
    share = weir.parameter(0.125, "of the line rate", least=0.001, most=1)

    def start(self, control: weir.Control) -> None:
        control.rate_bps = self.share * self.flow.line_rate_bps

    def on_ack(self, ack: weir.Ack, control: weir.Control) -> None:
        pass


steady = weir.run(scenario, {"algorithm.name": "steady"})
print(f"longest queue: {steady['queues']['queue_bytes'].max()} B instead of {result['queues']['queue_bytes'].max()} B")

# %% [markdown]
# The catalogue has help texts for all that a scenario can name.

# %%
print(weir.catalogue()["algorithms"]["hpcc"])
