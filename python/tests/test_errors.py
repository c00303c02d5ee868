import pickle

import pytest
import weir


def test_a_wrong_value_has_its_place(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text("[topology]\nkind = 'star'\nhosts = 'many'\n[algorithm]\nname = 'pcc_rl'\n[[traffic]]\nkind = 'incast'\n")
    with pytest.raises(weir.InputError) as caught:
        weir.Scenario.from_file(str(file))
    error = caught.value
    assert (error.file, error.line, error.key) == (str(file), 3, "topology.hosts")
    assert "hosts" in str(error)
    assert isinstance(error, ValueError)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.file, copy.line, copy.key) == (str(error), error.file, error.line, error.key)


def test_an_override_has_a_key_and_no_line(many_to_one):
    with pytest.raises(weir.InputError) as caught:
        many_to_one(2, "soon", "1 ms")
    assert caught.value.key == "algorithm.decision_latency"
    assert caught.value.line is None


def test_a_file_that_is_not_there():
    with pytest.raises(weir.InputError, match="no-such.toml"):
        weir.Scenario.from_file("no-such.toml")


def test_scenarios_are_values(many_to_one):
    text = many_to_one(2, "2 us", "1 ms").to_toml()
    assert weir.Scenario.from_text(text).to_toml() == text
    assert weir.__version__
