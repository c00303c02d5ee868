"""FlowEnv: one flow of a scenario as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any, Unpack

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _weir
from .._values import Source, Values, file_name, scenario_of
from ._settings import (
    RENDER_MODES,
    Settings,
    action_space,
    checked_render_mode,
    checked_seed,
    checked_step,
    factor_of,
    fresh_seed,
    line_of,
    observation_space,
    whole_number,
)


class FlowEnv(gymnasium.Env[NDArray[np.float32], ArrayLike]):
    """One flow decides about its rate whenever its probe returns; the scenario's other flows go on as they do.

    An episode ends with the flow (terminated) or at the scenario's run.stop (truncated).

    scenario    as for weir.run(), with a profile of the algorithm pcc_rl
    flow        which flow of the profiles decided from outside, in the order in which they start
    others      the policy that decides for the rest of these flows, a file or one that comes with Weir; "": the
                scenario's
    step        how far an action of 1 or -1 changes the rate: times 1 + step, or divided by it
    overrides   replace what the scenario says, as `values` of weir.run()
    render_mode None, or "ansi": render() gives a line of text
    settings    of observations and rewards, as docs/guides/python.md has them

    `info` has the time in picoseconds, `time_ps`, and what the flow has seen since its decision before:

    interval_ps            the time since then, or since the flow's start
    rtt_ps, base_rtt_ps    the round trip of the probe, and that of the empty path
    rate                   of the flow, as a share of its line rate, 0 to 1
    sent_packets           data packets that it has sent,
    marked_packets         of which so many were reported as marked,
    lost_packets           and so many losses
    acknowledged_bytes     payload that was acknowledged

    gymnasium.make("weir/Flow-v0", scenario=...) makes one, too, once this module is imported; gymnasium.make_vec() makes a
    VectorEnv.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(
        self,
        scenario: Source,
        flow: int = 0,
        others: str = "",
        *,
        step: float = 0.2,
        overrides: Values = (),
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self.settings = _weir.settings(**settings)
        self._step = checked_step(step)
        self.render_mode = checked_render_mode(render_mode)
        self.observation_space = observation_space(self.settings)
        self.action_space = action_space()
        self._flow = whole_number(flow, "flow", 2**32 - 1)
        self._inner = _weir.TurnEnvironment(
            scenario_of(scenario, overrides), self.settings, single=self._flow, others=file_name(others)
        )
        self._last = np.zeros(self.settings.width, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        self._inner.reset(fresh_seed(self.np_random) if seed is None else seed)
        self._inner.require_question()
        self._last = self._inner.observation
        return self._last, self._info()

    def step(self, action: ArrayLike) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        self._inner.step(factor_of(action, self._step))
        if self._inner.has_ended:
            terminated = self._inner.single_has_ended
            return self._last, 0.0, terminated, not terminated, self._info()
        self._last = self._inner.observation
        return self._last, float(self._inner.reward), False, False, self._info()

    def render(self) -> str | None:
        return line_of(f"flow {self._flow}", self._info()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        self._inner.close()

    def _info(self) -> dict[str, Any]:
        return {"time_ps": self._inner.time_ps, **self._inner.seen}


gymnasium.register(id="weir/Flow-v0", entry_point="weir.gym:FlowEnv", vector_entry_point="weir.gym:VectorEnv")
