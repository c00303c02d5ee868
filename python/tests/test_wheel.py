"""The package as pip installs it, beside packages with C++ libraries of their own, in both orders of import."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import weir

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(weir.__file__).parent
STREAM = PACKAGE.parent / "tests" / "stream.so"

PROGRAM = """
import ctypes, importlib.metadata, sys
{imports}
import weir, weir.policy

stream = ctypes.CDLL(sys.argv[1])
stream.read_number.restype = ctypes.c_double
assert stream.read_number(b"0.1") == 0.1
assert weir.__version__.startswith(importlib.metadata.version("weir"))
scenario = weir.Scenario.from_text(
    "[topology]\\nkind = 'star'\\nhosts = 3\\n[algorithm]\\nname = 'hpcc'\\neta = 0.9\\n"
    "[[traffic]]\\nkind = 'incast'\\nsize = '10 KB'\\nreceiver = 'last'\\n"
)
flows = weir.run(scenario).flows
assert weir.policy.Policy("standard").step == 0.2
{use}
print(weir.__file__)
"""
USES = {
    "pandas": "assert pandas.read_csv('numbers.csv')['a'].sum() == 0.75; assert len(flows.to_pandas()) == 2",
    "pyarrow": "import pyarrow.csv; assert pyarrow.csv.read_csv('numbers.csv')['a'].to_pylist() == [0.25, 0.5]; "
    "assert pyarrow.table(flows).num_rows == 2",
    "onnx": "weir.policy.to_onnx('standard', 'standard.onnx'); onnx.checker.check_model('standard.onnx')",
}


@pytest.fixture(name="installed", scope="module")
def installed_fixture(tmp_path_factory):
    """The folder into which pip has installed a wheel of the modules that are built, as pyproject.toml makes it."""
    pytest.importorskip("scikit_build_core")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    for name in ("CMakeLists.txt", "LICENSE", "pyproject.toml", "docs/guides/python.md"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(PACKAGE, source / "python" / "weir")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    as_it_is = ["--no-build-isolation", "--config-settings", "wheel.cmake=false", "--config-settings", "wheel.py-api=py3"]
    subprocess.run([*pip, *as_it_is, "--target", target, source], check=True, capture_output=True, timeout=600)
    return target


@pytest.mark.parametrize("weir_is_first", [True, False])
@pytest.mark.parametrize("other", USES)
def test_it_lives_with_others(installed, tmp_path, other, weir_is_first):
    pytest.importorskip(other)
    (tmp_path / "numbers.csv").write_text("a\n0.25\n0.5\n")
    imports = f"import weir\nimport {other}" if weir_is_first else f"import {other}\nimport weir"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imports=imports, use=USES[other]), STREAM],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(installed)}, capture_output=True, text=True, timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert pathlib.Path(done.stdout.strip()).is_relative_to(installed)
