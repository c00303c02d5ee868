"""Environments in which the rates of flows of the algorithm pcc_rl are decided by the program.

FlowEnv        Gymnasium: one flow, against the scenario's other flows
aec_env        PettingZoo, in turn: the flow whose probe has returned is the agent
parallel_env   PettingZoo, all at once: a step is a window of the scenario's decision_latency
VectorEnv      gymnasium.vector: many FlowEnv in one call, on several threads
BatchEnv       many environments with thousands of flows, in arrays
Settings       the types of the settings of observations and rewards, which all of them take by name

An action is a policy's output y in [-1, 1], of which weir.policy.factor() makes the factor for the flow's rate. BatchEnv
takes the factors themselves.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._settings import Settings
from .batch import BatchEnv

if TYPE_CHECKING:
    from .agents import aec_env as aec_env
    from .agents import parallel_env as parallel_env
    from .flow import FlowEnv as FlowEnv
    from .vector import VectorEnv as VectorEnv

__all__ = ["BatchEnv", "FlowEnv", "Settings", "VectorEnv", "aec_env", "parallel_env"]

# Those that need Gymnasium or PettingZoo are imported when they are asked for.
_PLACES = {"FlowEnv": "flow", "VectorEnv": "vector", "aec_env": "agents", "parallel_env": "agents"}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
