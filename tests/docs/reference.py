"""What is written of the command's own description: in docs/reference the keys of scenarios, one page for each section of
`weir list`, and the options of each command; in share a schema of scenarios for editors, manual pages, and completions
for shells.
Without --update it says what is out of date.

    reference.py WEIR [--update]
"""
import json
import re
import subprocess
import sys

import commands
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
        found[name] = f"# {name.capitalize()}\n\n{MARK}\n{text.strip()}\n"
    return found


def cli(weir, description, head):
    """docs/reference/cli.md with all below its mark written again."""
    parts = [head[: head.index(MARK)] + MARK]
    for names, _ in commands.walk(description):
        text = re.sub(r"\n{3,}", "\n\n", output_of(weir, *names, "--help").strip())
        parts.append(f"## `{' '.join(('weir', *names))}`\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def main():
    weir = sys.argv[1]
    pages = {f"{FOLDER}/{name}.md": text for name, text in keys(weir).items()}
    cli_page = (ROOT / FOLDER / "cli.md").read_text()
    described = json.loads(output_of(weir, "--describe"))
    pages[f"{FOLDER}/cli.md"] = cli(weir, described, cli_page)
    pages["share/scenario.schema.json"] = editors.scenario_schema(json.loads(output_of(weir, "list", "--json")))
    pages.update({f"share/man/man1/{name}": text for name, text in commands.manuals(described, cli_page).items()})
    pages["share/completions/weir.bash"] = commands.bash(described)
    pages["share/completions/_weir"] = commands.zsh(described)
    pages["share/completions/weir.fish"] = commands.fish(described)
    bad = 0
    for page, text in pages.items():
        file = ROOT / page
        if file.exists() and file.read_text() == text:
            continue
        bad += 1
        if "--update" in sys.argv:
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_text(text)
        else:
            print(f"{page} is out of date; ./dev reference writes it")
    print(f"{len(pages)} files, {bad} {'written' if '--update' in sys.argv else 'out of date'}")
    sys.exit(1 if bad and "--update" not in sys.argv else 0)


main()
