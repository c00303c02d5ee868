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


def write_headers(root, folder):
    """The public headers, whose comments say what each is for, and the units, ranges and errors of each function."""
    folder.mkdir(parents=True)
    include = root / "include/weir"
    groups = {}
    for path in sorted(include.rglob("*.h")):
        groups.setdefault(path.parent.relative_to(include).as_posix(), []).append(path)
    out = ["# C++", "", "The public headers, by folder. Their comments are the reference: what a header is for, and the units, valid "
           "ranges and errors of each function. [Embedding](../../guides/embedding.md) shows how they are used.", "",
           "| header | what it is for |", "|---|---|"]
    for group, headers in groups.items():
        page = "weir" if group == "." else group.replace("/", "-")
        text = [f"# weir/{'' if group == '.' else group + '/'}", "", f"Public headers of `include/weir/{'' if group == '.' else group}`.", ""]
        for path in headers:
            name = path.relative_to(include.parent).as_posix()
            lines = path.read_text().splitlines()
            comment = []
            for line in lines:
                if not line.startswith("//"):
                    break
                comment.append(line.removeprefix("//").strip())
            purpose = re.split(r"(?<=\.)\s", " ".join(comment))[0]
            out.append(f"| [{name}]({page}.md#{re.sub(r'[^a-z0-9_-]', '', name.lower().replace(' ', '-'))}) | {purpose.replace('|', ' ')} |")
            text += [f"## {name}", "", "````cpp", *lines, "````", ""]
        (folder / f"{page}.md").write_text("\n".join(text))
    (folder / "index.md").write_text("\n".join(out) + "\n")
