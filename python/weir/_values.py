"""Values of scenarios as TOML, and what may stand for a scenario."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from . import _weir
from ._errors import InputError

Values: TypeAlias = Sequence[str] | Mapping[str, object]
Source: TypeAlias = _weir.Scenario | str | os.PathLike[str] | Mapping[str, object]


def assignments(values: Values) -> list[str]:
    """The values as 'key=value', in order. Those of inner dictionaries have dotted keys."""
    if isinstance(values, str):
        raise TypeError("values are a list of texts 'key=value', or a dictionary")
    out = _flat(values, "") if isinstance(values, Mapping) else list(values)
    for text in out:
        if not _is_utf8(text):
            key = ascii(text.partition("=")[0])[1:-1]
            raise InputError(f"{text!a}: valid is text that can be written as UTF-8", key=key)
    return out


def file_name(file: str | bytes | os.PathLike[str]) -> str:
    """The name of a file as the extension module takes it. Raises InputError unless it is UTF-8."""
    name = os.fsdecode(file)
    if not _is_utf8(name):
        raise InputError(f"{name!a}: valid is a file whose name is UTF-8; rename it")
    return name


# os.listdir() and sys.argv give names that are not UTF-8 as halves of surrogate pairs.
def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _flat(table: Mapping[str, object], prefix: str) -> list[str]:
    out = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            out += _flat(value, f"{prefix}{key}.")
        else:
            out.append(f"{prefix}{key}={to_toml(value, prefix + key)}")
    return out


def to_toml(value: object, key: str) -> str:
    """A value as TOML has it on one line."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a number of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inner = (f"{json.dumps(name, ensure_ascii=False)} = {to_toml(v, f'{key}.{name}')}" for name, v in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(to_toml(v, f"{key}.{i}") for i, v in enumerate(value)) + "]"
    raise TypeError(f"{key}: {type(value).__name__} is no type of a scenario's values")


def scenario_of(source: Source, values: Values = ()) -> _weir.Scenario:
    """A weir.Scenario; a dictionary of its tables; or the name of a file. `values` replace what it says."""
    if isinstance(source, _weir.Scenario):
        return source.with_values(values) if values else source
    if isinstance(source, Mapping):
        return _weir.Scenario.from_values(assignments(source) + assignments(values))
    return _weir.Scenario.from_file(source, values)
