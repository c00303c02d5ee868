"""What models predict, without packets: fair rates of flows on links (docs/guides/theory.md).

A network is given by the capacities of its links, in any unit of rate, and for each flow its path: the numbers of the
links that it crosses. Rates come in the same unit. A flow of weight w stands for w flows on its path, and its rate for
their sum.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import _weir

__all__ = ["MaxMin", "additive_equilibrium", "alpha_fair", "loads", "max_min"]

Rates = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class MaxMin:
    """Max-min fair rates.

    rates         by flow
    bottlenecks   by flow, the link that limits it
    levels        rates per weight in the order in which links fill, increasing
    """

    rates: Rates
    bottlenecks: NDArray[np.int64]
    levels: Rates


def max_min(
    capacities: Sequence[float], paths: Sequence[Sequence[int]], weights: Sequence[float] | None = None
) -> MaxMin:
    """Max-min fair rates by progressive filling, exact up to rounding. Raises InputError."""
    rates, bottlenecks, levels = _weir.max_min(capacities, paths, weights if weights is not None else ())
    return MaxMin(np.array(rates), np.array(bottlenecks, np.int64), np.array(levels))


def alpha_fair(
    capacities: Sequence[float],
    paths: Sequence[Sequence[int]],
    alpha: float,
    weights: Sequence[float] | None = None,
) -> Rates:
    """Alpha-fair rates: alpha = 1 is proportional fairness, float("inf") max-min fairness; else 0.01 to 1,000.

    Mo and Walrand, IEEE/ACM ToN 8(5), 2000. Raises InputError.
    """
    return np.array(_weir.alpha_fair(capacities, paths, alpha, weights if weights is not None else ()))


def additive_equilibrium(
    capacities: Sequence[float],
    paths: Sequence[Sequence[int]],
    increase: float,
    weights: Sequence[float] | None = None,
) -> Rates:
    """The rates at which R <- R / max(load / capacity) + increase settles (HPCC, appendix A.3). Raises InputError."""
    return np.array(_weir.additive_equilibrium(capacities, paths, increase, weights if weights is not None else ()))


def loads(capacities: Sequence[float], paths: Sequence[Sequence[int]], rates: Sequence[float]) -> Rates:
    """What the flows put on each link. Raises InputError."""
    return np.array(_weir.loads(capacities, paths, rates))
