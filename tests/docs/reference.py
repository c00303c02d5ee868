"""What is written of the command's own description: in docs/reference the keys of scenarios, one page for each section of
`weir list`, and the options of each command; in share a schema of scenarios for editors and completions for shells.
Without --update it says what is out of date.

    reference.py WEIR [--update]
"""
import json
import re
import subprocess
import sys

import editors
from pages import ROOT

FOLDER = "docs/reference"
MARK = "<!-- The rest of this page is written by `./dev reference`. -->\n"


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def keys(weir):
    """The sections of `weir list --markdown` by the names of their pages."""
    sections = re.split(r"(?m)^## ", output_of(weir, "list", "--markdown"))[1:]
    found = {}
    for section in sections:
        name, text = section.split("\n", 1)
        text = re.sub(r"(?m)^##(#+) ", r"#\1 ", text)
        first, rest = text.strip().split("\n\n", 1)
        found[name] = f"# {name.capitalize()}\n\n{MARK}\n{first[0].upper()}{first[1:]}\n\n{rest}\n"
    return found


def commands(weir, *names):
    """The help of a command and of all below it."""
    text = output_of(weir, *names, "--help")
    yield names, text.strip()
    below = re.search(r"(?m)^Subcommands:\n((?:  .*\n)+)", text)
    for name in re.findall(r"(?m)^  ([a-z][\w-]*)", below[1]) if below else []:
        if (*names, name) != ("host",):  # it runs weir-host, with the options of that
            yield from commands(weir, *names, name)


def cli(weir, head):
    """docs/reference/cli.md with all below its mark written again."""
    parts = [head[: head.index(MARK)] + MARK]
    for names, text in commands(weir):
        text = re.sub(r"\n{3,}", "\n\n", text)
        parts.append(f"## `{' '.join(('weir', *names))}`\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def main():
    weir = sys.argv[1]
    pages = {f"{FOLDER}/{name}.md": text for name, text in keys(weir).items()}
    pages[f"{FOLDER}/cli.md"] = cli(weir, (ROOT / FOLDER / "cli.md").read_text())
    pages["share/scenario.schema.json"] = editors.scenario_schema(json.loads(output_of(weir, "list", "--json")))
    pages["share/completions/weir.bash"] = editors.completions(list(commands(weir)))
    bad = 0
    for page, text in pages.items():
        file = ROOT / page
        if file.exists() and file.read_text() == text:
            continue
        bad += 1
        if "--update" in sys.argv:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        else:
            print(f"{page} is out of date; ./dev reference writes it")
    print(f"{len(pages)} files, {bad} {'written' if '--update' in sys.argv else 'out of date'}")
    sys.exit(1 if bad and "--update" not in sys.argv else 0)


main()
