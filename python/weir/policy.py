"""Files of trained policies (docs/guides/learning.md): deciding by them, and their export to ONNX."""

from __future__ import annotations

import tomllib

import numpy as np

from . import _weir
from ._errors import InputError
from ._values import file_name

__all__ = ["Policy", "factor", "load", "to_onnx"]


def factor(y, step=0.2):
    """The factor for a rate that a policy's output y in [-1, 1] stands for: 1 + step * y, or 1 / (1 - step * y) below 0.

    y may be a number or an array.
    """
    if isinstance(y, (int, float)):
        return 1 + step * y if y >= 0 else 1 / (1 - step * y)
    y = np.asarray(y)
    up = 1 + step * np.abs(y)
    return np.where(y >= 0, up, 1 / up)


def load(path) -> dict:
    """The tables of a policy file, or of one that comes with Weir, as tomllib reads them, once Weir has checked it."""
    return tomllib.loads(_weir.policy_text(file_name(path)))


class Policy:
    """A policy as the simulator evaluates it, to the bit, for many flows at once.

    Each flow has a row of memory, `memory` bytes: the network's state and what the flow has seen. start() sets it.
    """

    def __init__(self, path):
        self._inner = _weir.Decider(file_name(path))
        self.width = self._inner.width
        self.step = self._inner.step
        self.memory = self._inner.memory

    def start(self, flows=1):
        """Memory for so many flows that have just started, uint8[flows, memory]."""
        memory = np.zeros((flows, self.memory), np.uint8)
        self._inner.start(memory)
        return memory

    def outputs(self, observations, memory):
        """y of each row of observations, float32[n, width], with the rows of memory, which change."""
        observations = np.ascontiguousarray(observations, np.float32)
        y = np.empty(len(observations), np.float32)
        self._inner.evaluate(observations, memory, y)
        return y


def to_onnx(path, out) -> None:
    """Writes a policy to the file `out` as an ONNX model, which needs the package onnx.

    Inputs:  observations, float32[n, width], as environments with the policy's inputs, history and signal give them.
             For each layer k that is an LSTM also hidden_k and cell_k, float32[1, n, units], 0 at a flow's start.
    Outputs: y and factor, float32[n, 1], and the states after the decision, next_hidden_k and next_cell_k.

    Numbers are float32. What rounds differently changes the last bits. An int8 policy is written with the values that
    its whole numbers stand for and with its layers' inputs rounded as it rounds them; y is that of the simulator up to
    the coarser tanh there.
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError("weir.policy.to_onnx() needs the package onnx: pip install onnx") from error
    from ._onnx import model_of

    model = model_of(load(path), onnx)
    target = file_name(out)
    onnx.checker.check_model(model)
    try:
        onnx.save(model, target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}", file=target) from error
