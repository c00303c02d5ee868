"""What a program sends in a run beside the scenario's traffic: flows of its own, and messages that wait for each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from . import _weir
from ._errors import InputError


@dataclasses.dataclass(frozen=True)
class NewFlow:
    """A flow of the program's own traffic: as for Simulation.send()."""

    src: int
    dst: int
    size: int | str
    start: int | str = 0
    tag: str = ""
    profile: str = ""


class Driver:
    """What decides, while a run goes on, which messages hosts send: derive from it, and hand an object to Simulation.

    Each call is about one host, of which the desk is: it sends messages, asks for wake-ups and posts words to other hosts.
    Calls for all hosts come one after the other, in the order of time, so that an object may know all of them and decide
    for them together. The same object gives the same run.

    The run waits for `tasks` tasks, and Desk.done() tells of each. An object that pickle takes can be saved and forked
    with its run.
    """

    tasks: int = 0

    def begin(self, desk: _weir.Desk) -> None:
        """For each host, by number, at time 0."""

    def received(self, desk: _weir.Desk, message: _weir.Message) -> None:
        """At the receiver: the last byte has come."""

    def sent(self, desk: _weir.Desk, message: _weir.Message) -> None:
        """At the sender: the acknowledgement of the last byte has come."""

    def woken(self, desk: _weir.Desk, word: int) -> None:
        """What Desk.wake() has asked for."""

    def posted(self, desk: _weir.Desk, sender: int, word: int) -> None:
        """What Desk.post() has told, at another host."""


class Traffic:
    """Flows that a run takes from an iterator, some ahead of their starts."""

    AHEAD = 1000

    def __init__(self, flows: Iterable[NewFlow]) -> None:
        self._flows = iter(flows)
        self.has_more = True
        self.handed_over_to = 0  # the last start, in picoseconds

    def draw(self) -> Iterator[tuple[NewFlow, int]]:
        """The next flows with their starts."""
        for _ in range(self.AHEAD):
            flow = next(self._flows, None)
            if flow is None:
                self.has_more = False
                return
            start = _weir.time_ps(flow.start, "start")
            if start < self.handed_over_to:
                raise InputError(
                    f"start: {start} ps is before the flow before it; flows of traffic() come in order of start", key="start"
                )
            self.handed_over_to = start
            yield flow, start
