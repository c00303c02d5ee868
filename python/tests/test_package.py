"""What an installed package has beside its code."""

import ast
import pathlib

import weir
from weir import _weir

FOLDER = pathlib.Path(weir.__file__).parent


def test_it_is_typed():
    assert (FOLDER / "py.typed").is_file()


def test_the_stub_names_what_the_extension_module_has():
    tree = ast.parse((FOLDER / "_weir.pyi").read_text())
    named = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in dir(_weir) if not name.startswith("_")}
    assert set(named) == there
    for name, node in named.items():
        if isinstance(node, ast.ClassDef):
            methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            missing = {m for m in vars(getattr(_weir, name)) if not m.startswith("_")} - methods
            assert not missing, f"{name}: {missing}"


def test_all_of_a_run_has_a_help_text():
    for kind in (weir.Simulation, weir.Scenario, weir.Result, weir.Table):
        for name, member in vars(kind).items():
            if not name.startswith("_"):
                assert (member.__doc__ or "").strip(), f"{kind.__name__}.{name}"
