"""What all environments have in common."""

from __future__ import annotations

import math
import os

import numpy as np

from .. import _weir
from .._errors import InputError
from ..policy import factor

def scenario_of(scenario, overrides=()) -> _weir.Scenario:
    """A weir.Scenario, or one that is read from the named file."""
    if isinstance(scenario, _weir.Scenario):
        if overrides:
            raise TypeError("overrides belong to a file; give them to Scenario.from_file()")
        return scenario
    return _weir.Scenario.from_file(os.fspath(scenario), list(overrides))


def fresh_seed(np_random) -> int:
    """A seed of an episode for which none was given."""
    return int(np_random.integers(0, 2**53))


def action_space(spaces):
    return spaces.Box(-1.0, 1.0, (1,), np.float32)


def observation_space(spaces, settings):
    return spaces.Box(-settings.clip, settings.clip, (settings.width,), np.float32)


def checked_step(step) -> float:
    if not 0 < step < 1:
        raise InputError(f"step is {step}; valid is a number between 0 and 1", key="step")
    return step


def factor_of(action, step) -> float:
    """The factor for a rate that the action of one flow stands for."""
    numbers = np.asarray(action, dtype=np.float64)
    if numbers.size != 1:
        raise InputError(f"action has {numbers.size} numbers; valid is one, in [-1, 1]", key="action")
    y = float(numbers.reshape(()))
    if not math.isfinite(y):
        raise InputError(f"action is {y}; valid is a finite number, in [-1, 1]", key="action")
    return factor(y, step)
