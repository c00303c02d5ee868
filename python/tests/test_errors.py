import pickle

import pytest
import weir
import weir.policy


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


def test_text_that_utf8_cannot_write(star, tmp_path):
    half = "\udcff"
    for values, key in (({"algorithm.name": half}, "algorithm.name"), ([f"title={half}"], "title"), ({half: 1}, r"\udcff")):
        with pytest.raises(weir.InputError, match="valid is text that can be written as UTF-8") as caught:
            weir.Scenario.from_dict(star).with_values(values)
        assert caught.value.key == key
    for call in (weir.Scenario.from_file, weir.read, weir.policy.Policy, lambda name: weir.run(star, out=name)):
        for name in (half, b"\xff", tmp_path / half):
            with pytest.raises(weir.InputError, match="valid is a file whose name is UTF-8"):
                call(name)


def test_names_of_files_may_be_bytes(many_to_one, tmp_path):
    scenario = many_to_one(2, "2 us", "1 ms")
    (tmp_path / "two.toml").write_text(scenario.to_toml())
    assert weir.Scenario.from_file(str(tmp_path / "two.toml").encode()) == scenario


def test_scenarios_are_values(many_to_one):
    text = many_to_one(2, "2 us", "1 ms").to_toml()
    assert weir.Scenario.from_text(text).to_toml() == text
    assert weir.__version__
