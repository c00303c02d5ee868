"""How far a run is, shown in a terminal or in a notebook."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TypeAlias

from tqdm.auto import tqdm


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a run is.

    now_ps     simulated time, in picoseconds
    done       share of the run, 0 to 1; None: it is not known
    counters   events, packet_hops, flows_completed, ... so far
    """

    now_ps: int
    done: float | None
    counters: dict[str, int]


Watcher: TypeAlias = Callable[[Progress], bool | None]


def is_watched() -> bool:
    """Whether somebody looks at the output: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Bar:
    """A bar of a run's share, with its simulated time and its flows."""

    def __init__(self, label: str = "weir") -> None:
        self._bar = tqdm(
            total=1.0, desc=label, leave=False, bar_format="{desc}: {percentage:3.0f}% |{bar}| {postfix} [{elapsed}]"
        )

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.close()

    def __call__(self, progress: Progress) -> None:
        flows = progress.counters["flows_completed"]
        self._bar.set_postfix_str(f"{progress.now_ps * 1e-9:.3f} ms simulated, {flows} flows done", refresh=False)
        if progress.done is not None:
            self._bar.n = min(1.0, progress.done)
        self._bar.refresh()
