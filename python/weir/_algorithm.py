"""Algorithms that are written in Python."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from . import _weir
from ._errors import InputError


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm, which scenarios can set. As an attribute of the algorithm it is a number.

    default   a float, an int, a bool, or a text with a unit: a time ("50 us", in picoseconds as an attribute), a size
              ("100 KB", in bytes) or a rate ("1 Gbps", in bit/s)
    least, most   the valid range of a float or an int
    """

    default: float | int | bool | str
    meaning: str
    least: float = -math.inf
    most: float = math.inf
    source: str = ""

    def row(self, name: str) -> tuple[str, str, bool | int | float | str, float, float, str, str]:
        least, most = self.least, self.most
        kind = self._kind()
        if kind == "integer":  # as many as a float has exactly
            least, most = max(least, -(2.0**53)), min(most, 2.0**53)
        elif kind == "number":
            least, most = max(least, -1e300), min(most, 1e300)
        return name, kind, self.default, least, most, self.meaning, self.source

    def _kind(self) -> str:
        match self.default:
            case bool():
                return "boolean"
            case int():
                return "integer"
            case float():
                return "number"
        unit = self.default.lstrip("0123456789.eE+- ")
        if unit.endswith("bps"):
            return "rate"
        return "bytes" if unit.endswith("B") else "time"


@dataclasses.dataclass(frozen=True)
class Remembered:
    """A number that each flow remembers: a float, an int of 64 bits or a bool, as `first`, with which it begins."""

    first: float | int | bool


def remember(first: float | int | bool) -> Any:
    """A number that each flow remembers from event to event. Its type stays that of the first value."""
    return Remembered(first)


def parameter(
    default: float | int | bool | str,
    meaning: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    source: str = "",
) -> Any:
    """A parameter of an algorithm, which scenarios can set (weir.Parameter says what is valid)."""
    return Parameter(default, meaning, least, most, source)


class Algorithm:
    """A congestion control in Python, for trying an idea: it takes some 1 us for each acknowledgement, which makes a run
    about seven times slower than with one in C++.

    Derive a class from it, with the methods that are needed, and call weir.add_algorithm(). For each event of a flow a
    method is called, on an object that has only what the flow remembers:

        start(control)           the flow begins
        on_ack(ack, control)     an acknowledgement that does not complete the flow
        on_loss(loss, control)   the transport has found a loss
        on_cnp(now_ps, control)  a congestion notification packet; with cnp = True
        on_send(send, control)   a data packet leaves
        on_timer(now_ps, control)

    A method leaves its answer in control: window_bytes, rate_bps, timer_ps. What is to be remembered are numbers,
    attributes made by remember(); other attributes are lost after the call. `self.flow` has facts about the flow.
    """

    name: ClassVar[str]
    """How scenarios name it: lower-case letters, digits, '-' and '_'."""
    title: ClassVar[str] = ""
    source: ClassVar[str] = "this program"
    needs: ClassVar[Sequence[str]] = ()
    """Feedback beyond acknowledgements: "ecn", "telemetry", "delivery_rate"."""
    cnp: ClassVar[bool] = False
    """Whether receivers answer marked packets with congestion notification packets, at most one in cnp_interval."""
    cnp_interval: ClassVar[int | str] = 0

    flow: _weir.FlowFacts


A = TypeVar("A", bound=type[Algorithm])


def add_algorithm(algorithm: A) -> A:
    """Adds an algorithm to the catalogue, so that scenarios that are read afterwards can name it. May be a decorator.

    A class of a name that was added before takes its place for later scenarios, if it has the same parameters and
    needs. Raises InputError if the name is one of Weir's, or if something is not valid.
    """
    if not (isinstance(algorithm, type) and issubclass(algorithm, Algorithm)):
        raise TypeError("an algorithm is a class derived from weir.Algorithm")
    if "name" not in vars(algorithm):
        raise InputError("name: the class needs one, such as name = 'my-algorithm'", key="name")
    if not hasattr(algorithm, "on_ack"):
        raise InputError("on_ack: the class needs this method", key="on_ack")
    attributes = {name: value for base in reversed(algorithm.__mro__) for name, value in vars(base).items()}
    params = [value.row(name) for name, value in attributes.items() if isinstance(value, Parameter)]
    fields = [(name, value.first) for name, value in attributes.items() if isinstance(value, Remembered)]
    title = algorithm.title or (algorithm.__doc__ or algorithm.name).strip().split("\n")[0].rstrip(".")
    _weir.add_algorithm(
        algorithm,
        algorithm.name,
        title,
        algorithm.source,
        list(algorithm.needs),
        params,
        fields,
        algorithm.cnp,
        algorithm.cnp_interval,
    )
    return algorithm
