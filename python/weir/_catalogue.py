"""All that a scenario can name, with help texts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from . import _weir


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter: its default (None: it must be given) and valid values, what it means, and its source."""

    name: str
    type: str
    default: bool | int | float | str | None
    valid: str
    meaning: str
    source: str

    def __str__(self) -> str:
        default = "required" if self.default is None else f"default {self.default}"
        source = f" ({self.source})" if self.source else ""
        return f"{self.name}: {self.meaning}{source}; {self.type}, {default}; valid is {self.valid}"


@dataclasses.dataclass(frozen=True)
class Entry:
    """An algorithm, a topology, a kind of traffic, a probe, ...

    parameters   by table of the scenario, such as '[algorithm] name = "hpcc"'
    presets      named values of the parameters
    """

    name: str
    meaning: str
    source: str
    parameters: dict[str, dict[str, Parameter]]
    presets: dict[str, dict[str, str]]

    def __getitem__(self, name: str) -> Parameter:
        """The parameter of this name in any of its tables."""
        for table in self.parameters.values():
            if name in table:
                return table[name]
        raise KeyError(name)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.meaning}" + (f" ({self.source})" if self.source else "")]
        for header, table in self.parameters.items():
            lines += ["", header, *(f"  {parameter}" for parameter in table.values())]
        for name, values in self.presets.items():
            lines += ["", f"preset {name}: " + ", ".join(f"{key} = {value}" for key, value in values.items())]
        return "\n".join(lines)


class Section(Mapping[str, Entry]):
    """Entries by name."""

    def __init__(self, name: str, entries: dict[str, Entry]) -> None:
        self.name = name
        self._entries = entries

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<weir.Section {self.name}: {', '.join(self)}>"


def _entry(raw: dict[str, Any]) -> Entry:
    tables = {
        table["header"]: {
            p["name"]: Parameter(
                p["name"], p["type"], p.get("default"), p.get("valid", ""), p.get("meaning", ""), p.get("source", "")
            )
            for p in table["parameters"]
        }
        for table in raw.get("tables", [])
    }
    presets = {preset["name"]: dict(preset["values"]) for preset in raw.get("presets", [])}
    return Entry(raw["name"], raw["meaning"], raw["source"], tables, presets)


def catalogue() -> dict[str, Section]:
    """All that a scenario can name, as `weir list` shows it: "algorithms", "topologies", "traffic", "probes", ...

    print(weir.catalogue()["algorithms"]["hpcc"]) shows an algorithm with its parameters.
    """
    sections: dict[str, list[dict[str, Any]]] = json.loads(_weir.catalogue_json())
    return {name: Section(name, {raw["name"]: _entry(raw) for raw in entries}) for name, entries in sections.items()}
