"""The pages of the documentation, and the blocks in them."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# On pages that the program writes, wholly or from there on. Tables that it writes follow <!-- table: NAME -->.
GENERATED = "<!-- The rest of this page is written by"


def pages():
    """All pages, by their names from the root."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"), *ROOT.glob("data/**/*.md")]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def text_of(page):
    return (ROOT / page).read_text()


@dataclasses.dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    not_run: str  # the reason, or ""


def blocks(page):
    """The fenced blocks of a page. A line `<!-- not run: REASON -->` before one says that no test runs it."""
    found, reason, fence, begin, lines, language = [], "", "", 0, [], ""
    for number, line in enumerate(text_of(page).splitlines(), 1):
        if fence:
            if line.strip() == fence:
                found.append(Block(page, begin, language, "".join(f"{text}\n" for text in lines), reason))
                fence, reason = "", ""
            else:
                lines.append(line)
        elif match := re.match(r"\s*(```+|~~~+)\s*([\w-]*)", line):
            fence, language = match.groups()
            begin, lines = number, []
        elif match := re.match(r"<!-- not run: (.+) -->$", line):
            reason = match[1]
        elif line.strip():
            reason = ""
    return found


def prose(page):
    """(number, line) of all lines outside of fenced blocks."""
    fence = ""
    for number, line in enumerate(text_of(page).splitlines(), 1):
        if fence:
            if line.strip() == fence:
                fence = ""
        elif match := re.match(r"\s*(```+|~~~+)", line):
            fence = match[1]
        else:
            yield number, line
