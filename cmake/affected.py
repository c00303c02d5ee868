#!/usr/bin/env python3
"""What can be affected by the changes since a commit, those included that are not committed yet.

    affected.py BASE sources           sources of the product that are changed, or include a header that is
    affected.py BASE folders FOLDERS   those of these folders of tests/ whose tests can find something else than before;
                                       of FOLDER=LAYER only tests of this folder of src/weir count

Without a BASE ("") all is affected, and also after a change of the build.
"""
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ("src", "apps", "hosts", "mpi", "include")
# Nothing that is compiled, or not into any test of the folders that are asked for.
NO_TEST = re.compile(r"(docs|web|share|papers|python|bench|mpi|apps|examples|tests/apps)/|[^/]*\.md$|LICENSE$|pyproject\.toml$")
NO_SOURCE = re.compile(r"(docs|web|share|papers|data|scenarios|tests|python|bench|examples)/|[^/]*\.md$|LICENSE$|pyproject\.toml$|\.clang")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def changed_since(base):
    return set(git("diff", "--name-only", "--no-renames", base)) | set(git("ls-files", "--others", "--exclude-standard"))


@functools.cache
def includes(path):
    """The project's own files that a source names, as paths from the root."""
    out = []
    for name in INCLUDE.findall((ROOT / path).read_text()):
        places = (f"include/{name}", f"src/{name}", f"apps/{name}", name, str(pathlib.PurePath(path).parent / name))
        out += [place for place in places if (ROOT / place).is_file()][:1]
    return out


def files(folders, suffixes):
    return [str(p.relative_to(ROOT)) for folder in folders for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes]


def affected_sources(base):
    sources = files(PRODUCT, {".cc"})
    if not base:
        return sources
    changed = {path for path in changed_since(base) if not NO_SOURCE.match(path)}
    if any(not path.startswith(tuple(f"{folder}/" for folder in PRODUCT)) or path.endswith("CMakeLists.txt") for path in changed):
        return sources
    # A name that is gone may have hidden another file, so a source that included it is changed as well.
    users = {}
    for path in files(PRODUCT, {".h", ".cc"}):
        for included in includes(path):
            users.setdefault(included, []).append(path)
    reached, left = set(changed), list(changed)
    while left:
        for user in users.get(left.pop(), []):
            if user not in reached:
                reached.add(user)
                left.append(user)
    return [path for path in sources if path in reached]


def layers():
    """Of each layer those that it may include (layering.awk)."""
    lines = re.findall(r'below\["([a-z/]+)"\] = "([^"]*)"', (ROOT / "cmake/layering.awk").read_text())
    return {layer: set(below.split()) for layer, below in lines}


def affected_folders(base, folders):
    only = dict(folder.split("=") for folder in folders if "=" in folder)
    folders = [folder.split("=")[0] for folder in folders]
    if not base:
        return folders
    changed = set()
    for path in changed_since(base):
        if NO_TEST.match(path):
            continue
        layer = re.match(r"(?:src|include)/weir/([a-z]+)/|include/weir/([a-z]+\.h)$|(hosts)/|tests/([a-z]+)/.*", path)
        if not layer or layer[4] in ("support", "scenarios"):
            return folders
        changed.add(layer[1] or layer[2] or layer[3] or f"tests/{layer[4]}")
    below = layers()
    below["hosts"] = {"hosts", "base", "toml", "cc"}
    for header in ("scenario.h", "simulation.h", "catalogue.h"):
        below[header] = below["api"]

    def reach(folder):
        if folder in only:
            return {f"tests/{folder}", only[folder]}
        named = {folder}
        for path in files([f"tests/{folder}"], {".h", ".cc"}):
            names = INCLUDE.findall((ROOT / path).read_text())
            named |= {name.removeprefix("weir/").split("/")[0] for name in names if name.startswith(("weir/", "hosts/"))}
        return {f"tests/{folder}"}.union(named, *(below.get(layer, set()) for layer in named))

    return [folder for folder in folders if reach(folder) & changed]


if __name__ == "__main__":
    base, what, *folders = sys.argv[1:]
    print(*(affected_sources(base) if what == "sources" else affected_folders(base, folders)), sep="\n")
