"""The commands of `weir --describe`, and what is made of them: manual pages, and completions for bash, zsh and fish."""
import re

MANY = 1000  # values of an option or argument: any number
WITH_HELP_OF_ITS_OWN = ("host",)  # it runs weir-host


def walk(command, path=()):
    """(names below weir, command) of a command and of all below it."""
    yield path, command
    for below in command["commands"]:
        if (*path, below["name"]) != WITH_HELP_OF_ITS_OWN:
            yield from walk(below, (*path, below["name"]))


def value(option):
    """What an option takes: its type, the words that are valid, and what else restricts it."""
    kind, _, valid = option["value"].partition(":")
    if match := re.fullmatch(r"\{(.*)\}", valid):
        return kind, match[1].split(","), ""
    if match := re.fullmatch(r"\w+ in \[(.+) - (.+)\]", valid):
        return kind, [], f"from {match[1]} to {match[2]}"
    return kind, [], valid


# Manual pages.


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def quoted(text):
    """As an argument of a macro."""
    return '"' + roff(text).replace('"', '\\(dq') + '"'


def many(entry):
    return " ..." if entry["values"] > MANY else ""


def meaning(entry, note=""):
    notes = [note] if note else []
    notes += [f"needs {', '.join(entry['needs'])}"] if entry["needs"] else []
    notes += [f"not with {', '.join(entry['excludes'])}"] if entry["excludes"] else []
    notes += ["required"] if entry["required"] else []
    return entry["meaning"] + (f" ({'; '.join(notes)})" if notes else "")


def entries(command, section, group):
    """Arguments and options; `section` and `group` are the macros of their headings, "" for none."""
    out = []
    if command["arguments"]:
        out += [f"{section} ARGUMENTS"] if section else []
        for argument in command["arguments"]:
            out += [".TP", f".I {quoted(argument['names'][0] + many(argument))}", roff(meaning(argument))]
    last = None
    for option in sorted(command["options"], key=lambda one: groups(command).index(one["group"])):
        if option["group"] != last:
            last = option["group"]
            if last == "Options":
                out += [f"{section} OPTIONS"] if section else []
            else:
                out += [f"{group} {quoted(last)}"] if group else []
        kind, words, note = value(option)
        names = ' ", " '.join(roff(name) for name in option["names"])
        out += [".TP", f'.BR {names}' if not kind else f'.BR {names} " \\fI{roff(kind + many(option))}\\fP"',
                roff(meaning(option, f"one of {', '.join(words)}" if words else note))]
    return out


def groups(command):
    found = []
    for option in command["options"]:
        if option["group"] not in found:
            found.append(option["group"])
    return found


def synopsis(path, command):
    words = ["[OPTIONS]"]
    for argument in command["arguments"]:
        name = argument["names"][0] + many(argument)
        words.append(name if argument["required"] else f"[{name}]")
    if command["commands"]:
        words.append("COMMAND" if not command["arguments"] else "[COMMAND]")
    return [f".B {roff(' '.join(('weir', *path)))}", *[f".I {quoted(word)}" for word in words]]


def statuses(page):
    """The table of exit statuses of docs/reference/cli.md, without its links."""
    rows = page[page.index("## Exit status") :].split("\n\n")[1].splitlines()[2:]
    for row in rows:
        status, text = (cell.strip() for cell in row.strip("|").split("|"))
        yield status, re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def manual(path, command, exit_statuses):
    """The page of a command, which has sections for the commands below it."""
    name = "-".join(("weir", *path))
    out = ['.\\" Written by `./dev reference`.', f'.TH {quoted(name.upper())} 1 "" "Weir" "Weir"', ".SH NAME",
           f"{roff(name)} \\- {roff(command['meaning'])}", ".SH SYNOPSIS", *synopsis(path, command)]
    out += entries(command, ".SH", ".SS")
    if not path:
        out += [".SH COMMANDS"]
        for below in command["commands"]:
            own = (below["name"],) == WITH_HELP_OF_ITS_OWN
            out += [".TP", ".B weir host" if own else f".BR {roff('weir-' + below['name'])} (1)", roff(below["meaning"])]
        out += [".SH EXIT STATUS"]
        for status, text in exit_statuses:
            out += [".TP", f".B {quoted(status)}", roff(text)]
    else:
        for names, below in list(walk(command, path))[1:]:
            out += [f".SH {quoted(' '.join(('weir', *names)).upper())}", roff(below["meaning"]), ".PP", *synopsis(names, below)]
            out += entries(below, "", "")
        out += [".SH EXIT STATUS", "As", ".BR weir (1)", "says."]
    return "\n".join(out) + "\n"


def manuals(description, cli_page):
    """The pages of weir and of each command, by their names. What a command has below it is on its page."""
    exit_statuses = list(statuses(cli_page))
    return {f"{'-'.join(('weir', *path))}.1": manual(path, command, exit_statuses)
            for path, command in walk(description) if len(path) < 2}


