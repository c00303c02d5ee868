"""The reference of Python: autodoc reads the package, and its docstrings, which are plain text with aligned columns, become
definition lists, code and paragraphs."""
import ast
import importlib
import re
import sys

# Where a name of the package is to be found, beside what `weir.__all__` has.
MODULES = ("weir.theory", "weir.learn", "weir.policy")
GYM = "weir.gym"
OPTIONS = ("   :members:", "   :undoc-members:")


def names_of(file):
    """What a module exports, and those of it that come from the extension module."""
    tree = ast.parse(file.read_text())
    names, compiled = [], set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = [name for name in ast.literal_eval(node.value) if not name.startswith("__")]
        elif isinstance(node, ast.ImportFrom) and node.module == "_weir":
            compiled = {one.name for one in node.names}
    return names, compiled


def directive(module, name):
    kind = "autoclass" if name[0].isupper() or name.endswith("_env") else "autofunction"
    return [f".. {kind}:: {module}.{name}", *(OPTIONS if kind == "autoclass" else ()), ""]


def write(root, file, has_extension):
    package = root / "python/weir"
    names, compiled = names_of(package / "__init__.py")
    names = [name for name in names if not (package / f"{name}.py").exists() and (has_extension or name not in compiled)]
    out = ["# Python", "", "Classes and functions of the package `weir`. [Weir in Python](../guides/python.md) shows how they are used.", ""]
    if not has_extension:
        out += [f"The extension module was not built, so {', '.join(f'`weir.{name}`' for name in sorted(compiled))} are missing.", ""]
    out += ["## weir", "", "```{eval-rst}", ".. automodule:: weir", "   :no-members:", ""]
    for name in names:
        out += directive("weir", name)
    out += ["```", ""]
    for module in MODULES:
        out += [f"## {module}", "", "```{eval-rst}", f".. automodule:: {module}", *OPTIONS, "```", ""]
    out += [f"## {GYM}", "", "```{eval-rst}", f".. automodule:: {GYM}", "   :no-members:", ""]
    for name in names_of(package / "gym/__init__.py")[0]:
        out += directive(GYM, name)
    out += ["```", ""]
    file.write_text("\n".join(out))


def escaped(text):
    """Text of which reStructuredText takes nothing as markup, but what stands in `...`."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*|\\])|(?<=\w)_(?=\W|$)", lambda one: "\\" + one[0], part) for part in parts[::2]]
    return "``".join(parts)


def rows(lines):
    """(name, meaning) of lines in two columns, None if they are not."""
    match = re.match(r"(\S+(?: \S+)*)( {2,})\S", lines[0])
    if not match:
        return None
    column, found = match.end(2), []
    for line in lines:
        if line[:column].strip() and not line[column - 1 : column].strip() and line[column:].strip():
            found.append([line[:column].strip(), line[column:].strip()])
        elif not line[:column].strip() and found:
            found[-1][1] += " " + line.strip()
        elif match := re.match(r"(\w[\w, ]*):? +(\S.*)$", line):  # a row whose name fills its column
            found.append([match[1].rstrip(" :"), match[2]])
        else:
            return None
    return found


def as_text(docstring):
    """The docstring as reStructuredText."""
    out = []
    for paragraph in "\n".join(docstring).strip("\n").split("\n\n"):
        lines = paragraph.splitlines()
        if not any(lines):
            continue
        if found := rows(lines):
            for name, meaning in found:
                out += [f"``{name}``", f"    {escaped(meaning)}", ""]
        elif all(line.startswith("    ") for line in lines if line):
            out += ["::", "", *lines, ""]
        else:
            out += [escaped(line.strip()) for line in lines] + [""]
    return out


def show_static_functions():
    """Autodoc takes static functions of the extension module for data, and shows functions of Python instead."""
    importlib.import_module("weir")
    for of in (one for one in vars(sys.modules["weir._weir"]).values() if isinstance(one, type)):
        for name, function in list(vars(of).items()):
            if type(function).__name__ == "nb_func" and not name.startswith("_"):
                shown = lambda: None  # noqa: E731
                shown.__name__, shown.__doc__ = name, function.__doc__
                setattr(of, name, staticmethod(shown))


def setup(app):
    app.connect("builder-inited", lambda _app: show_static_functions())
    app.connect("autodoc-process-docstring", lambda _app, _what, _name, _object, _options, lines: lines.__setitem__(slice(None), as_text(lines)))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
