"""Checks the manual pages and completions of share: they are well-formed, and each has every option that --help tells.

    shells.py WEIR

What is checked by a program that is not installed (mandoc, man, zsh, fish) is left out, and said.
"""
import re
import shutil
import subprocess
import sys
import tempfile

from pages import ROOT

MAN, COMPLETIONS = ROOT / "share/man/man1", ROOT / "share/completions"
# Pages have no date, which would change without them.
NO_FAULTS = ("missing date",)
# Long words, such as options, are not to be warned of as lines that cannot be broken.
QUIET = {"MANWIDTH": "200", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def output_of(*command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def options_by_help(weir, *names):
    """(names of a command, its options and the commands below it), for it and for all below, as --help prints them."""
    text = output_of(weir, *names, "--help")
    options = {name for pair in re.findall(r"(?m)^  (?:(-\w),)?(--[\w-]+)", text) for name in pair if name}
    below = re.search(r"(?m)^Subcommands:\n((?:  .*\n?)+)", text)
    below = re.findall(r"(?m)^  ([a-z][\w-]*)", below[1]) if below else []
    yield names, options, set(below)
    for name in below:
        if (*names, name) != ("host",):
            yield from options_by_help(weir, *names, name)


def found(program):
    there = shutil.which(program)
    if not there:
        print(f"{program} is not installed, so what it checks is not checked")
    return there


def faults_of(*command, on_stdout=False):
    """What a program says of a text that it does not like."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=QUIET)
    said = done.stdout + done.stderr if on_stdout else done.stderr
    lines = [line for line in said.splitlines() if not any(known in line for known in NO_FAULTS)]
    return lines or ([f"{command[0]} ends with status {done.returncode}"] if done.returncode and not said else [])


def section_of(page, names):
    """The text of a command on the page, to the end of its options."""
    text = page.read_text().replace("\\-", "-")
    if len(names) < 2:
        return text
    begin = text.index(f'.SH "{" ".join(("weir", *names)).upper()}"\n')
    return text[begin : text.index(".SH", begin + 1)]


def manuals(commands):
    found_mandoc, found_man = found("mandoc"), found("man")
    for page in sorted(MAN.glob("*.1")):
        if found_mandoc:
            yield from faults_of("mandoc", "-T", "lint", "-W", "warning", page, on_stdout=True)
        if found_man:
            yield from faults_of("man", "--warnings", "-E", "UTF-8", "-l", page)
    for names, options, below in commands:
        page = MAN / f"{'-'.join(('weir', *names[:1]))}.1"
        if not page.exists():
            yield f"there is no {page.name}"
            continue
        text = section_of(page, names)
        for option in sorted(options):
            if not re.search(rf'(?m)^\.BR (.* )?{option}( |$)', text.replace('", "', " ")):
                yield f"{page.name} lacks {option} of weir {' '.join(names)}"
        for name in below:
            if not names and name != "host" and f".BR weir-{name} (1)" not in text:
                yield f"{page.name} lacks {name}"
    if len(list(MAN.glob("*.1"))) != sum(len(names) < 2 for names, _, _ in commands):
        yield "there are pages of no command"


def bash(commands):
    script = COMPLETIONS / "weir.bash"
    for names, options, below in commands:
        for begin, expected in (("-", options), ("", options | below)):
            words = " ".join(f"'{word}'" for word in ("weir", *names, begin))
            ask = f'. "{script}"; COMP_WORDS=({words}); COMP_CWORD={len(names) + 1}; _weir; printf "%s\\n" "${{COMPREPLY[@]}}"'
            with tempfile.TemporaryDirectory() as empty:  # so that there are no files to complete
                given = set(output_of("bash", "-uc", ask, cwd=empty).split())
            if given != expected:
                yield f"bash: weir {' '.join(names)} {begin}: {sorted(given ^ expected)}"


def fish(commands):
    script = COMPLETIONS / "weir.fish"
    yield from faults_of("fish", "-n", script)
    # One process for all: it takes long to start.
    asks = "".join(f"complete -C '{' '.join(('weir', *names, begin))}'; echo ==;" for names, _, _ in commands for begin in ("-", ""))
    with tempfile.TemporaryDirectory() as empty:
        told = output_of("fish", "--no-config", "-c", f'source "{script}"; cd {empty}; {asks}', env={"HOME": empty, "PATH": "/usr/bin:/bin"})
    parts = iter(told.split("==\n"))
    for names, options, below in commands:
        for expected in (options, below):
            given = {line.split("\t")[0] for line in next(parts).splitlines()}
            if given - {"host"} != expected - {"host"}:
                yield f"fish: weir {' '.join(names)}: {sorted(given ^ expected)}"


def zsh(commands):
    script = COMPLETIONS / "_weir"
    if found("zsh"):
        yield from faults_of("zsh", "-n", script)
    cases = dict(re.findall(r'(?ms)^    "([^"]*)"\)\n(.*?)^      ;;', script.read_text()))
    for names, options, below in commands:
        text = cases.get(" ".join(names), "")
        for option in sorted(options):
            if f"{option}[" not in text:
                yield f"_weir lacks {option} of weir {' '.join(names)}"
        for name in sorted(below):
            if f"'{name}:" not in text:
                yield f"_weir lacks {' '.join((*names, name))}"


def main():
    commands = list(options_by_help(sys.argv[1]))
    wrong = [*manuals(commands), *bash(commands), *zsh(commands), *(fish(commands) if found("fish") else [])]
    for fault in wrong:
        print(fault)
    print(f"{len(commands)} commands, {len(wrong)} faults")
    sys.exit(1 if wrong else 0)


main()
