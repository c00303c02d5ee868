"""Runs that are stepped, watched, steered, saved and copied."""

from __future__ import annotations

import dataclasses
import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _weir, theory
from ._errors import InputError, portable
from ._result import Result, result_of
from ._table import Table
from ._traffic import Driver, NewFlow, Traffic
from ._values import Source, Values, scenario_of


T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Flow:
    """A flow that has ended: times in picoseconds, sizes in bytes of payload."""

    flow_id: int
    src: int
    dst: int
    size_bytes: int
    start_ps: int
    finish_ps: int
    retransmitted_packets: int
    tag: str
    algorithm: str

    @property
    def fct_ps(self) -> int:
        """Completion time: from the start until the last acknowledgement has arrived."""
        return self.finish_ps - self.start_ps


class Simulation:
    """A run that the program steps.

    Times are whole numbers of picoseconds or texts with a unit ("10 us"), sizes whole numbers of bytes or texts ("1 MB").
    The same scenario and the same calls give the same results. Python's lock is released while it simulates, so other
    threads go on, and it may be used by one thread at a time. Ctrl-C stops an advance() between two epochs; the run can
    go on from there.
    """

    def __init__(
        self,
        scenario: Source,
        values: Values = (),
        *,
        tables: bool = True,
        events: bool = False,
        driver: Driver | None = None,
    ) -> None:
        """Builds the network. Raises InputError if that is not possible.

        scenario   as for weir.run()
        values     replace what the scenario says
        tables     False: the tables of the scenario's probes are not kept, only the summary
        events     True: the run tells single events (trace()), which makes it slower
        driver     sends messages beside the scenario's traffic. The run then takes all events in the order of time, on one
                   thread, whatever run.scheduler and run.threads say
        """
        source = scenario_of(scenario, values)
        if driver is not None:
            source = source.with_values({"run.scheduler": "wheel", "run.threads": 1})
        self._set(_weir.Steps(source, tables, events))
        if driver is not None:
            self._inner.drive(driver)

    def _set(self, inner: _weir.Steps) -> None:
        self._inner = inner
        self._traffic: list[Traffic] = []
        self._samples: dict[str, list[tuple[str, list[Any]]]] = {}

    @classmethod
    def _of(cls, inner: _weir.Steps) -> Simulation:
        out = cls.__new__(cls)
        out._set(inner)
        return out

    # Time.

    @property
    def scenario(self) -> _weir.Scenario:
        """What is simulated."""
        return self._inner.scenario

    @property
    def now_ps(self) -> int:
        """Simulated time: all events before it have happened."""
        return self._inner.now_ps

    @property
    def epoch_ps(self) -> int:
        """The length of an epoch; shorter steps make a run slower."""
        return self._inner.epoch_ps

    def advance(self, by: int | str | None = None, *, until: int | str | None = None) -> bool:
        """Runs for a time, until an instant, or without either to the end.

        Returns True if the run has ended: all flows have ended, run.stop is reached, or it cannot go on (stall). If
        all flows have ended, it goes on when another one is sent.
        """
        if by is not None and until is not None:
            raise TypeError("advance() takes `by` or `until`, not both")
        if by is not None:
            step = _weir.time_ps(by, "by")
            if step < 0:
                raise InputError("by: a run does not go back; valid is 0 or more", key="by")
            return self._advance(self.now_ps + step)
        if until is None:
            return self._advance(None)
        end = _weir.time_ps(until, "until")
        if end < self.now_ps:
            raise InputError(f"until: a run does not go back; valid is {self.now_ps} ps, the present, or later", key="until")
        return self._advance(end)

    def _advance(self, end: int | None) -> bool:
        """As far as flows have been handed over, then with more of them."""
        while True:
            for traffic in self._traffic:
                if traffic.has_more and traffic.handed_over_to <= self.now_ps:
                    for flow, start in traffic.draw():
                        self._inner.send(flow.src, flow.dst, flow.size, start, flow.tag, flow.profile)
            ahead = [traffic.handed_over_to for traffic in self._traffic if traffic.has_more]
            if not ahead:
                return self._inner.advance(end)
            if end is not None and end <= min(ahead):
                return self._inner.advance(end)
            if self._inner.advance(min(ahead)):  # run.stop is reached, or it cannot go on: the last flow is yet to start
                return True

    @property
    def stall(self) -> str | None:
        """Why the run cannot go on although flows are left, in one sentence, after a PFC deadlock for example; or None."""
        return self._inner.stall()

    # Flows from the program.

    def send(
        self,
        src: int,
        dst: int,
        size: int | str,
        *,
        start: int | str | None = None,
        tag: str = "",
        profile: str = "",
    ) -> int:
        """Sends a flow between two hosts, counted from 0, and returns its id.

        size      payload
        start     None: now
        tag       one of the scenario's traffic; "" = the first one
        profile   one of the scenario's profiles; "" = that of [algorithm]
        """
        return self._inner.send(src, dst, size, start, tag, profile)

    def traffic(self, flows: Iterable[NewFlow]) -> None:
        """Sends the flows that an iterable gives, in order of start; the first must not be before the present instant.

        They are drawn as the run goes on, a thousand at a time, so the iterable may be long. May be called several times.
        Raises InputError, in advance(), for a flow that is not valid or not in order.
        """
        self._traffic.append(Traffic(flows))

    # Watching.

    @property
    def hosts(self) -> int:
        """The number of hosts, which are the first nodes; switches follow."""
        return self._inner.hosts

    @property
    def switches(self) -> int:
        """The number of switches, which are the nodes behind the hosts."""
        return self._inner.switches

    @property
    def counters(self) -> dict[str, int]:
        """How much has been simulated so far: events, packet_hops, flows_completed, ..."""
        return self._inner.counters

    def queues(self) -> NDArray[np.int64]:
        """The bytes that wait in each port, by its number. Also within functions of every()."""
        return self._inner.queues()

    def ports(self) -> Table:
        """A row for each port: the nodes at its ends, rate, queue, and what it has sent, marked, lost and paused so far."""
        return Table("ports", self._inner.ports())

    def flows(self) -> Table:
        """A row for each active flow: what it has sent and what has arrived, window, rate, round-trip times."""
        return Table("active flows", self._inner.flows())

    def on_finish(self, call: Callable[[Flow], object]) -> None:
        """Calls for each flow that ends, in order of (finish, id). Set it before the first advance()."""
        self._inner.on_finish(lambda *values: call(Flow(*values)))

    def every(self, interval: int | str, call: Callable[[int], object]) -> None:
        """Calls with the time in picoseconds at 0, interval, 2 * interval, ... Set it before the first advance().

        In the call, now_ps, counters, queues(), ports() and flows() may be used.
        """
        self._inner.every(interval, call)

    def probe(
        self, name: str, interval: int | str, call: Callable[[Simulation], Mapping[str, int | float | str]]
    ) -> None:
        """Samples the run at 0, interval, 2 * interval, ...: what the call returns becomes a row of the result's table `name`.

        The table has a column time_ps, and then those of the first row, which all rows must have. In the call the same
        may be used as in those of every(). Set it before the first advance().
        """
        if not name.isidentifier() or name in self._samples:
            raise InputError(f"name: '{name}' is no name of a table, or taken; valid are letters, digits and '_'", key="name")
        times: list[Any] = []
        columns: list[tuple[str, list[Any]]] = [("time_ps", times)]

        def sample(now: int) -> None:
            row = call(self)
            if not times:
                columns.extend((column, []) for column in row)
            if [column for column, _ in columns[1:]] != list(row):
                raise ValueError(f"probe '{name}': a row has {list(row)}, the first one had others")
            times.append(now)
            for (_, values), value in zip(columns[1:], row.values(), strict=True):
                values.append(value)

        self.every(interval, sample)
        self._samples[name] = columns

    def trace(
        self,
        call: Callable[[Table], object],
        kinds: Sequence[str],
        *,
        ports: Sequence[int] | None = None,
        since: int | str | None = None,
        until: int | str | None = None,
    ) -> None:
        """Calls with a table of the single events of each epoch that has any, in order. Set it before the first advance().

        The run must have been made with events=True, or its scenario have a probe that asks for events.

        kinds   of packets: arrived, lost, accepted, left, marked, trimmed, dropped; as they are on the wire: sent,
                received. Of ports: paused, resumed. Of flows: started, ended, told_loss, controlled, waiting
        ports   those of which events are told, by number; None: all. Events of flows are told in any case
        since   from this time on, and before `until`

        Columns: time_ps, kind, port, flow_id (-1: none), src (the flow's sender), dst, packet (its kind), seq_bytes,
        size_bytes (on the wire; of the flow that has started; that are told to be lost), queued_bytes (that wait at the
        port afterwards), class (-1: goes ahead of data), entropy, ce, retransmission, window_bytes and rate_bps (of
        `controlled`), cause (of `waiting` and `told_loss`).
        """
        self._inner.trace(lambda columns: call(Table("events", columns)), kinds, ports, since, until)

    @property
    def driver(self) -> Any:
        """The driver, which is a copy in a run that is a copy; None without one."""
        return self._inner.driver

    def decide(self, call: Callable[[list[_weir.Question]], object]) -> None:
        """Lets a function decide windows and rates of the flows whose algorithm is "external".

        At the end of each epoch it is called with the questions of the flows that asked, by id, and sets window_bytes
        and rate_bps of each. Set it before the first advance().
        """
        self._inner.decide(call)

    # What theory says.

    def max_min(self) -> dict[int, float]:
        """The max-min fair rate of each active flow on its present path, by id, in bit/s with headers.

        Raises InputError if a flow sprays its packets over several paths.
        """
        capacities, ids, paths = self._inner.network()
        for flow, path in zip(ids, paths, strict=True):
            if not path:
                raise InputError(f"flow {flow} has no single path; max_min() needs flows that stay on theirs")
        if not ids:
            return {}
        rates = theory.max_min(capacities, paths).rates
        return dict(zip(ids, rates.tolist(), strict=True))

    # Copies.

    def save(self) -> bytes:
        """The whole state of the run. Functions of the program and what is left of traffic() are no part of it."""
        return self._inner.save()

    @classmethod
    def restore(
        cls,
        scenario: Source,
        state: bytes,
        values: Values = (),
        *,
        tables: bool = True,
        events: bool = False,
        driver: Driver | None = None,
        prepare: Callable[[Simulation], object] | None = None,
    ) -> Simulation:
        """A run of the same scenario that goes on from what save() gave, in the same build of Weir.

        `tables` and `events` must be as they were, and there must be a driver if there was one: any object, whose place
        the saved one takes. `prepare` is called before the state is there, to set the functions of the run.
        Raises InputError if the state is of another scenario or build, cut short or changed.
        """
        out = cls(scenario, values, tables=tables, events=events, driver=driver)
        if prepare is not None:
            prepare(out)
        out._inner.restore(state)
        return out

    def fork(self) -> Simulation:
        """A copy that goes on by itself, without the functions of this run and what is left of its traffic().

        It may be used by another thread.
        """
        return Simulation._of(self._inner.fork())

    def what_if(self, call: Callable[[Simulation], T]) -> T:
        """What call(copy) returns, where `copy` is this run in a copy of this process, made by fork(2).

        The copy costs no time for the state: the system copies what either process then writes to. This run stays as it
        is, its functions are the copy's too, and what they change stays in the copy. The returned value must be one that
        pickle takes. An exception of `call` is raised here as well, or, if pickle does not take it, a RuntimeError that
        says the same. Not on Windows.
        """
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)

        def in_copy() -> None:
            self._inner.after_fork()
            try:
                answer = pickle.dumps((call(self), None))
            except BaseException as error:
                answer = pickle.dumps((None, portable(error)))
            theirs.send_bytes(answer)

        process = context.Process(target=in_copy)
        process.start()
        theirs.close()
        try:
            answer: tuple[T, BaseException | None] = pickle.loads(ours.recv_bytes())
        except EOFError:
            process.join()
            raise RuntimeError(f"the copy ended without a result, with status {process.exitcode}") from None
        finally:
            ours.close()
        process.join()
        result, error = answer
        if error is not None:
            raise error
        return result

    def finish(self) -> Result:
        """The result. Call it once, after the last advance()."""
        own = {f"{name}.csv": _weir.Columns.of(columns) for name, columns in self._samples.items()}
        return result_of(self._inner.finish(), own)

    def __repr__(self) -> str:
        counters: dict[str, Any] = self.counters
        return f"<weir.Simulation at {self.now_ps * 1e-9:.6f} ms, {counters['flows_completed']} flows done>"
