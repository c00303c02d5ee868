import os
import pickle
import subprocess

import numpy as np
import pytest
import weir
import weir.learn

SMALL = {
    "title": "small",
    "learner": {"updates": 7, "rollout": 6, "reset_every": 3, "seed": 5},
    "scenario": {"topology": {"rate": "100 Gbps", "delay": "2 us"}},
    "validation": {"flows": [3], "every": 3, "duration": "300 us"},
    "environment": [{"flows": 2}, {"flows": 4, "set": ["topology.delay=1 us"]}],
}
FILE = """
title = "small"
[learner]
updates = 7
rollout = 6
reset_every = 3
seed = 5
[scenario.topology]
rate = "100 Gbps"
delay = "2 us"
[validation]
flows = [3]
every = 3
duration = "300 us"
[[environment]]
flows = 2
[[environment]]
flows = 4
set = ["topology.delay=1 us"]
"""
FILES = ["checkpoint", "curriculum.toml", "inputs.csv", "last.toml", "policy.toml", "progress.csv"]


def contents(directory):
    assert sorted(os.listdir(directory)) == FILES
    return {name: (directory / name).read_bytes() for name in FILES}


def test_it_writes_what_the_command_writes(tmp_path):
    command = os.environ.get("WEIR_COMMAND")
    if command is None:
        pytest.skip("WEIR_COMMAND does not name the command weir")
    (tmp_path / "small.toml").write_text(FILE)
    subprocess.run([command, "train", "small.toml", "--seed", "9", "--out", "command", "--quiet"], cwd=tmp_path, check=True,
                   stdout=subprocess.DEVNULL)
    expected = contents(tmp_path / "command")
    weir.learn.train(tmp_path / "small.toml", tmp_path / "file", seed=9)
    weir.learn.train(SMALL, tmp_path / "tables", seed=9, threads=1)
    assert contents(tmp_path / "file") == expected
    assert contents(tmp_path / "tables") == expected


def test_a_training_goes_on_from_where_it_was_left(tmp_path):
    whole = weir.learn.train(SMALL, tmp_path / "whole")
    for update in weir.learn.Trainer(SMALL, tmp_path / "pieces"):
        if update.update == 4:
            break
    with pytest.raises(weir.InputError, match="a training is there already"):
        weir.learn.Trainer(SMALL, tmp_path / "pieces")
    resumed = weir.learn.train(SMALL, tmp_path / "pieces", resume=True)
    assert contents(tmp_path / "pieces") == contents(tmp_path / "whole")
    assert resumed.policy.text == whole.policy.text == (tmp_path / "whole" / "policy.toml").read_text()


def test_updates_are_told_and_files_are_not_needed(tmp_path):
    told = []
    training = weir.learn.train(SMALL, tmp_path / "out", progress=told.append)
    again = weir.learn.Trainer(SMALL)
    with pytest.raises(RuntimeError, match="0 of 7 updates"):
        again.training
    assert list(again) == told
    assert again.training.policy.text == training.policy.text and again.training.directory is None
    assert [update.update for update in told] == list(range(1, 8))
    assert [update.update for update in told if update.score is not None] == [3, 6, 7]
    assert training.score == max(update.score for update in told if update.score is not None)
    rows = np.genfromtxt(tmp_path / "out" / "progress.csv", delimiter=",", names=True)
    np.testing.assert_allclose(rows["loss"], [update.loss for update in told], rtol=1e-5)
    np.testing.assert_allclose(rows["queue_us"], [update.queue_ps * 1e-6 for update in told], rtol=1e-5)
    assert training.inputs == tmp_path / "out" / "inputs.csv" and again.training.inputs is None
    assert pickle.loads(pickle.dumps(training)).policy.digest == training.policy.digest


def test_validating_the_best_policy_gives_its_validation(tmp_path):
    training = weir.learn.train(SMALL)
    seen = weir.learn.validate(training.policy, SMALL)
    assert seen.columns == training.validation.columns
    for name in seen.columns:
        assert seen[name].tolist() == training.validation[name].tolist()
    assert seen["score"].min() == training.score
    (tmp_path / "small.toml").write_text(FILE)
    other = weir.learn.validate("standard", tmp_path / "small.toml", threads=1)
    assert other["flows"].tolist() == [3] and other["queue_ps"].tolist() != seen["queue_ps"].tolist()


def test_methods_without_a_policy_give_none(tmp_path):
    tables = {**SMALL, "learner": {**SMALL["learner"], "method": "ppo-discrete", "updates": 2}}
    training = weir.learn.train(tables, tmp_path / "out")
    assert training.policy is None and training.inputs is None and len(training.validation) == 1


def test_what_cannot_be_used_is_refused(tmp_path):
    def fails(key, *given, **more):
        with pytest.raises(weir.InputError) as caught:
            weir.learn.Trainer(*given, **more)
        assert caught.value.key == key
        return caught.value

    error = fails("learner.updates", {**SMALL, "learner": {"updates": 0}})
    assert error.file is None and error.line is None and "valid is 1 to" in str(error)
    assert "learner.update" in str(fails("learner.update", {**SMALL, "learner": {"update": 1}}))
    fails("environment", {})
    fails("seed", SMALL, seed=-1)
    fails("threads", SMALL, threads=-1)
    fails("resume", SMALL, resume=True)
    (tmp_path / "wrong.toml").write_text("[learner]\nupdates = 0\n")
    error = fails("learner.updates", tmp_path / "wrong.toml")
    assert error.file == str(tmp_path / "wrong.toml") and error.line == 2
    with pytest.raises(weir.InputError, match="valid is"):
        weir.learn.validate("no-such-policy", SMALL)
