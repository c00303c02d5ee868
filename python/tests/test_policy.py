import pickle

import numpy as np
import pytest
import weir
from weir.policy import Policy, factor, to_onnx

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
    policy = Policy("standard")
    assert policy.tables["format"] == 1 and policy.tables["layer"][0]["inputs"] == policy.width
    y = policy.outputs(np.zeros((3, policy.width), np.float32), policy.start(3))
    assert y.shape == (3,)


def test_wrong_files_are_refused(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text("format = 1\nkind = 'forest'\n")
    with pytest.raises(weir.InputError) as caught:
        Policy(file)
    assert caught.value.file == str(file)
    with pytest.raises(weir.InputError, match="valid is"):
        Policy("no-such-policy")
    pytest.importorskip("onnx")
    with pytest.raises(weir.InputError):
        to_onnx("standard", tmp_path / "no" / "folder.onnx")


@pytest.mark.parametrize("kind, int8", [("mlp", False), ("mlp", True), ("lstm", False), ("tree", False)])
def test_files_and_tables_are_the_same_policy(tmp_path, kind, int8):
    (tmp_path / "policy.toml").write_text(policy_of(kind, int8))
    policy = Policy(tmp_path / "policy.toml")
    for same in (Policy(policy.tables), Policy(policy), pickle.loads(pickle.dumps(policy)),
                 Policy(policy.save(tmp_path / "again.toml"))):
        assert same.text == policy.text and same.digest == policy.digest
    assert (tmp_path / "again.toml").read_text() == policy.text


@pytest.mark.parametrize("name", ["standard", "wide"])
def test_layers_of_another_program_become_a_policy(name):
    policy = Policy(name)
    layers = [(layer["weights"], layer["activation"]) for layer in policy.tables["layer"]]
    same = Policy.from_layers(layers, step=policy.step, provenance={"learner": "mine"}, **policy.settings)
    assert same.digest == policy.digest
    assert same.tables["provenance"] == {"learner": "mine"}
    assert Policy.from_layers(layers).digest == Policy.from_layers(layers, **Policy("standard").settings).digest


def test_an_lstm_of_another_program_decides_by_its_own_rule():
    """PyTorch's order of gates is that of a policy: input, forget, cell, output."""
    random = np.random.default_rng(5)
    of_inputs, of_hidden, last = (random.normal(size=size).astype(np.float32) for size in ((12, 4), (12, 3), (1, 3)))
    policy = Policy.from_layers([(np.hstack([of_inputs, of_hidden]), "lstm"), (last, "none")])
    memory, hidden, cell = policy.start(), np.zeros(3), np.zeros(3)

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    for observation in random.normal(size=(5, 4)).astype(np.float32):
        i, f, g, o = (of_inputs @ observation + of_hidden @ hidden).reshape(4, 3)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        np.testing.assert_allclose(policy.outputs(observation[None], memory), np.tanh(last @ hidden), atol=1e-5)


def test_layers_that_are_no_policy_are_refused():
    good = np.ones((1, 4))
    for layers, key in (
        ([(np.ones((3, 4)), "relu")], "layer"),
        ([(np.ones((3, 5)), "relu"), (np.ones((1, 3)), "none")], "layer"),
        ([(np.ones((1, 4)), "gelu")], "layer"),
        ([([1.0, 2.0], "none")], "layers"),
        ([(np.full((1, 4), np.nan), "none")], "layers"),
    ):
        with pytest.raises(weir.InputError) as caught:
            Policy.from_layers(layers)
        assert caught.value.key.startswith(key) and caught.value.file is None
    with pytest.raises(weir.InputError) as caught:
        Policy.from_layers([(good, "none")], step=2)
    assert caught.value.key == "step"
    with pytest.raises(weir.InputError, match="toml"):
        Policy.from_layers([(good, "none")]).save("policy.txt")


def test_a_network_is_made_small(tmp_path):
    policy = Policy("standard")
    small, tree = policy.quantised(), policy.distilled(leaves=50)
    assert (small.tables["arithmetic"], tree.tables["kind"]) == ("int8", "tree")
    assert sum(len(node) == 1 for node in tree.tables["nodes"]) <= 50
    random = np.random.default_rng(1)
    rows = np.column_stack([random.uniform(0.9, 1.1, 200), random.uniform(-1, 1, 200)] * 2).astype(np.float32)
    outputs = [p.outputs(rows, p.start(len(rows))) for p in (policy, small, tree)]
    assert 0 < np.abs(outputs[1] - outputs[0]).max() < 0.05
    assert np.abs(outputs[2] - outputs[0]).mean() < 0.3
    table = tmp_path / "inputs.csv"
    table.write_text("in1,in2,in3,in4\n" + "\n".join(",".join(map(str, row)) for row in rows.tolist()))
    assert policy.quantised(table).digest != small.digest
    with pytest.raises(weir.InputError):
        small.quantised()
    with pytest.raises(weir.InputError) as caught:
        policy.distilled(leaves=0)
    assert caught.value.key == "leaves"


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
