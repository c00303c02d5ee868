"""Runs the code blocks of docs/guides/python.md, each by itself. A block of TOML is the file that its first line names."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "guides" / "python.md"
BLOCK = re.compile(r"(?:<!-- needs (?P<needs>\w+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(PAGE.read_text())]
PYTHON = [block for block in BLOCKS if block["language"] == "python"]


def test_the_page_has_blocks():
    assert {block["language"] for block in BLOCKS} == {"sh", "toml", "python"}
    assert len(PYTHON) >= 14


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_a_block_runs(tmp_path, number):
    block = PYTHON[number]
    if block["needs"] and importlib.util.find_spec(block["needs"]) is None:
        pytest.skip(f"{block['needs']} is not installed")
    for file in BLOCKS:
        if file["language"] == "toml":
            name = file["text"].splitlines()[0].removeprefix("# ")
            (tmp_path / name).write_text(file["text"])
    (tmp_path / "block.py").write_text(block["text"])
    result = subprocess.run(
        [sys.executable, "-B", "-W", "error", "block.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stderr
