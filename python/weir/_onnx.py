"""The graph of a policy in ONNX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_OPSET = 17
_ML_OPSET = 3
_IR = 9


class _Graph:
    """Nodes and constants as they are added, one after another."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._count = 0

    def constant(self, value: ArrayLike, dtype: DTypeLike = np.float32) -> str:
        name = self._fresh("c")
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def add(self, op: str, *inputs: str, outputs: list[str] | None = None, **attributes: Any) -> str:
        outputs = outputs or [self._fresh("v")]
        self.nodes.append(self.onnx.helper.make_node(op, list(inputs), outputs, **attributes))
        return outputs[0]

    def tensor(self, where: list[Any], name: str, *shape: int | str) -> None:
        where.append(
            self.onnx.helper.make_tensor_value_info(name, self.onnx.TensorProto.FLOAT, list(shape))
        )

    def _fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"


def model_of(policy: Mapping[str, Any], onnx: Any) -> Any:
    """The model of a policy's tables."""
    g = _Graph(onnx)
    width = 4 if policy["inputs"] == "paper" else 2 * policy["history"]
    g.tensor(g.inputs, "observations", "n", width)
    g.tensor(g.outputs, "y", "n", 1)
    g.tensor(g.outputs, "factor", "n", 1)

    clip = float(policy["clip"])
    x = g.add("Clip", "observations", g.constant(-clip), g.constant(clip))
    if policy["kind"] == "tree":
        _tree(g, policy["nodes"], x)
    else:
        int8 = policy.get("arithmetic", "float32") == "int8"
        for k, layer in enumerate(policy["layer"]):
            x = _lstm(g, layer, k, x, int8) if layer["type"] == "lstm" else _dense(g, layer, x, int8)
        g.add("Tanh", x, outputs=["y"])

    one = g.constant(1.0)
    up = g.add("Add", one, g.add("Mul", g.constant(policy["step"]), g.add("Abs", "y")))
    rises = g.add("GreaterOrEqual", "y", g.constant(0.0))
    g.add("Where", rises, up, g.add("Div", one, up), outputs=["factor"])

    graph = onnx.helper.make_graph(g.nodes, "weir_policy", g.inputs, g.outputs, g.constants)
    opsets = [onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
    model = onnx.helper.make_model(graph, producer_name="weir", opset_imports=opsets, ir_version=_IR)
    provenance = {key: str(value) for key, value in policy.get("provenance", {}).items()}
    onnx.helper.set_model_props(model, provenance)
    return model


def _weights(layer: Mapping[str, Any], int8: bool) -> NDArray[np.float32]:
    weights: NDArray[np.float32] = np.asarray(layer["weights"], np.float32)
    if int8:
        weights = weights * np.asarray(layer["row_scales"], np.float32)[:, None]
    return weights


# The layer's inputs in whole units of its input_scale, 16 bits.
def _rounded(g: _Graph, layer: Mapping[str, Any], x: str, int8: bool) -> str:
    if not int8:
        return x
    scale = g.constant(layer["input_scale"])
    units = g.add("Floor", g.add("Add", g.add("Div", x, scale), g.constant(0.5)))
    return g.add("Mul", g.add("Clip", units, g.constant(-32767.0), g.constant(32767.0)), scale)


def _dense(g: _Graph, layer: Mapping[str, Any], x: str, int8: bool) -> str:
    x = g.add("MatMul", _rounded(g, layer, x, int8), g.constant(_weights(layer, int8).T))
    activation = layer.get("activation", "none")
    return x if activation == "none" else g.add({"relu": "Relu", "tanh": "Tanh"}[activation], x)


# Gates are input, forget, cell, output in the file, and input, output, forget, cell in ONNX.
def _lstm(g: _Graph, layer: Mapping[str, Any], k: int, x: str, int8: bool) -> str:
    units, inputs = layer["outputs"], layer["inputs"]
    gates = _weights(layer, int8).reshape(4, units, inputs + units)[[0, 3, 1, 2]].reshape(4 * units, -1)
    names = [f"hidden_{k}", f"cell_{k}"]
    for name in names:
        g.tensor(g.inputs, name, 1, "n", units)
        g.tensor(g.outputs, f"next_{name}", 1, "n", units)
    steps = g.add("Unsqueeze", _rounded(g, layer, x, int8), g.constant([0], np.int64))
    w = g.constant(gates[None, :, :inputs])
    r = g.constant(gates[None, :, inputs:])
    g.add("LSTM", steps, w, r, "", "", *names, outputs=["", "next_" + names[0], "next_" + names[1]], hidden_size=units)
    return g.add("Squeeze", "next_" + names[0], g.constant([0], np.int64))


def _tree(g: _Graph, nodes: list[list[float]], x: str) -> None:
    inner = [len(node) == 4 for node in nodes]
    leaves = [i for i, is_inner in enumerate(inner) if not is_inner]
    g.add(
        "TreeEnsembleRegressor",
        x,
        outputs=["y"],
        domain="ai.onnx.ml",
        n_targets=1,
        nodes_treeids=[0] * len(nodes),
        nodes_nodeids=list(range(len(nodes))),
        nodes_modes=["BRANCH_LT" if is_inner else "LEAF" for is_inner in inner],
        nodes_featureids=[int(node[0]) if is_inner else 0 for node, is_inner in zip(nodes, inner)],
        nodes_values=[float(node[1]) if is_inner else 0.0 for node, is_inner in zip(nodes, inner)],
        nodes_truenodeids=[int(node[2]) if is_inner else 0 for node, is_inner in zip(nodes, inner)],
        nodes_falsenodeids=[int(node[3]) if is_inner else 0 for node, is_inner in zip(nodes, inner)],
        target_treeids=[0] * len(leaves),
        target_nodeids=leaves,
        target_ids=[0] * len(leaves),
        target_weights=[float(nodes[i][0]) for i in leaves],
    )
