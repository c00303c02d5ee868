"""Whole runs, and many of them at once."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tqdm.auto import tqdm

from . import _weir
from ._errors import InputError, portable
from ._progress import Bar, Progress, Watcher, is_watched
from ._result import Result, read, result_of
from ._values import Source, Values, file_name, scenario_of


def run(
    scenario: Source,
    values: Values = (),
    *,
    out: str | os.PathLike[str] | None = None,
    tables: bool = True,
    progress: bool | Watcher | None = None,
) -> Result:
    """Runs a scenario from start to end, as `weir run` does, and returns its result.

    scenario   a weir.Scenario, the name of a TOML file, or a dictionary of a scenario's tables
    values     replace what the scenario says: {"run.seed": 2}, or ["run.seed=2"]
    out        a new directory for the result, as of `weir run --out`; None: the result is in memory
    tables     False: without `out`, only the summary is kept
    progress   True or False: whether a bar is shown; None: if a terminal or a notebook shows it. Or a function, which is
               called with a weir.Progress several times a second and when the run has ended; when it returns False, a
               run that has not ended ends early, with what it has

    Other threads of the program go on meanwhile. Ctrl-C ends the run with KeyboardInterrupt; what is in `out` by then
    is kept, as an interrupted run. Raises InputError before anything is simulated if the scenario cannot be used.
    """
    s = scenario_of(scenario, values)
    with contextlib.ExitStack() as stack:
        watcher: Watcher | None = None
        if callable(progress):
            watcher = progress
        elif progress or (progress is None and is_watched()):
            watcher = stack.enter_context(Bar())
        raw = _weir.run(s, file_name(out) if out is not None else "", tables, _told(watcher))
    return result_of(raw) if out is None else read(out)


def _told(watcher: Watcher | None) -> Callable[[int, float, dict[str, int]], bool | None] | None:
    if watcher is None:
        return None
    return lambda now, done, counters: watcher(Progress(now, done if done >= 0 else None, counters))


@dataclasses.dataclass(frozen=True)
class SweepRun:
    """One run of a sweep.

    values   what it had instead of the scenario's, such as {"run.seed": 2}
    result   its weir.Result, or what `measure` has made of it
    """

    values: dict[str, object]
    result: Any


def sweep(
    scenario: Source,
    axes: Mapping[str, Iterable[object]],
    *,
    measure: Callable[[Result], Any] | None = None,
    workers: int | None = None,
    setup: Callable[[], object] | None = None,
    progress: bool | None = None,
) -> list[SweepRun]:
    """Runs a scenario with all combinations of values, side by side in processes of their own.

    axes      the values of each key: {"algorithm.name": ["hpcc", "dcqcn"], "run.seed": range(3)}
    measure   is called with each result where it was run, and its value takes the result's place: tables then do not
              move between processes. A function of a module, so that other processes find it
    workers   the number of processes; as many as there are processors unless told otherwise
    setup     is called once in each process, to add algorithms for example; likewise a function of a module
    progress  whether a bar is shown; None: if a terminal or a notebook shows it

    The runs come in the order of the combinations, the last axis first to change. All scenarios are checked before any
    is run, and InputError is raised if one cannot be used. In a script, call it under `if __name__ == "__main__":`, since
    the processes import the script (multiprocessing's "spawn"). For studies with figures see `weir sweep`.
    """
    s = scenario_of(scenario)
    lists = {key: list(of_key) for key, of_key in axes.items()}
    for key, of_key in lists.items():
        if not of_key:
            raise InputError(f"axes: '{key}' has no values", key=key)
    combinations = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    scenarios = [s.with_values(values) for values in combinations]
    count = max(1, min(workers or os.cpu_count() or 1, len(scenarios)))
    context = multiprocessing.get_context("spawn")
    pool = concurrent.futures.ProcessPoolExecutor(count, context, _setup, (setup,))
    shown = is_watched() if progress is None else progress
    try:
        for _ in pool.map(_check, scenarios):
            pass
        futures = [pool.submit(_measured, one, measure) for one in scenarios]
        with tqdm(total=len(futures), desc="weir sweep", unit="run", leave=False, disable=not shown) as bar:
            for future in concurrent.futures.as_completed(futures):
                future.result()
                bar.update()
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()
    return [SweepRun(values, future.result()) for values, future in zip(combinations, futures, strict=True)]


def _setup(setup: Callable[[], object] | None) -> None:
    if setup is not None:
        setup()


def _check(scenario: _weir.Scenario) -> None:
    scenario.warnings()  # builds the network, and raises what a run would raise


def _measured(scenario: _weir.Scenario, measure: Callable[[Result], Any] | None) -> Any:
    result = run(scenario, progress=False)
    if measure is None:
        return result
    try:
        return measure(result)
    except Exception as error:
        raise portable(error) from None


def _end(pool: concurrent.futures.ProcessPoolExecutor) -> None:
    """Ends the pool's own processes, whatever they are at."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
