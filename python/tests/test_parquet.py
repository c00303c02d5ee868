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
