import os
import pathlib
import subprocess
import sys

import pytest
import weir

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def test_parquet_has_the_columns_of_the_tables(star, tmp_path):
    result = weir.run(star)
    files = result.to_parquet(tmp_path / "out")
    assert [file.name for file in files] == ["flows.parquet", "queue_cdf.parquet", "queues.parquet"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(file.name for file in files)
    for file in files:
        table = parquet.read_table(file)
        assert table.equals(pyarrow.table(result[file.stem]))


def test_results_of_the_command_become_parquet(star, tmp_path):
    weir.run(star, out=tmp_path / "a")
    call = [sys.executable, "-B", "-m", "weir", "parquet"]
    done = subprocess.run([*call, str(tmp_path / "a") + "/"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == str(tmp_path / "a-parquet" / "flows.parquet")
    assert parquet.read_table(tmp_path / "a-parquet" / "flows.parquet").num_rows == 8
    refused = subprocess.run([*call, str(tmp_path / "b")], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith("weir: ") and refused.stderr.count("\n") == 1
    assert not (tmp_path / "b-parquet").exists()


def test_the_command_writes_the_same(tmp_path):
    command = pathlib.Path(weir.__file__).parents[2] / "bin" / "weir"
    if not command.is_file():
        pytest.skip(f"{command} was not built")
    scenario = pathlib.Path(__file__).parents[2] / "tests" / "scenarios" / "lossy-drops.toml"
    probes = ["--set", "probes.queues.series=true", "--set", "probes.packets=true", "--view-data"]
    call = [command, "run", scenario, *probes, "-q", "--format", "parquet", "--out", tmp_path / "a"]
    subprocess.run(call, env=os.environ | {"WEIR_PYTHON": sys.executable}, check=True, stdout=subprocess.DEVNULL)
    result = weir.read(tmp_path / "a")  # which checks each file
    assert {path.stem for path in (tmp_path / "a").glob("*.parquet")} == set(result.tables)
    assert set(result.tables) >= {"flows", "queues", "packets", "anatomy", "view_courses", "view_pauses"}
    for name, table in result.tables.items():
        written = parquet.read_table(tmp_path / "a" / f"{name}.parquet")
        assert written.schema == pyarrow.table(table).schema
        assert written.to_pydict() == pyarrow.table(table).to_pydict()
