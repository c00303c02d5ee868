"""BatchEnv: thousands of flows in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from .. import _weir
from .._errors import InputError
from .._values import Source, Values, scenario_of
from ._settings import Settings, checked_seed

_COLUMNS: dict[str, type[np.generic]] = {
    "observations": np.float32,
    "rewards": np.float32,
    "flows": np.int64,
    "environments": np.int32,
    "episodes": np.int32,
    "times": np.int64,
    "first": np.uint8,
    "interval_ps": np.int64,
    "rtt_ps": np.int64,
    "base_rtt_ps": np.int64,
    "rate": np.float32,
    "sent_packets": np.int32,
    "marked_packets": np.int32,
    "lost_packets": np.int32,
    "acknowledged_bytes": np.int64,
}


class BatchEnv:
    """Many environments, in each of which many flows are decided from outside, on several threads.

    reset() and step() return n, the number of flows that want a decision, and write them into the first n rows of

    observations   float32, width columns: docs/guides/python.md says what they are
    rewards        float32, of the flow's decision before; 0 for its first question
    flows          int64, the flow's id in its environment and episode
    environments   int32
    episodes       int32, of the environment, from 0
    times          int64, when the flow's probe returned, in picoseconds of the episode
    first          uint8, 1 for a flow's first question

    and what the flow has seen since its decision before, as `info` of FlowEnv has it, into

    interval_ps, rtt_ps, base_rtt_ps, acknowledged_bytes   int64
    sent_packets, marked_packets, lost_packets             int32
    rate                                                   float32

    step() takes n factors for the rates. Results do not depend on `threads` or `slots`. An environment whose run has
    ended begins its next episode in the same call. Other threads of the program go on while it simulates.

    Many flows of an environment may ask at once, or none, so that this has no spaces of Gymnasium; VectorEnv has, with one
    flow in each environment.

    scenarios   as for weir.run(), or a list of such; environment i has the one of number i modulo the
                length. algorithm.decision_latency must be above 0
    slots       rows for each environment at a time; 0: as many as the first scenario has flows, up to 4096
    threads     0: one for each processor
    out         the caller's arrays, by the names above, C-contiguous, with num_envs * slots rows each; what is missing
                is made here
    overrides   replace what the scenarios say, as `values` of weir.run()
    settings    as docs/guides/python.md has them
    """

    observations: NDArray[np.float32]
    rewards: NDArray[np.float32]
    flows: NDArray[np.int64]
    environments: NDArray[np.int32]
    episodes: NDArray[np.int32]
    times: NDArray[np.int64]
    first: NDArray[np.uint8]
    interval_ps: NDArray[np.int64]
    rtt_ps: NDArray[np.int64]
    base_rtt_ps: NDArray[np.int64]
    rate: NDArray[np.float32]
    sent_packets: NDArray[np.int32]
    marked_packets: NDArray[np.int32]
    lost_packets: NDArray[np.int32]
    acknowledged_bytes: NDArray[np.int64]

    def __init__(
        self,
        scenarios: Source | list[Source] | tuple[Source, ...],
        num_envs: int = 1,
        *,
        slots: int = 0,
        threads: int = 0,
        overrides: Values = (),
        out: Mapping[str, NDArray[Any]] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        if not isinstance(scenarios, (list, tuple)):
            scenarios = [scenarios]
        self.settings = _weir.settings(**settings)
        self._inner = _weir.VectorEnvironment(
            [scenario_of(s, overrides) for s in scenarios], self.settings, num_envs, slots, threads
        )
        self.num_envs = num_envs
        self.slots = self._inner.slots
        self.capacity = self._inner.capacity
        self.width = self._inner.width
        self.threads = self._inner.threads
        unknown = set(out or ()) - set(_COLUMNS)
        if unknown:
            raise InputError(f"out has no array {sorted(unknown)[0]!r}; valid is {', '.join(_COLUMNS)}", key="out")
        arrays: dict[str, Any] = {}
        for name, dtype in _COLUMNS.items():
            shape = (self.capacity, self.width) if name == "observations" else (self.capacity,)
            array = np.zeros(shape, dtype) if out is None or name not in out else out[name]
            if array.dtype != dtype or array.ndim != len(shape) or not array.flags.c_contiguous:
                raise InputError(
                    f"{name}: valid is a C-contiguous array of {np.dtype(dtype).name} with {len(shape)} dimensions",
                    key=name,
                )
            arrays[name] = array
            setattr(self, name, array)
        self._inner.use(**arrays)
        self.step = self._inner.step  # without a Python function between

    def reset(self, seed: int = 0) -> int:
        """Begins episode 0 of all. Episode k of environment i has run.seed = seed + i + num_envs * k."""
        return self._inner.reset(checked_seed(seed))
