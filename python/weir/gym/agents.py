"""Flows as agents of PettingZoo, in turn (aec_env) and in parallel (parallel_env). Agents are flow_0, flow_1, ... in the
order in which the flows start; an agent is there from its flow's start to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import ArrayLike, NDArray
from pettingzoo import AECEnv, ParallelEnv

from .. import _weir
from .._errors import InputError
from .._values import Source, Values, scenario_of
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
)

Observation = NDArray[np.float32]
Info = dict[str, Any]


class _Agents:
    """What both have in common: names, spaces and seeds."""

    possible_agents: list[str]
    agents: list[str]

    def _prepare(self, settings: _weir.Settings, count: int, render_mode: str | None) -> None:
        if count == 0:
            raise InputError("the scenario's traffic has no flow that is decided from outside")
        self.possible_agents = [f"flow_{k}" for k in range(count)]
        self.observation_spaces = {a: observation_space(settings) for a in self.possible_agents}
        self.action_spaces = {a: action_space() for a in self.possible_agents}
        self.agents = []
        self.render_mode = checked_render_mode(render_mode)
        self._seen: dict[str, Info] = {}  # of each agent, when it asked last
        self._nothing = np.zeros(settings.width, np.float32)  # the observation of a flow that has not asked yet
        self._random, _ = seeding.np_random(None)

    def observation_space(self, agent: str) -> spaces.Box[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Box[Any]:
        return self.action_spaces[agent]

    def _seed(self, seed: int | None) -> int:
        if seed is None:
            return fresh_seed(self._random)
        seed = checked_seed(seed)
        self._random, _ = seeding.np_random(seed)
        return seed

    def _name(self, number: int) -> str:
        if number >= len(self.possible_agents):
            raise InputError(
                f"with this seed more flows start than the scenario's own seed has, {len(self.possible_agents)}; "
                "give max_flows",
                key="max_flows",
            )
        return self.possible_agents[number]

    def render(self) -> str | None:
        if self.render_mode != "ansi":
            return None
        return "\n".join(line_of(agent, self._seen.get(agent, {})) for agent in self.agents)


class aec_env(_Agents, AECEnv[str, Observation, ArrayLike | None]):  # type: ignore[misc]
    """The flow whose probe has returned is the agent; its action takes effect at the same instant.

    With a decision_latency above 0 it takes effect that much later. Episodes end with the run.

    scenario    as for weir.run()
    max_flows   agents that are possible; None: as many as the scenario has flows with its own seed
    step        how far an action of 1 or -1 changes the rate: times 1 + step, or divided by it
    overrides   replace what the scenario says, as `values` of weir.run()
    render_mode None, or "ansi": render() gives a line of text for each agent
    settings    of observations and rewards, as docs/guides/python.md has them
    """

    metadata = {"name": "weir_flows", "render_modes": RENDER_MODES, "render_fps": 1, "is_parallelizable": False}

    def __init__(
        self,
        scenario: Source,
        *,
        max_flows: int | None = None,
        step: float = 0.2,
        overrides: Values = (),
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__()
        self.settings = _weir.settings(**settings)
        self._step = checked_step(step)
        self._inner = _weir.TurnEnvironment(scenario_of(scenario, overrides), self.settings)
        count = self._inner.count_flows(1_000_000) if max_flows is None else max_flows
        self._prepare(self.settings, count, render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._inner.reset(self._seed(seed))
        self.agents = []
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, Info] = {}
        self._observations: dict[str, Observation] = {}
        self._dead: list[str] = []
        self._asking: str | None = None
        self._seen = {}
        self._show()
        if not self.agents:
            raise InputError("the run has ended before any flow has asked; give it longer flows or a later run.stop")

    def close(self) -> None:
        self._inner.close()
        self.agents = []

    def observe(self, agent: str) -> Observation:
        return self._observations[agent]

    def step(self, action: ArrayLike | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._step_dead(agent, action)
            return
        if action is None:
            raise InputError(f"action of {agent} is None; valid is a number in [-1, 1]", key="action")
        factor = factor_of(action, self._step)
        self.rewards[agent] = 0.0  # that of an agent comes with its own turn; only this one's can be other than 0
        self._inner.step(factor)
        self._cumulative_rewards[agent] = 0.0
        self._show()

    # What the simulation has come to: the next question, flows that have ended, or its end.
    def _show(self) -> None:
        inner = self._inner
        started, ended = inner.take_news()
        for number in started:
            agent = self._name(number)
            self.agents.append(agent)
            self.terminations[agent] = self.truncations[agent] = False
            self.rewards[agent] = self._cumulative_rewards[agent] = 0.0
            self.infos[agent] = {"time_ps": 0}
            self._observations[agent] = self._nothing
        for number in ended:
            agent = self._name(number)
            self.terminations[agent] = True
            self._dead.append(agent)
        if inner.has_ended:
            for agent in self.agents:
                if not self.terminations[agent]:
                    self.truncations[agent] = True
                    self._dead.append(agent)
            self._asking = None
        else:
            self._asking = agent = self._name(inner.number)
            self._observations[agent] = inner.observation
            self.rewards[agent] = self._cumulative_rewards[agent] = float(inner.reward)
            self.infos[agent] = self._seen[agent] = {"time_ps": inner.time_ps, **inner.seen}
        self._select()

    def _select(self) -> None:
        selected = self._dead[0] if self._dead else self._asking
        if selected is not None:
            self.agent_selection = selected

    # An agent whose flow has ended has its last turn, in which it does nothing.
    def _step_dead(self, agent: str, action: ArrayLike | None) -> None:
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        self._dead.pop(0)
        self.agents.remove(agent)
        for values in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del values[agent]
        self._clear_rewards()
        self._select()


class parallel_env(_Agents, ParallelEnv[str, Observation, ArrayLike]):  # type: ignore[misc]
    """A step is a window of the scenario's decision_latency, which must be above 0, or several until a flow asks.

    All active flows have observations. Only those with infos[agent]["ready"] have asked; the actions of the others are
    ignored, and they have their last observation and the reward 0. One that has asked must have an action: step() raises
    InputError if it has none, and nothing has changed then.

    scenario, max_flows, step, overrides, render_mode, settings: as of aec_env
    """

    metadata = {"name": "weir_flows", "render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(
        self,
        scenario: Source,
        *,
        max_flows: int | None = None,
        step: float = 0.2,
        overrides: Values = (),
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self.settings = _weir.settings(**settings)
        self._step = checked_step(step)
        self._inner = _weir.Environment(scenario_of(scenario, overrides), self.settings)
        count = self._inner.count_flows(1_000_000) if max_flows is None else max_flows
        self._prepare(self.settings, count, render_mode)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        self._inner.reset(self._seed(seed))
        self.agents = []
        self._observations: dict[str, Observation] = {}
        self._seen = {}
        terminations: dict[str, bool] = {}
        if not self._advance({}, terminations):
            raise InputError("the run has ended before any flow has asked; give it longer flows or a later run.stop")
        return dict(self._observations), self._infos()

    def step(
        self, actions: Mapping[str, ArrayLike]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        factors = np.ones(len(self._ready))
        for i, agent in enumerate(self._ready):
            if agent not in actions:
                raise InputError(
                    f"there is no action of {agent}, which has asked (infos['{agent}']['ready']); give one of each agent "
                    "that is ready",
                    key="actions",
                )
            factors[i] = factor_of(actions[agent], self._step)
        self._inner.answer(factors)
        rewards = dict.fromkeys(self.agents, 0.0)
        terminations = dict.fromkeys(self.agents, False)
        goes_on = self._advance(rewards, terminations)
        truncations = {agent: not goes_on and not terminations[agent] for agent in self.agents}
        observations = {agent: self._observations[agent] for agent in self.agents}
        infos = self._infos()
        self.agents = [agent for agent in self.agents if not terminations[agent] and not truncations[agent]]
        return observations, rewards, terminations, truncations, infos

    def close(self) -> None:
        self._inner.close()
        self.agents = []

    # Goes on to the next questions. Returns whether there are any.
    def _advance(self, rewards: dict[str, float], terminations: dict[str, bool]) -> bool:
        goes_on = self._inner.advance()
        rows = self._inner.observations
        started, ended = self._inner.take_news()
        for number in started:
            agent = self._name(number)
            self.agents.append(agent)
            self._observations[agent] = self._nothing
            rewards[agent] = 0.0
            terminations[agent] = False
        for number in ended:
            terminations[self._name(number)] = True
        self._ready: dict[str, Info] = {}  # what each has seen
        for i, (number, now, reward, _, seen) in enumerate(self._inner.questions()):
            agent = self._name(number)
            self._ready[agent] = seen
            self._seen[agent] = {"time_ps": now, **seen}
            self._observations[agent] = rows[i]
            rewards[agent] = reward
        return goes_on

    def _infos(self) -> dict[str, Info]:
        ready, now = self._ready, self._inner.time_ps
        return {agent: {"ready": agent in ready, "time_ps": now, **ready.get(agent, {})} for agent in self.agents}
