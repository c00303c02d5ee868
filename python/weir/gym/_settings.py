"""What all environments have in common."""

from __future__ import annotations

import operator

import numpy as np

from .._errors import InputError
from ..policy import factor

_SEEDS = 2**53  # of run.seed


def whole_number(value, key, most) -> int:
    """The value as an int. Raises InputError unless it is a whole number from 0 to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= most:
        raise InputError(f"{key} is {value!r}; valid is a whole number from 0 to {most}", key=key)
    return number


def checked_seed(seed) -> int:
    return whole_number(seed, "seed", _SEEDS - 1)


def fresh_seed(np_random) -> int:
    """A seed of an episode for which none was given."""
    return int(np_random.integers(0, _SEEDS))


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
    if not -1 <= y <= 1:
        raise InputError(f"action is {y}; valid is a number in [-1, 1]", key="action")
    return factor(y, step)
