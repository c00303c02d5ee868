"""What all environments have in common."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _weir
from .._errors import InputError
from ..policy import factor

if TYPE_CHECKING:
    from gymnasium import spaces

_SEEDS = 2**53  # of run.seed

RENDER_MODES = ["ansi"]


class Settings(TypedDict, total=False):
    """Of observations and rewards; docs/guides/python.md has their meanings and defaults."""

    profiles: list[str]
    inputs: Literal["code", "paper"]
    history: int
    clip: float
    target: float
    beta: float
    scale: float
    base_rtt: float
    queue_unit: float
    queue_packets: float
    power: float
    reward: Literal["signal", "paper"]
    first_rates: tuple[float, float]


def whole_number(value: object, key: str, most: int) -> int:
    """The value as an int. Raises InputError unless it is a whole number from 0 to `most`."""
    number = -1
    if hasattr(value, "__index__"):
        number = operator.index(value)
    if not 0 <= number <= most:
        raise InputError(f"{key} is {value!r}; valid is a whole number from 0 to {most}", key=key)
    return number


def checked_seed(seed: object) -> int:
    return whole_number(seed, "seed", _SEEDS - 1)


def fresh_seed(np_random: np.random.Generator) -> int:
    """A seed of an episode for which none was given."""
    return int(np_random.integers(0, _SEEDS))


def action_space() -> spaces.Box[Any]:
    from gymnasium import spaces

    return spaces.Box(-1.0, 1.0, (1,), np.float32)


def observation_space(settings: _weir.Settings) -> spaces.Box[Any]:
    from gymnasium import spaces

    return spaces.Box(-settings.clip, settings.clip, (settings.width,), np.float32)


def checked_step(step: float) -> float:
    if not 0 < step < 1:
        raise InputError(f"step is {step}; valid is a number between 0 and 1", key="step")
    return step


def checked_render_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise InputError(f"render_mode is {mode!r}; valid is None or 'ansi'", key="render_mode")
    return mode


def line_of(name: str, info: Mapping[str, Any]) -> str:
    """What a flow has seen, on one line."""
    if "rtt_ps" not in info:
        return f"{name}: nothing yet"
    lost = f", {info['lost_packets']} lost" if info["lost_packets"] else ""
    return (
        f"{name} at {info['time_ps'] * 1e-6:.3f} us: rate {info['rate']:.6f}, RTT {info['rtt_ps'] * 1e-6:.3f} us "
        f"(empty {info['base_rtt_ps'] * 1e-6:.3f} us), {info['sent_packets']} sent{lost}"
    )


def factor_of(action: ArrayLike, step: float) -> float:
    """The factor for a rate that the action of one flow stands for."""
    numbers: NDArray[np.float64] = np.asarray(action, dtype=np.float64)
    if numbers.size != 1:
        raise InputError(f"action has {numbers.size} numbers; valid is one, in [-1, 1]", key="action")
    y = float(numbers.reshape(()))
    if not -1 <= y <= 1:
        raise InputError(f"action is {y}; valid is a number in [-1, 1]", key="action")
    return factor(y, step)
