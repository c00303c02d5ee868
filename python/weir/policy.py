"""Policies of pcc_rl (docs/guides/learning.md): reading and making them, deciding by them, their export to ONNX."""

from __future__ import annotations

import os
import pathlib
import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _weir
from ._errors import InputError
from ._values import file_name, to_toml

if TYPE_CHECKING:
    from .gym import Settings

__all__ = ["Policy", "Source", "factor", "to_onnx"]


@overload
def factor(y: float, step: float = 0.2) -> float: ...
@overload
def factor(y: NDArray[Any], step: float = 0.2) -> NDArray[Any]: ...
def factor(y: float | NDArray[Any], step: float = 0.2) -> float | NDArray[Any]:
    """The factor for a rate that a policy's output y in [-1, 1] stands for: 1 + step * y, or 1 / (1 - step * y) below 0.

    y may be a number or an array.
    """
    if isinstance(y, (int, float)):
        return 1 + step * y if y >= 0 else 1 / (1 - step * y)
    values: NDArray[Any] = np.asarray(y)
    up: NDArray[Any] = 1 + step * np.abs(values)
    return np.where(values >= 0, up, 1 / up)


class Policy:
    """A policy as the simulator evaluates it, to the bit, for many flows at once.

    source   a policy file, the name of a policy that comes with Weir, or the tables of such a file as a dictionary

    width    numbers of an observation
    step     how far an output of 1 or -1 changes a rate
    memory   bytes of a flow's row of memory, in which are the network's state and what the flow has seen; start() sets it
    digest   the checksum of all that decides
    """

    def __init__(self, source: Source) -> None:
        if isinstance(source, Policy):
            source = source.tables
        if isinstance(source, Mapping):
            text = "".join(f"{key} = {to_toml(value, key)}\n" for key, value in source.items())
            self._inner = _weir.Decider.of_text(text)
        else:
            self._inner = _weir.Decider.of_name(file_name(source))
        self.width = self._inner.width
        self.step = self._inner.step
        self.memory = self._inner.memory
        self.digest = self._inner.digest

    @classmethod
    def from_layers(
        cls,
        layers: Sequence[tuple[ArrayLike, str]],
        *,
        step: float = 0.2,
        provenance: Mapping[str, str] | None = None,
        **settings: Unpack[Settings],
    ) -> Policy:
        """A policy of a network that another program has trained.

        layers      (weights, activation) of each, from the observation on. weights[i][j] leads from input j to unit i; there
                    are no biases. The activation is "relu", "tanh" or "none". That of the last layer, of one unit, is
                    "none": its tanh is the output. With "lstm" there are four rows for each unit, first those of all input
                    gates, then of forget gates, cells and output gates, and behind the columns of the inputs are those of
                    the hidden units
        step        as of the environment in which it was trained
        provenance  texts that the file keeps
        settings    as of that environment; profiles, reward and first_rates are of no account here
        """
        tables: list[dict[str, object]] = []
        for weights, activation in layers:
            rows: NDArray[np.float32] = np.asarray(weights, np.float32)
            if rows.ndim != 2 or not np.isfinite(rows).all():
                raise InputError("layers: valid weights are a matrix of finite numbers", key="layers")
            if activation == "lstm":
                shape = {"type": "lstm", "inputs": rows.shape[1] - len(rows) // 4, "outputs": len(rows) // 4}
            else:
                shape = {"type": "dense", "inputs": rows.shape[1], "outputs": len(rows), "activation": activation}
            tables.append({**shape, "weights": rows.tolist()})
        inputs = settings.get("inputs", "code")
        queue_unit = settings.get("queue_unit", 0.0)
        base_rtt = settings.get("base_rtt", 0.0 if queue_unit > 0 else 8.192e-6)
        signal = {
            "target": settings.get("target", 0.064),
            "beta": settings.get("beta", 1.5),
            "scale": settings.get("scale", 12.5),
            "base_rtt": f"{round(base_rtt * 1e12)} ps",
            "queue_unit": f"{round(queue_unit * 1e12)} ps",
            "queue_packets": settings.get("queue_packets", 0.0),
            "power": settings.get("power", 0.5),
        }
        return cls(
            {
                "format": 1,
                "kind": "lstm" if any(activation == "lstm" for _, activation in layers) else "mlp",
                "arithmetic": "float32",
                "inputs": inputs,
                "history": settings.get("history", 2 if inputs == "code" else 1),
                "clip": settings.get("clip", 8.0),
                "step": step,
                "signal": signal,
                "layer": tables,
                "provenance": dict(provenance or {}),
            }
        )

    @property
    def text(self) -> str:
        """The policy's file."""
        return self._inner.text

    @property
    def tables(self) -> dict[str, Any]:
        """The tables of the policy's file, as tomllib reads them."""
        return tomllib.loads(self.text)

    @property
    def settings(self) -> Settings:
        """The settings with which environments of weir.gym show what this policy sees."""
        tables = self.tables
        signal = tables["signal"]
        return {
            "inputs": tables["inputs"],
            "history": tables["history"],
            "clip": tables["clip"],
            "target": signal["target"],
            "beta": signal["beta"],
            "scale": signal["scale"],
            "base_rtt": _weir.seconds(signal["base_rtt"]),
            "queue_unit": _weir.seconds(signal.get("queue_unit", "0 s")),
            "queue_packets": signal.get("queue_packets", 0.0),
            "power": signal.get("power", 0.5),
        }

    def save(self, file: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the policy's file, which scenarios can name. Its name ends in .toml."""
        target = pathlib.Path(file_name(file))
        if target.suffix != ".toml":
            raise InputError(f"{target}: write a name that ends in .toml", file=str(target))
        try:
            target.write_text(self.text)
        except OSError as error:
            raise InputError(f"{target}: cannot be written: {error.strerror}", file=str(target)) from error
        return target

    def quantised(self, calibration: str | os.PathLike[str] | None = None) -> Policy:
        """A network of int8 weights, as `weir policy quantise` makes it.

        calibration   a table of inputs such as inputs.csv of a training; None: those of simulated flows
        """
        return _of_text(self._inner.quantised(None if calibration is None else file_name(calibration)))

    def distilled(self, calibration: str | os.PathLike[str] | None = None, *, leaves: int = 1000) -> Policy:
        """A regression tree of at most so many leaves, as `weir policy distil` makes it; calibration as of quantised()."""
        return _of_text(self._inner.distilled(None if calibration is None else file_name(calibration), leaves))

    def start(self, flows: int = 1) -> NDArray[np.uint8]:
        """Memory for so many flows that have just started, uint8[flows, memory]."""
        memory: NDArray[np.uint8] = np.zeros((flows, self.memory), np.uint8)
        self._inner.start(memory)
        return memory

    def outputs(self, observations: ArrayLike, memory: NDArray[np.uint8]) -> NDArray[np.float32]:
        """y of each row of observations, float32[n, width], with the rows of memory, which change."""
        rows: NDArray[np.float32] = np.ascontiguousarray(observations, np.float32)
        y: NDArray[np.float32] = np.empty(len(rows), np.float32)
        self._inner.evaluate(rows, memory, y)
        return y

    def __reduce__(self) -> tuple[type[Policy], tuple[dict[str, Any]]]:
        return type(self), (self.tables,)

    def __repr__(self) -> str:
        tables = self.tables
        return f"<weir.policy.Policy {tables['kind']}, {tables.get('arithmetic', 'float32')}, digest {self.digest}>"


Source: TypeAlias = "Policy | str | os.PathLike[str] | Mapping[str, object]"


def _of_text(text: str) -> Policy:
    return Policy(tomllib.loads(text))


def to_onnx(policy: Source, out: str | os.PathLike[str]) -> None:
    """Writes a policy to the file `out` as an ONNX model, which needs the package onnx.

    Inputs:  observations, float32[n, width], as environments with the policy's settings give them.
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

    model = model_of(Policy(policy).tables, onnx)
    target = file_name(out)
    onnx.checker.check_model(model)
    try:
        onnx.save(model, target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}", file=target) from error
