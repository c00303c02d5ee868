"""References of the two programming interfaces, made of their sources without running them."""
import ast
import re


def signature(function):
    return f"{function.name}({ast.unparse(function.args)})" + (f" -> {ast.unparse(function.returns)}" if function.returns else "")


def documented(nodes):
    """Public functions and classes that have a docstring."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") and ast.get_docstring(node):
            yield node


def docstring(node):
    # As it is: docstrings of this package are plain text with aligned columns.
    return ["```text", ast.get_docstring(node), "```", ""]


def write_python(root, file):
    out = ["# Python", "", "Modules, classes and functions of the package `weir`, with their docstrings. "
           "[Weir in Python](../guides/python.md) shows how they are used.", ""]
    package = root / "python/weir"
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        if any(part.startswith("_") for part in name.split(".")[1:]):
            continue
        tree = ast.parse(path.read_text())
        nodes = list(documented(tree.body))
        if not nodes and not ast.get_docstring(tree):
            continue
        out += [f"## {name}", ""]
        if ast.get_docstring(tree):
            out += docstring(tree)
        for node in nodes:
            head = f"class {node.name}" if isinstance(node, ast.ClassDef) else signature(node)
            out += [f"### `{node.name}`" if isinstance(node, ast.ClassDef) else f"### `{node.name}()`", "", f"`{name}.{head}`"
                    if not isinstance(node, ast.ClassDef) else f"`{head}`", "", *docstring(node)]
            if isinstance(node, ast.ClassDef):
                for method in documented(node.body):
                    out += [f"**`{signature(method)}`**", "", *docstring(method)]
    file.write_text("\n".join(out))
