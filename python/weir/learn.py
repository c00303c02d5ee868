"""Training policies of pcc_rl, as `weir train` does (docs/guides/learning.md).

train      a training from start to end
Trainer    the same, update by update
validate   what a policy does in the validation of a curriculum

A learner of one's own trains in the environments of weir.gym, and weir.policy.Policy.from_layers() makes a policy of its
network.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from tqdm.auto import tqdm

from . import _weir
from ._errors import InputError
from ._progress import is_watched
from ._table import Table
from ._values import file_name, to_toml
from .policy import Policy
from .policy import Source as PolicySource

__all__ = ["Source", "Trainer", "Training", "Update", "train", "validate"]

Source: TypeAlias = str | os.PathLike[str] | Mapping[str, object]


@dataclasses.dataclass(frozen=True)
class Update:
    """What an update has seen, over all environments; a row of progress.csv.

    update         how many have been done, this one included
    decisions      of all updates so far
    learning_rate  of this one
    loss           of this one
    reward         mean over decisions: less the square of the signal before its scale, or the method's own
    fairness       least flow's mean rate by the largest one's, mean over environments
    queue_ps       mean round trip beyond that of the empty path
    score          of the validation after this update; None: there was none
    """

    update: int
    decisions: int
    learning_rate: float
    loss: float
    reward: float
    fairness: float
    queue_ps: float
    score: float | None


@dataclasses.dataclass(frozen=True)
class Training:
    """What a training has come to.

    policy      the policy that was best in validation; None: the method gives no policy file
    update      after which it was
    score       its score, 1 is the best
    validation  a row for each run of the validation: flows, utilisation, fairness, jain, rate_error, queue_ps,
                expected_queue_ps, dropped_packets, score
    directory   where its files are; None: in memory only
    """

    policy: Policy | None
    update: int
    score: float
    validation: Table
    directory: pathlib.Path | None

    @property
    def inputs(self) -> pathlib.Path | None:
        """inputs.csv, inputs of the policy to calibrate int8 with; None without a directory."""
        return None if self.directory is None or self.policy is None else self.directory / "inputs.csv"


class Trainer:
    """A training, update by update: `for update in Trainer(...)`. When all are done, `training` is what it has come to.

    curriculum   the name of a file, or a dictionary of a curriculum's tables; names of files in it are relative to the
                 curriculum's folder, or to the present one
    out          a directory for the policy, the progress and the checkpoint, as of `weir train --out`, with the same bytes;
                 None: all stays in memory
    seed         instead of the curriculum's learner.seed
    threads      environments at once; 0: one for each processor; changes no result
    resume       go on from the checkpoint in `out`, if there is one
    """

    def __init__(
        self,
        curriculum: Source,
        out: str | os.PathLike[str] | None = None,
        *,
        seed: int | None = None,
        threads: int = 0,
        resume: bool = False,
    ) -> None:
        if resume and out is None:
            raise InputError("resume: there is no checkpoint without `out`", key="resume")
        self._directory = None if out is None else pathlib.Path(file_name(out))
        directory = "" if self._directory is None else str(self._directory)
        self._inner = _weir.Trainer(_curriculum_of(curriculum, seed), directory, threads, resume)
        self._training: Training | None = None

    @property
    def updates(self) -> int:
        """Of the whole training."""
        return self._inner.most_updates

    def __iter__(self) -> Iterator[Update]:
        while not self._inner.done:
            yield Update(**self._inner.step())

    @property
    def training(self) -> Training:
        """Raises RuntimeError before all updates have been done."""
        if self._training is None:
            if not self._inner.done:
                raise RuntimeError(f"{self._inner.updates} of {self.updates} updates have been done; do the others first")
            text = self._inner.finish()
            policy = None if text is None else Policy(tomllib.loads(text))
            inner = self._inner
            self._training = Training(
                policy, inner.best_update, inner.best_score, Table("validation", inner.validation), self._directory
            )
        return self._training


def train(
    curriculum: Source,
    out: str | os.PathLike[str] | None = None,
    *,
    seed: int | None = None,
    threads: int = 0,
    resume: bool = False,
    progress: bool | Callable[[Update], object] | None = None,
) -> Training:
    """Trains a policy as `weir train` does.

    curriculum, out, seed, threads, resume: as of Trainer
    progress     True or False: whether a bar is shown; None: if a terminal or a notebook shows it. Or a function, which is
                 called after each update

    Ctrl-C ends it with KeyboardInterrupt between two updates; with `out`, resume=True goes on from there.
    """
    trainer = Trainer(curriculum, out, seed=seed, threads=threads, resume=resume)
    told = progress if callable(progress) else None
    shown = told is None and (is_watched() if progress is None else bool(progress))
    with tqdm(total=trainer.updates, desc="weir train", unit="update", leave=False, disable=not shown) as bar:
        for update in trainer:
            if told is not None:
                told(update)
            bar.set_postfix_str(f"reward {update.reward:.3g}, fairness {update.fairness:.2f}", refresh=False)
            bar.update(update.update - bar.n)
    return trainer.training


def validate(policy: PolicySource, curriculum: Source, *, seed: int | None = None, threads: int = 0) -> Table:
    """What the policy does in the validation of the curriculum: a table as Training.validation.

    The expected queue is that of the policy's own signal, whatever the curriculum's is.
    """
    columns = _weir.validate(Policy(policy).text, _curriculum_of(curriculum, seed), threads)
    return Table("validation", columns)


def _curriculum_of(source: Source, seed: int | None) -> _weir.Curriculum:
    if isinstance(source, Mapping):
        text = "".join(f"{key} = {to_toml(value, key)}\n" for key, value in source.items())
        curriculum = _weir.Curriculum.of_text(text)
    else:
        curriculum = _weir.Curriculum.of_file(file_name(source))
    if seed is None:
        return curriculum
    if not isinstance(seed, int) or not 0 <= seed < 2**53:
        raise InputError(f"seed is {seed!r}; valid is a whole number from 0 to {2**53 - 1}", key="seed")
    return curriculum.with_seed(seed)
