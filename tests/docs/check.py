"""Checks the pages by what of the style guide (CONTRIBUTING.md) a machine can see, and prints what is wrong.

    check.py [PAGE...]
"""
import collections
import os
import re
import sys

from pages import GENERATED, ROOT, blocks, pages, prose, text_of

LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def anchors(page):
    """The anchors of a page's headings, as forges and MyST make them."""
    found, seen = set(re.findall(r'<a name="([\w-]+)">', text_of(page))), collections.Counter()
    for _, line in prose(page):
        if match := re.match(r"#{1,6} (.+)", line):
            heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).strip().lower()
            name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
            found.add(f"{name}-{seen[name]}" if seen[name] else name)
            seen[name] += 1
    return found


def links(page):
    """Every relative link leads to a file, and to an anchor in it."""
    lines = dict(prose(page))
    text, starts = "", []
    for number, line in lines.items():
        starts.append((len(text), number))
        text += re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line) + "\n"
    for match in LINK.finditer(text):
        number = max(start for start in starts if start[0] <= match.start())[1]
        target, _, anchor = match[2].partition("#")
        if re.match(r"\w+:", match[2]):
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
        if not (ROOT / path).exists():
            yield number, f"'{match[2]}' leads nowhere"
        elif anchor and path.endswith(".md") and anchor not in anchors(path):
            yield number, f"'{match[2]}': {path} has no heading of that name"


def tables(page):
    """(number, cells, whether it is a head, whether the program writes the table) of all rows of tables."""
    written, last = False, ""
    for number, line in prose(page):
        if line.startswith("<!-- table: "):
            written = True
        elif line.startswith("|"):
            yield number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]], not last.startswith("|"), written
        elif line.strip():
            written = False
        last = line


def cells(page):
    """A cell is a value or a phrase, and each column has a head."""
    for number, row, head, written in tables(page):
        if head and not all(row):
            yield number, "a column has no head"
        for cell in row:
            if not written and len(cell.split()) > WORDS_IN_A_CELL:
                yield number, f"a cell has {len(cell.split())} words; at most {WORDS_IN_A_CELL} are readable: '{cell[:50]}...'"


def words(page):
    """No words of a diary or of this house."""
    of_program = {number for number, _, _, written in tables(page) if written}
    for number, line in prose(page):
        if number not in of_program:
            line = re.sub(r"`[^`]*`", "", line)
            for pattern, instead in WORDS:
                if match := re.search(pattern, line):
                    yield number, f"'{match[0]}': {instead}"


def opening(page):
    """A page begins with its title, and then says what it is for."""
    lines = [line for _, line in prose(page) if line.strip() and not line.startswith("<!--")]
    if not lines[0].startswith("# "):
        yield 1, "a page begins with its title, '# TITLE'"
    elif len(lines) > 1 and re.match(r"[|#-]", lines[1]):
        yield 2, "a title is followed by a sentence that says what the page is for"
    for number, line in prose(page):
        if line.startswith("# ") and line != lines[0]:
            yield number, "a page has one title"


def length(page):
    for folder, most in LENGTHS.items():
        if page.startswith(folder) and len(text_of(page).split()) > most:
            yield 1, f"{len(text_of(page).split())} words; pages of {folder} have at most {most}"


def run(page):
    """Blocks of these pages are run by a test, or say why not."""
    if not page.startswith(RUN):
        return
    for block in blocks(page):
        if not block.not_run and block.language in ("", "shell"):
            yield block.line, "a block is `sh`, `console` or the language of a file, so that a test can run it"


WORDS_IN_A_CELL = 40
# By the beginnings of the names of pages. Tables count.
LENGTHS = {"README.md": 900, "docs/tutorial.md": 1200, "docs/cookbook/": 700, "docs/concepts/": 1200, "docs/install.md": 650}
RUN = ("README.md", "docs/tutorial.md", "docs/cookbook/", "docs/concepts/time.md", "docs/install.md")
WORDS = (
    (r"\bin place of\b", "write 'instead of'"),
    (r"\banew\b", "write 'again'"),
    (r"\b(quiet|busy|noisy) (machine|minute|hour|processors?)\b", "no diary: name the machine in a column, or leave it out"),
    (r"\b(an|some|two) hours? (before|earlier|later)\b|\banother day\b", "no diary"),
    (r"\b(is|are|was) mended\b|\bSince then\b", "no history on pages: it goes to the changelog"),
    (r"\bon \d+ (January|February|March|April|May|June|July|August|September|October|November|December)\b", "no diary"),
    (r"\b(second|third|fourth|fifth|sixth|\w+teenth|tenth|eleventh|twelfth) row\b", "cite a row by its name or id"),
)
# What is written by programs, or has rules of its own.
EXCEPT = ("docs/architecture.md", "docs/evidence/validation-details.md", "docs/developers/engine-history.md", "CHANGELOG.md")
CHECKS = (links, cells, words, opening, length, run)


def main():
    wrong = []
    for page in sys.argv[1:] or pages():
        kept = (links,) if page in EXCEPT or GENERATED in text_of(page) else CHECKS
        wrong += [(page, number, what) for check in kept for number, what in check(page)]
    for page, number, what in sorted(wrong):
        print(f"{page}:{number}: {what}")
    print(f"{len(wrong)} faults in {len(pages())} pages")
    sys.exit(1 if wrong else 0)


main()