# Completions.


def brief(entry):
    return entry["meaning"].split(";")[0]


def single(text):
    """In single quotes of bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def bash(description):
    below = {" ".join(path): [one["name"] for one in command["commands"]] for path, command in walk(description)}
    options = {" ".join(path): command["options"] for path, command in walk(description)}
    out = [
        "# Completions of weir for bash. Written by `./dev reference`.",
        "_weir() {",
        '  local at="" word',
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '    case "${at:+$at }$word" in',
        "      " + " | ".join(f'"{path}"' for path in below if path) + ') at="${at:+$at }$word" ;;',
        "    esac",
        "  done",
        '  local current=${COMP_WORDS[COMP_CWORD]} words=""',
        "  COMPREPLY=()",
        '  case "$at ${COMP_WORDS[COMP_CWORD-1]}" in',
    ]
    for path, known in options.items():
        for option in known:
            if words := value(option)[1]:
                pattern = " | ".join(f'"{path} {name}"' for name in option["names"])
                out.append(f'    {pattern}) COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$current")); return ;;')
    out += ["  esac", '  case "$at" in']
    for path, known in options.items():
        words = [*below[path], *(name for option in known for name in option["names"])]
        out.append(f'    "{path}") words="{" ".join(words)}" ;;')
    out += [
        "  esac",
        '  case "$current" in -*) ;; *) [ "$at" = "" ] || COMPREPLY=($(compgen -f -- "$current")) ;; esac',
        '  COMPREPLY+=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o filenames -F _weir weir",
    ]
    return "\n".join(out) + "\n"


def zsh_text(text):
    """In the brackets of a specification, or between its colons."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_action(kind, words):
    if words:
        return f"({' '.join(words)})"
    return {"FILE": "_files", "DIR": "_files -/"}.get(kind, " ")


def zsh_option(option):
    kind, words, _ = value(option)
    takes = f":{zsh_text(kind)}:{zsh_action(kind, words)}" if kind else ""
    often = "*" if option["values"] > MANY else ""
    # An option that is given once is not offered again, whichever name it had.
    others = f"({' '.join(option['names'])})" if not often else ""
    for name in option["names"]:
        yield single(f"{others}{often}{name}[{zsh_text(brief(option))}]{takes}")


def zsh(description):
    paths = [" ".join(path) for path, _ in walk(description) if path]
    out = [
        "#compdef weir",
        "# Completions of weir for zsh. Written by `./dev reference`.",
        "_weir() {",
        '  local at="" word',
        "  local -a commands",
        '  for word in "${(@)words[2,CURRENT-1]}"; do',
        '    case "${at:+$at }$word" in',
        "      " + " | ".join(f'"{path}"' for path in paths) + ') at="${at:+$at }$word" ;;',
        "    esac",
        "  done",
        '  case "$at" in',
    ]
    for path, command in walk(description):
        out.append(f'    "{" ".join(path)}")')
        if command["commands"]:
            listed = [single(f"{one['name']}:{one['meaning']}") for one in command["commands"]]
            out += ["      commands=(", *[f"        {one}" for one in listed], "      )", "      _describe command commands"]
        options = [one for option in command["options"] for one in zsh_option(option)]
        # The names of commands count as arguments, too.
        rest = single("*:file:_files" if command["arguments"] else "*: : ")
        out += ["      _arguments \\", *[f"        {one} \\" for one in [*options, rest]]]
        out[-1] = out[-1].removesuffix(" \\")
        out.append("      ;;")
    out += ["  esac", "}", '_weir "$@"']
    return "\n".join(out) + "\n"


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(description):
    paths = [" ".join(path) for path, _ in walk(description) if path]
    out = [
        "# Completions of weir for fish. Written by `./dev reference`.",
        "function __weir_at --description 'Whether that is the command being typed'",
        "  set -l at weir",
        "  for word in (commandline -opc)[2..]",
        '    switch "$at $word"',
        f"      case {' '.join(fish_text(f'weir {path}') for path in paths)}",
        '        set at "$at $word"',
        "    end",
        "  end",
        '  test "$at" = "$argv"',
        "end",
    ]
    for path, command in walk(description):
        at = f"complete -c weir -n '__weir_at {' '.join(('weir', *path))}'"
        if not command["arguments"]:
            out.append(f"{at} -f")
        for one in command["commands"]:
            out.append(f"{at} -f -a {one['name']} -d {fish_text(one['meaning'])}")
        for option in command["options"]:
            kind, words, _ = value(option)
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"])
            takes = f" -x -a {fish_text(' '.join(words))}" if words else " -r -F" if kind in ("FILE", "DIR") else " -x" if kind else ""
            out.append(f"{at} {names}{takes} -d {fish_text(brief(option))}")
    return "\n".join(out) + "\n"
