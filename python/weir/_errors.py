"""Errors that the extension module raises, and those that come from other processes."""

from __future__ import annotations

import pickle
import traceback


class InputError(ValueError):
    """What was given cannot be used. The message says what is wrong, where, and what would be valid.

    file, line   the place in a file; None where there is none
    key          the dotted key in a scenario, such as "algorithm.decision_latency", or the name of a parameter; or None
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None, key: str | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.key = key

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str | None, int | None, str | None]]:
        return type(self), (str(self), self.file, self.line, self.key)


def portable(error: BaseException) -> BaseException:
    """The error, if another process can be told it by pickle; otherwise a RuntimeError that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception_only(error)).strip())
    return error
