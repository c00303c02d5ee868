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


CHECKS = (links,)


def main():
    wrong = [(page, number, what) for page in sys.argv[1:] or pages() for check in CHECKS for number, what in check(page)]
    for page, number, what in sorted(wrong):
        print(f"{page}:{number}: {what}")
    print(f"{len(wrong)} faults in {len(pages())} pages")
    sys.exit(1 if wrong else 0)


main()
