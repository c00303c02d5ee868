"""The reference of C++: the public headers as Doxygen reads them, and the pages on which Breathe shows what it found."""
import re
import shutil
import subprocess
import sys

SETTINGS = """
QUIET = YES
INPUT = {headers}
RECURSIVE = YES
FULL_PATH_NAMES = YES
STRIP_FROM_PATH = {headers}
OUTPUT_DIRECTORY = {out}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
HIDE_FRIEND_COMPOUNDS = YES
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = __attribute__(x)=
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""
COMMENT = re.compile(r"(?P<code>.*?)(?P<slashes>//)(?P<text>(?: .*)?)$")


def plain(text):
    """A comment's text, of which Doxygen takes nothing as a command or as HTML; what stands in `...` is code."""
    text = re.sub(r"[\\@&$#<>%\"]", lambda match: "\\" + match[0], text)
    return re.sub(r"`([^`]*)`", r"<tt>\1</tt>", text)


def is_code(text):
    return text.startswith("   ")


def block(lines, head=()):
    """The lines of a comment as Doxygen has them. Lines that are indented are code."""
    out, in_code = ["/**", *head], False
    for number, (_, text) in enumerate(lines):
        code = is_code(text) or (in_code and not text.strip() and any(is_code(after) for _, after in lines[number + 1 : number + 2]))
        if code != in_code:
            out.append("@verbatim" if code else "@endverbatim")
            in_code = code
        out.append(text[3:] if code else plain(text))
    return [*out, *(["@endverbatim"] if in_code else []), "*/"]


def documented(text):
    """A header whose comments are Doxygen's: those of the file, those before a declaration, and those behind one."""
    out, lines, at = [], text.splitlines(), 0

    def comment(line):
        # No comment stands in a text of these headers; the address of a page may.
        match = COMMENT.match(line)
        return None if not match or match["code"].endswith(":") or "\"" in match["code"] and match["code"].count('"') % 2 else match

    while at < len(lines):
        match = comment(lines[at])
        if not match:
            out.append(lines[at])
            at += 1
            continue
        behind, column = bool(match["code"].strip()), len(match["code"])
        found = []
        while at < len(lines) and (match := comment(lines[at])) and (not found or not match["code"].strip()):
            if found and behind and len(match["code"]) != column:
                break
            found.append((match["code"], match["text"]))
            at += 1
        if behind:
            out.append(f"{found[0][0]}///< {plain(' '.join(one.strip() for _, one in found))}")
        elif not out:
            out += block(found, ["@file"])
        elif at < len(lines) and not lines[at].strip():
            out += [indent + "//" + one for indent, one in found]  # of what follows in general, and of no declaration
        else:
            out += block(found)
    return "\n".join(out) + "\n"


def purpose(path):
    """The first sentence of a header's first comment."""
    comment = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        comment.append(line.removeprefix("//").strip())
    return re.split(r"(?<=\.)\s", " ".join(comment))[0].replace("|", " ")


def run_doxygen(root, out):
    """Writes out/doxygen/xml."""
    if not shutil.which("doxygen"):
        sys.exit("docs: the reference of C++ needs doxygen (Debian: doxygen)")
    headers, out = out / "headers", out / "doxygen"
    for folder in (headers, out):
        shutil.rmtree(folder, ignore_errors=True)
    for path in (root / "include/weir").rglob("*.h"):
        copy = headers / path.relative_to(root / "include")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(documented(path.read_text()))
    out.mkdir()
    (out / "settings").write_text(SETTINGS.format(headers=headers, out=out))
    if subprocess.run(["doxygen", out / "settings"]).returncode != 0:
        sys.exit("docs: doxygen has warnings")
    for file in (out / "xml").glob("*.xml"):
        text = file.read_text()
        # Sphinx reads no lists in braces, and no requirements, as initial values.
        text = re.sub(r"<initializer>.*?</initializer>", lambda one: "" if "{" in one[0] else one[0], text, flags=re.S)
        # Headers have no place of their own, to which an example's #include could lead.
        file.write_text(re.sub(r'<ref refid="\w+_8h"[^>]*>([^<]*)</ref>', r"\1", text))
    # Breathe looks for files by the names of the index, where Doxygen leaves out their folders.
    index = out / "xml/index.xml"

    def with_folders(match):
        place = re.findall(r'<location file="([^"]*)"', (index.parent / f"{match['id']}.xml").read_text())[-1]
        return f'{match[0][: match.start("name") - match.start()]}{place}<'

    index.write_text(re.sub(r'<compound refid="(?P<id>[^"]*)" kind="file"><name>(?P<name>[^<]*)<', with_folders, index.read_text()))


def anchor(name):
    """Of a header's section."""
    return re.sub(r"[^a-z0-9_-]", "", name.lower())


def write(root, folder):
    """A page for each folder of headers, and a list of all of them."""
    folder.mkdir(parents=True)
    include = root / "include/weir"
    groups = {}
    for path in sorted(include.rglob("*.h")):
        groups.setdefault(path.parent.relative_to(include).as_posix(), []).append(path)
    out = ["# C++", "", "The public headers, by folder: what each is for, and the units, valid ranges and errors of each function. "
           "[Embedding](../../guides/embedding.md) shows how they are used.", "", "| header | what it is for |", "|---|---|"]
    for group, headers in groups.items():
        page = "weir" if group == "." else group.replace("/", "-")
        text = [f"# weir/{'' if group == '.' else group + '/'}", "", f"Public headers of `include/weir/{'' if group == '.' else group}`.", ""]
        for path in headers:
            name = path.relative_to(include.parent).as_posix()
            out.append(f"| [{name}]({page}.md#{anchor(name)}) | {purpose(path)} |")
            text += [f"## {name}", "", f"```{{doxygenfile}} {name}", ":project: weir", "```", ""]
        (folder / f"{page}.md").write_text("\n".join(text))
    (folder / "index.md").write_text("\n".join(out) + "\n")
