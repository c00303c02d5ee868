"""Runs the examples of python/examples, which are cells of a notebook, as scripts."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    for package in ("pandas", "polars"):
        pytest.importorskip(package)
    # The command `weir` of the build, if there is one: an example makes a report by it.
    path = os.path.dirname(os.environ.get("WEIR_COMMAND", "")) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", str(example)], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if example.stem == "learning" and "WEIR_COMMAND" in os.environ:
        assert "Validation" in (tmp_path / "report.html").read_text()
