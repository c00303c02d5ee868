"""Builds the site of the documentation and an archive to read offline.

    build.py OUT VERSION [--sources URL]

OUT/site/VERSION is the site of this version; those of others stay beside it, and every page has a menu of all of them.
OUT/weir-docs-VERSION.tar.gz is the site in one file. Links to files that are no pages
lead to URL/FILE; without --sources they are only named. Warnings of Sphinx are errors.
"""
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile

import claims
import docstrings
import headers

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages from outside docs/, by their places in the site.
OUTSIDE = {"CONTRIBUTING.md": "developers/contributing.md", "CHANGELOG.md": "changelog.md"}
SECTIONS = (
    ("Begin", ("install", "tutorial")),
    ("Answer a question", ("cookbook/index",)),
    (
        "Write a scenario",
        tuple(f"scenario/{n}" for n in ("index", "topology", "algorithms", "load-balancing", "switches", "failures", "traffic")),
    ),
    (
        "Guides",
        tuple(
            f"guides/{name}"
            for name in (
                "view reports sweeps cluster mpi resume-and-fork reading-results collectives pcap perfetto flow-level "
                "fast-forward own-algorithm python embedding learning theory from-ns3 from-htsim papers on-hosts"
            ).split()
        ),
    ),
    ("Understand", tuple(f"concepts/{n}" for n in ("index", "model", "time", "paths-and-queues", "statistics", "modes",
                                                   "phase-effects", "glossary"))),
    ("Look up", ("reference/index",)),
    ("Judge", tuple(f"evidence/{n}" for n in ("validation", "validation-details", "gpu-clusters", "claims", "claim/index", "spraying",
                                              "performance", "on-hosts"))),
    ("Change Weir", tuple(f"developers/{n}" for n in ("contributing",)) + ("architecture",)
     + tuple(f"developers/{n}" for n in ("testing", "host-ports", "stability", "dependencies", "engine-history", "tried", "flow-level",
                                         "on-hosts")) + ("changelog",)),
)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def package():
    """The folder from which `import weir` works: that of a build with its extension module, or the sources."""
    built = ROOT / "build/release/python"
    check = subprocess.run([sys.executable, "-c", "import weir"], env={**os.environ, "PYTHONPATH": str(built)}, stderr=subprocess.DEVNULL)
    return built if check.returncode == 0 else ROOT / "python"


def places():
    """Where each page of the repository is in the site."""
    found = dict(OUTSIDE)
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT).as_posix()
        found[name] = name.removeprefix("docs/")
    return found


def outside_of_blocks(text, change):
    """The text with `change` made to what is outside of fenced blocks."""
    parts = re.split(r"(?ms)(^[ \t]*```.*?^[ \t]*```[ \t]*$)", text)
    parts[::2] = [change(part) for part in parts[::2]]
    return "".join(parts)


def relinked(text, page, place, all_places, sources):
    """The page's text with links as they are in the site."""

    def link(match):
        picture, label, target = match.groups()
        path, _, anchor = target.partition("#")
        if re.match(r"\w+:", target) or not path:
            return match[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        anchor = f"#{anchor}" if anchor else ""
        if file in all_places:
            return f"{picture}[{label}]({posixpath.relpath(all_places[file], posixpath.dirname(place) or '.')}{anchor})"
        if file.startswith("docs/images/"):
            return f"{picture}[{label}]({posixpath.relpath(file.removeprefix('docs/'), posixpath.dirname(place) or '.')})"
        if header := re.fullmatch(r"include/(weir/(?:(\w+)/)?\w+\.h)", file):
            page_of_it = posixpath.relpath(f"reference/cpp/{header[2] or 'weir'}.md", posixpath.dirname(place) or ".")
            return f"[{label}]({page_of_it}#{headers.anchor(header[1])})"
        if sources:
            return f"[{label}]({sources}/{file}{anchor})"
        return label if label.startswith("`") else f"`{file}`" if label == file else f"{label} (`{file}`)"

    return outside_of_blocks(text, lambda part: LINK.sub(link, part))


def toctree(pages, caption="", depth=1):
    lines = ["```{toctree}", ":hidden:", f":maxdepth: {depth}", *([f":caption: {caption}"] if caption else []), "", *pages, "```", ""]
    return "\n" + "\n".join(lines)


def beneath(source, index):
    """A tree of the other pages of an index's folder."""
    folder = (source / index).parent
    names = sorted(path.stem for path in folder.glob("*.md") if path.stem != "index")
    return toctree(names) if names else ""


def lay_out(source, sources):
    """Writes all pages into the folder, those that are made of data included."""
    shutil.rmtree(source, ignore_errors=True)
    all_places = places()
    for page, place in all_places.items():
        file = source / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(relinked((ROOT / page).read_text(), page, place, all_places, sources))
    shutil.copytree(ROOT / "docs/images", source / "images")
    shutil.copytree(ROOT / "docs/site/static", source / "static")
    shutil.copy(ROOT / "docs/site/conf.py", source / "conf.py")
    claims.write(ROOT, source / "evidence/claim")
    claims.write_tried(ROOT, source / "developers/tried.md")
    docstrings.write(ROOT, source / "reference/python.md", package() != ROOT / "python")
    headers.write(ROOT, source / "reference/cpp")
    with open(source / "index.md", "a") as index:
        for caption, pages in SECTIONS:
            index.write(toctree(pages, caption))
    for index in ("cookbook/index.md", "reference/index.md"):
        extra = toctree(["cpp/index"]) if index.startswith("reference") else ""
        with open(source / index, "a") as file:
            file.write(beneath(source, index) + extra)
    with open(source / "reference/cpp/index.md", "a") as file:
        file.write(beneath(source, "reference/cpp/index.md"))
    with open(source / "evidence/claims.md", "a") as file:
        file.write(toctree([f"claims/{path.stem}" for path in sorted((source / "evidence/claims").glob("*.md"))]))


def sphinx(builder, source, out, version):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-b", builder, "-d", out.parent / f".{builder}", source, out]
    if subprocess.run(command, env={**os.environ, "WEIR_DOCS_VERSION": version, "WEIR_DOCS_DOXYGEN": str(out.parents[1] / "doxygen/xml"), "WEIR_DOCS_PACKAGE": str(package()),
                   "WEIR_DOCS_FOLDER": str(ROOT / "docs/site")}).returncode != 0:
        sys.exit(f"docs: {builder} has warnings")


def list_versions(site):
    """What the menu of every page shows, as a script, since pages read from a disk cannot fetch."""
    names = sorted((path.name for path in site.iterdir() if (path / "index.html").exists()), reverse=True)
    (site / "versions.js").write_text(f"window.weirVersions = {json.dumps(names)};\n")
    first = next((name for name in names if name != "dev"), names[0])
    (site / "index.html").write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={first}/index.html">\n')


def main():
    out, version = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    sources = sys.argv[4] if sys.argv[3:4] == ["--sources"] else ""
    source, site = out / "source", out / "site"
    lay_out(source, sources)
    headers.run_doxygen(ROOT, out)
    sphinx("html", source, site / version, version)
    list_versions(site)
    with tarfile.open(out / f"weir-docs-{version}.tar.gz", "w:gz") as archive:
        archive.add(site / version, f"weir-docs-{version}")
    pages = sum(1 for _ in (site / version).rglob("*.html"))
    print(f"docs: {pages} pages in {site / version}; {out}/weir-docs-{version}.tar.gz")


main()
