"""Flows as agents of PettingZoo, in turn (aec_env) and in parallel (parallel_env). Agents are flow_0, flow_1, ... in the
order in which the flows start; an agent is there from its flow's start to its end."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv

from .. import _weir
from .._errors import InputError
from .._values import scenario_of
from ._settings import action_space, checked_seed, checked_step, factor_of, fresh_seed, observation_space


class _Agents:
    """What both have in common: names, spaces and seeds."""

    def _prepare(self, settings, count):
        if count == 0:
            raise InputError("the scenario's traffic has no flow that is decided from outside")
        self.possible_agents = [f"flow_{k}" for k in range(count)]
        self.observation_spaces = {a: observation_space(spaces, settings) for a in self.possible_agents}
        self.action_spaces = {a: action_space(spaces) for a in self.possible_agents}
        self.agents = []
        self.render_mode = None
        self._nothing = np.zeros(settings.width, np.float32)  # the observation of a flow that has not asked yet
        self._random, _ = seeding.np_random(None)

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def _seed(self, seed):
        if seed is None:
            return fresh_seed(self._random)
        seed = checked_seed(seed)
        self._random, _ = seeding.np_random(seed)
        return seed

    def _name(self, number):
        if number >= len(self.possible_agents):
            raise InputError(
                f"with this seed more flows start than the scenario's own seed has, {len(self.possible_agents)}; "
                "give max_flows",
                key="max_flows",
            )
        return self.possible_agents[number]

    def close(self):
        self._inner.close()
        self.agents = []


class aec_env(_Agents, AECEnv):
    """The flow whose probe has returned is the agent; its action takes effect at the same instant.

    With a decision_latency above 0 it takes effect that much later. Episodes end with the run.

    scenario    as for weir.run()
    max_flows   agents that are possible; None: as many as the scenario has flows with its own seed
    step        how far an action of 1 or -1 changes the rate: times 1 + step, or divided by it
    overrides   replace what the scenario says, as `values` of weir.run()
    settings    of observations and rewards, as docs/guides/python.md has them
    """

    metadata = {"name": "weir_flows", "render_modes": [], "is_parallelizable": False}

    def __init__(self, scenario, *, max_flows=None, step=0.2, overrides=(), **settings):
        super().__init__()
        self.settings = _weir.settings(**settings)
        self._step = checked_step(step)
        self._inner = _weir.TurnEnvironment(scenario_of(scenario, overrides), self.settings)
        self._prepare(self.settings, self._inner.count_flows(1_000_000) if max_flows is None else max_flows)

    def reset(self, seed=None, options=None):
        self._inner.reset(self._seed(seed))
        self.agents = []
        self.rewards = {}
        self._cumulative_rewards = {}
        self.terminations = {}
        self.truncations = {}
        self.infos = {}
        self._observations = {}
        self._dead = []
        self.agent_selection = None
        self._show()
        if self.agent_selection is None:
            raise InputError("the run has ended before any flow has asked; give it longer flows or a later run.stop")

    def observe(self, agent):
        return self._observations[agent]

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._step_dead(agent, action)
            return
        factor = factor_of(action, self._step)
        self.rewards[agent] = 0.0  # that of an agent comes with its own turn; only this one's can be other than 0
        self._inner.step(factor)
        self._cumulative_rewards[agent] = 0.0
        self._show()

    # What the simulation has come to: the next question, flows that have ended, or its end.
    def _show(self):
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
            self.infos[agent] = {"time_ps": inner.time_ps, **inner.seen}
        self._select()

    def _select(self):
        self.agent_selection = self._dead[0] if self._dead else self._asking

    # An agent whose flow has ended has its last turn, in which it does nothing.
    def _step_dead(self, agent, action):
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        self._dead.pop(0)
        self.agents.remove(agent)
        for values in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del values[agent]
        self._clear_rewards()
        self._select()


class parallel_env(_Agents, ParallelEnv):
    """A step is a window of the scenario's decision_latency, which must be above 0, or several until a flow asks.

    All active flows have observations. Only those with infos[agent]["ready"] have asked; the actions of the others are
    ignored, and they have their last observation and the reward 0.

    scenario, max_flows, step, overrides, settings: as of aec_env
    """

    metadata = {"name": "weir_flows", "render_modes": []}

    def __init__(self, scenario, *, max_flows=None, step=0.2, overrides=(), **settings):
        self.settings = _weir.settings(**settings)
        self._step = checked_step(step)
        self._inner = _weir.Environment(scenario_of(scenario, overrides), self.settings)
        self._prepare(self.settings, self._inner.count_flows(1_000_000) if max_flows is None else max_flows)

    def reset(self, seed=None, options=None):
        self._inner.reset(self._seed(seed))
        self.agents = []
        self._observations = {}
        terminations = {}
        if not self._advance({}, terminations):
            raise InputError("the run has ended before any flow has asked; give it longer flows or a later run.stop")
        return dict(self._observations), self._infos()

    def step(self, actions):
        factors = np.ones(len(self._ready))
        for i, agent in enumerate(self._ready):
            if agent not in actions:
                raise InputError(f"there is no action of {agent}, which is ready", key="actions")
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

    # Goes on to the next questions. Returns whether there are any.
    def _advance(self, rewards, terminations):
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
        self._ready = {}  # what each has seen
        for i, (number, _, reward, _, seen) in enumerate(self._inner.questions()):
            agent = self._name(number)
            self._ready[agent] = seen
            self._observations[agent] = rows[i]
            rewards[agent] = reward
        return goes_on

    def _infos(self):
        ready, now = self._ready, self._inner.time_ps
        return {agent: {"ready": agent in ready, "time_ps": now, **ready.get(agent, {})} for agent in self.agents}
