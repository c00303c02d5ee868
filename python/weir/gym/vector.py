"""VectorEnv: many environments of one flow each as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as Base
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from .. import _weir
from .._errors import InputError
from .._values import Source, Values, file_name, scenario_of
from ..policy import factor
from ._settings import (
    RENDER_MODES,
    Settings,
    action_space,
    checked_render_mode,
    checked_seed,
    checked_step,
    fresh_seed,
    line_of,
    observation_space,
    whole_number,
)


class VectorEnv(Base[NDArray[np.float32], ArrayLike, NDArray[Any]]):
    """Many FlowEnv of one scenario, with other seeds, that are stepped in one call on several threads.

    It is a gymnasium.vector.VectorEnv. An environment whose episode has ended begins the next one with the following call of
    step(), which ignores its action (AutoresetMode.NEXT_STEP). `infos` are arrays of what FlowEnv's has, with masks as
    Gymnasium has them: infos["rtt_ps"][i] is of use where infos["_rtt_ps"][i] is true.

    num_envs    1 to 65,536
    threads     0: one for each processor; how many there are changes nothing
    scenario, flow, others, step, overrides, render_mode, settings: as of FlowEnv
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        scenario: Source,
        num_envs: int = 1,
        flow: int = 0,
        others: str = "",
        *,
        step: float = 0.2,
        threads: int = 0,
        overrides: Values = (),
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self.settings = _weir.settings(**settings)
        self._step = checked_step(step)
        self._inner = _weir.TurnEnvironments(
            scenario_of(scenario, overrides), self.settings, whole_number(num_envs, "num_envs", 65536),
            whole_number(flow, "flow", 2**32 - 1), file_name(others), whole_number(threads, "threads", 1024)
        )
        self.num_envs = num_envs
        self.threads = self._inner.threads
        self.render_mode = checked_render_mode(render_mode)
        self.single_observation_space = observation_space(self.settings)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode in all. `seed` is the run.seed of the first environment, and the others have the seeds after
        it; or there is a list of one seed, or None, for each."""
        if seed is None or isinstance(seed, (int, np.integer)):
            first = None if seed is None else checked_seed(seed)
            super().reset(seed=first)
            seeds = [None if first is None else checked_seed(first + i) for i in range(self.num_envs)]
        else:
            seeds = [None if one is None else checked_seed(one) for one in seed]
            if len(seeds) != self.num_envs:
                raise InputError(f"seed has {len(seeds)} seeds; valid is one for each of {self.num_envs}", key="seed")
        drawn = [fresh_seed(self.np_random) if one is None else one for one in seeds]
        self._inner.go_on(drawn, [1.0] * self.num_envs)
        return self._inner.observations, self._infos(np.ones(self.num_envs, bool))

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        began = self._inner.has_ended
        factors = self._factors(actions, began)
        seeds = [fresh_seed(self.np_random) if one else None for one in began]
        self._inner.go_on(seeds, factors.tolist())
        ended, terminated = self._inner.has_ended, self._inner.single_has_ended
        return (self._inner.observations, self._inner.rewards, ended & terminated, ended & ~terminated,
                self._infos(~ended))

    def render(self) -> tuple[str, ...] | None:
        if self.render_mode != "ansi":
            return None
        infos, ended = self._infos(~self._inner.has_ended), self._inner.has_ended
        return tuple(
            f"environment {i}: the episode has ended"
            if ended[i]
            else line_of(f"environment {i}", {name: values[i] for name, values in infos.items()})
            for i in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        self._inner.close()

    # Of those that begin an episode the action does not count.
    def _factors(self, actions: ArrayLike, began: NDArray[np.bool_]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = np.asarray(actions, np.float64)
        if values.shape != (self.num_envs, 1):
            raise InputError(f"actions have the shape {values.shape}; valid is {(self.num_envs, 1)}", key="action")
        values = np.where(began, 0.0, values[:, 0])
        if not (np.abs(values) <= 1).all():
            wrong = values[~(np.abs(values) <= 1)][0]
            raise InputError(f"action is {wrong}; valid is a number in [-1, 1]", key="action")
        return factor(values, self._step)

    def _infos(self, there: NDArray[np.bool_]) -> dict[str, Any]:
        found: dict[str, Any] = {"time_ps": self._inner.time_ps, **self._inner.seen}
        return found | {f"_{name}": there.copy() for name in found}
