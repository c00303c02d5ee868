import numpy as np
import pytest
import weir
from weir.policy import Policy, factor, load, to_onnx

SIGNAL = '[signal]\ntarget = 0.064\nbeta = 1.5\nscale = 12.5\nbase_rtt = "8192 ns"\n'
HEAD = 'format = 1\nkind = "{}"\narithmetic = "{}"\ninputs = "{}"\nhistory = {}\nclip = 8.0\nstep = 0.2\n'


def dense(random, inputs, outputs, activation, int8):
    return layer_text("dense", inputs, outputs, random.normal(size=(outputs, inputs)), int8, activation)


def lstm(random, inputs, outputs, int8):
    return layer_text("lstm", inputs, outputs, random.normal(size=(4 * outputs, inputs + outputs)), int8)


def layer_text(kind, inputs, outputs, weights, int8, activation=None):
    text = f'[[layer]]\ntype = "{kind}"\ninputs = {inputs}\noutputs = {outputs}\n'
    if activation:
        text += f'activation = "{activation}"\n'
    if int8:
        scales = np.abs(weights).max(axis=1) / 127
        weights = np.round(weights / scales[:, None]).astype(int)
        text += f"input_scale = 0.001\nrow_scales = {[float(s) for s in scales]}\n"
    return text + f"weights = {weights.tolist()}\n"


def policy_of(kind, int8):
    random = np.random.default_rng(2)
    if kind == "tree":
        return HEAD.replace('arithmetic = "{}"\n', "").format("tree", "code", 2) + (
            "nodes = [[1, 0.5, 1, 2], [0, -0.25, 3, 4], [0.75], [-1.0], [0.125]]\n" + SIGNAL
        )
    head = HEAD.format(kind, "int8" if int8 else "float32", "code", 2) + SIGNAL
    if kind == "mlp":
        return head + dense(random, 4, 12, "relu", int8) + dense(random, 12, 12, "tanh", int8) + dense(
            random, 12, 1, "none", int8
        )
    return head + dense(random, 4, 16, "relu", int8) + lstm(random, 16, 8, int8) + dense(random, 8, 1, "none", int8)


@pytest.mark.parametrize("kind, int8", [("mlp", False), ("mlp", True), ("lstm", False), ("lstm", True), ("tree", False)])
def test_the_model_decides_as_the_simulator(tmp_path, kind, int8):
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    file = tmp_path / "policy.toml"
    file.write_text(policy_of(kind, int8) + '\n[provenance]\nseed = "7"\n')
    model = tmp_path / "policy.onnx"
    to_onnx(file, model)
    assert [(p.key, p.value) for p in onnx.load(model).metadata_props] == [("seed", "7")]
    evaluator = ReferenceEvaluator(str(model))
    policy = Policy(file)
    flows = 50
    memory = policy.start(flows)
    states = {i.name: np.zeros((1, flows, 8), np.float32) for i in evaluator.proto_.graph.input[1:]}
    random = np.random.default_rng(3)
    worst = 0
    for _ in range(4):
        observations = random.normal(size=(flows, 4)).astype(np.float32)
        y, scale, *rest = evaluator.run(None, {"observations": observations, **states})
        expected = policy.outputs(observations, memory)
        worst = max(worst, np.abs(y[:, 0] - expected).max())
        np.testing.assert_allclose(scale[:, 0], factor(y[:, 0], policy.step), rtol=1e-6)
        states = dict(zip(states, rest))
    assert worst < (0.02 if int8 else 1e-5)


def test_a_policy_that_comes_with_weir():
    tables = load("standard")
    assert tables["format"] == 1
    policy = Policy("standard")
    y = policy.outputs(np.zeros((3, policy.width), np.float32), policy.start(3))
    assert y.shape == (3,)


def test_wrong_files_are_refused(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text("format = 1\nkind = 'forest'\n")
    with pytest.raises(weir.InputError) as caught:
        load(file)
    assert caught.value.file == str(file)
    with pytest.raises(weir.InputError, match="valid is"):
        load("no-such-policy")
    pytest.importorskip("onnx")
    with pytest.raises(weir.InputError):
        to_onnx("standard", tmp_path / "no" / "folder.onnx")


def test_wrong_shapes_are_refused():
    policy = Policy("standard")
    with pytest.raises(weir.InputError):
        policy.outputs(np.zeros((3, policy.width + 1)), policy.start(3))
    with pytest.raises(weir.InputError):
        policy.outputs(np.zeros((3, policy.width)), policy.start(2))


def test_factors():
    assert factor(0.0) == 1
    assert factor(1.0) == pytest.approx(1.2)
    assert factor(-1.0) == pytest.approx(1 / 1.2)
    np.testing.assert_allclose(factor(np.array([-1.0, 0.0, 0.5]), 0.5), [1 / 1.5, 1, 1.25])
