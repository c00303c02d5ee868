"""Type checkers see what the package is: mypy --strict over it and over a program that uses it."""

import os
import pathlib
import subprocess
import sys

import pytest
import weir

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(weir.__file__).parent
TYPED = ["__init__.py", "__main__.py", "_algorithm.py", "_catalogue.py", "_errors.py", "_onnx.py", "_parquet.py", "_progress.py",
         "_result.py", "_run.py", "_simulation.py", "_table.py", "_traffic.py", "_values.py", "_weir.pyi", "gym/__init__.py", "gym/_settings.py",
         "gym/agents.py", "gym/batch.py", "gym/flow.py", "gym/vector.py", "learn.py", "policy.py", "theory.py"]


def mypy(*files, cwd):
    pytest.importorskip("mypy")
    environment = os.environ | {"MYPYPATH": str(PACKAGE.parent)}
    call = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cwd / "cache"), *map(str, files)]
    return subprocess.run(call, capture_output=True, text=True, cwd=cwd, env=environment, check=False)


def test_the_package_is_typed(tmp_path):
    done = mypy("--follow-imports", "silent", *(PACKAGE / name for name in TYPED), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_programs_are_checked(tmp_path):
    program = tmp_path / "program.py"
    for example in (ROOT / "python" / "examples").glob("*.py"):
        program.write_text(example.read_text())
        done = mypy(program, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import weir\nweir.run(7)\nweir.run('a.toml').flows + 1\nweir.Simulation('a.toml').send('a', 1, 2)\n")
    done = mypy(wrong, cwd=tmp_path)
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {2, 3, 4}, done.stdout
