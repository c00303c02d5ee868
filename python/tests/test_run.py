import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest
import weir

ROOT = pathlib.Path(__file__).parents[2]


def test_dictionary_text_and_file_are_the_same_scenario(star, tmp_path):
    from_dict = weir.Scenario.from_dict(star)
    text = from_dict.to_toml()
    (tmp_path / "star.toml").write_text(text)
    digests = {
        weir.run(source).manifest["digest"]
        for source in (star, from_dict, weir.Scenario.from_text(text), tmp_path / "star.toml", str(tmp_path / "star.toml"))
    }
    assert len(digests) == 1
    assert from_dict.to_dict()["topology"]["hosts"] == 9


def test_values_replace_what_the_scenario_says(star):
    s = weir.Scenario.from_dict(star)
    assert s.with_values({"run.seed": 7, "topology": {"hosts": 5}}).to_dict()["run"]["seed"] == 7
    assert s.with_values(["run.seed=7"]) == s.with_values({"run": {"seed": np.int64(7)}})
    assert len(weir.run(star, {"topology.hosts": 5}).flows) == 4
    assert s.to_dict()["topology"]["hosts"] == 9


def test_a_text_that_looks_like_something_else_stays_a_text(star):
    title = 'a "title" = [1]\n\\ \N{SNOWMAN} \x7f'
    assert weir.Scenario.from_dict(star | {"title": title}).to_dict()["title"] == title
    assert weir.Scenario.from_dict(star | {"title": "7"}).to_dict()["title"] == "7"


def test_the_result_is_that_of_the_command(star, tmp_path):
    in_memory = weir.run(star)
    on_disk = weir.run(star, out=tmp_path / "out")
    assert on_disk.path == tmp_path / "out"
    assert in_memory.summary == on_disk.summary == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert in_memory.manifest["digest"] == on_disk.manifest["digest"]
    assert list(in_memory.tables) == list(on_disk.tables) == ["flows", "queue_cdf", "queues"]
    for name, table in in_memory.tables.items():
        with open(tmp_path / "out" / f"{name}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert table.columns == list(rows[0])
        for column in table.columns:
            values = [row[column] for row in rows]
            if table[column].dtype == object:
                assert list(table[column]) == values
            else:
                expected = [float(v) if v else np.nan for v in values]
                np.testing.assert_array_equal(table[column].astype(float), expected)
                np.testing.assert_array_equal(on_disk[name][column], table[column])


def test_messages_without_rows_are_counted(star):
    ring = {"kind": "collective", "operation": "ring-all-reduce", "size": "80 KB", "messages": "sums"}
    result = weir.run(star | {"traffic": [ring]})
    hosts = star["topology"]["hosts"]
    assert repr(result) == f"<weir.Result {2 * (hosts - 1) * hosts} messages finished, 0 not>"


def test_an_existing_directory_is_refused(star, tmp_path):
    weir.run(star, out=tmp_path / "out")
    with pytest.raises(weir.InputError, match="exists already"):
        weir.run(star, out=tmp_path / "out")


def test_a_changed_result_is_refused(star, tmp_path):
    weir.run(star, out=tmp_path / "out")
    with open(tmp_path / "out" / "flows.csv", "a") as file:
        file.write("\n")
    with pytest.raises(weir.InputError, match="flows.csv"):
        weir.read(tmp_path / "out").flows
    with pytest.raises(weir.InputError):
        weir.read(tmp_path / "nothing")


def test_an_error_says_where_it_is(star):
    star["topology"]["hosts"] = "many"
    with pytest.raises(weir.InputError) as caught:
        weir.run(star)
    assert (caught.value.file, caught.value.line, caught.value.key) == (None, None, "topology.hosts")
    assert str(caught.value).startswith("topology.hosts: ")
    with pytest.raises(weir.InputError) as caught:
        weir.Scenario.from_text("title = 'a'\n\nhosts = 9", name="a.toml")
    assert (caught.value.file, caught.value.line) == ("a.toml", 3)
    with pytest.raises(TypeError, match="algorithm.eta"):
        weir.run(star, {"algorithm.eta": object()})


def test_progress_is_told_and_ends_a_run(star):
    star["traffic"] = [{"kind": "poisson", "load": 0.5, "sizes": "WebSearch", "stop": "10 s"}]
    del star["run"]["stop"]
    told = []

    def watch(progress):
        told.append(progress)
        return progress.now_ps < 1_000_000_000

    result = weir.run(star, progress=watch)
    assert not result.is_whole
    assert result.reason == "cancelled"
    assert result.summary["flows"]["finished"] > 0
    assert [p.now_ps for p in told] == sorted(p.now_ps for p in told)
    assert all(p.done is None or 0 <= p.done <= 1 for p in told)


def test_an_error_in_progress_is_raised(star):
    with pytest.raises(ZeroDivisionError):
        weir.run(star, progress=lambda progress: 1 / 0)


def test_a_bar_is_shown_when_asked_for(star, capsys):
    weir.run(star, progress=True)
    assert "ms simulated" in capsys.readouterr().err
    weir.run(star)
    assert capsys.readouterr().err == ""


def test_a_bar_is_shown_in_a_notebook(star, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))  # whose cells it runs in
    weir.run(star)
    assert "ms simulated" in capsys.readouterr().err
    weir.run(star, progress=False)
    assert capsys.readouterr().err == ""


def test_other_threads_go_on_while_it_simulates(star):
    star["traffic"] = [{"kind": "poisson", "load": 0.5, "sizes": "WebSearch", "stop": "10 s"}]
    del star["run"]["stop"]
    counted, ended = 0, threading.Event()

    def simulate():
        end = time.monotonic() + 1
        weir.run(star, progress=lambda progress: time.monotonic() < end)
        ended.set()

    thread = threading.Thread(target=simulate)
    thread.start()
    while not ended.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 50


@pytest.mark.parametrize("call", ["weir.run(s)", "weir.Simulation(s).advance()"])
def test_ctrl_c_ends_a_run(call, tmp_path):
    code = f"""
import weir
s = {{"topology": {{"kind": "star", "hosts": 9}}, "algorithm": {{"name": "hpcc"}},
     "traffic": [{{"kind": "poisson", "load": 0.5, "sizes": "WebSearch", "stop": "1000 s"}}]}}
print("begins", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=600)
    assert out == "interrupted\n"
    assert process.returncode == 0
