"""Pages that are made of data: one for each claim of a paper, and the list of what was tried."""
import json
import tomllib

PAPERS = {
    "hpcc": "HPCC: High Precision Congestion Control (SIGCOMM 2019)",
    "fairness": "Fast Convergence to Fairness",
    "onramp": "On-Ramp (NSDI 2021)",
    "rldc": "Reinforcement Learning for Datacenter Congestion Control",
    "spraying": "Congestion Control for Spraying with Congested Paths (2025)",
}


def read(file):
    return tomllib.loads(file.read_text())


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def short(text, words=15):
    """The beginning of a text, for a table."""
    found = text.split()
    return " ".join(found) if len(found) <= words else " ".join(found[:words]) + " ..."


def standing(verdict, cause):
    if verdict["verdict"] != "fails":
        return verdict["verdict"]
    return "fails, cause shown" if cause and "shown" in cause else "fails, cause unknown"


KINDS = {
    "circular": "it is judged by what the paper itself says",
    "regression": "it is judged by figures of our own",
    "partial": "its rule leaves out a part of what the paper says",
}


def firmly(verdict, firmness):
    return f"{verdict} ({firmness})." if firmness else f"{verdict}."


def page(claim, verdict, cause):
    """Always the same six headings."""
    out = ["---", "orphan: true", "---", f"# {claim['id']}", "", f"{PAPERS[claim['paper']]}, {claim['place']}", ""]
    out += [f"**{standing(verdict, cause).capitalize()}.** {verdict['measured'] or verdict['reason']}", ""]
    if "kind" in claim:
        out += [f"It does not count among the claims of its paper: {KINDS[claim['kind']]}.", ""]
    out += ["## What the paper says", "", cause["printed"] if cause else claim["expected"], ""]
    out += ["## How it is tested", "", f"Scenario: {claim['scenario']}.", "", f"Reproduced if: {claim['rule']}", ""]
    if "literal" in claim:
        out += [f"By the paper's words taken literally: {claim['literal']}", ""]
    if claim.get("weak"):
        out += ["This rule is weak: it was written with figures of an earlier, simpler model or of a review's runs at hand.", ""]
    out += ["## What was measured", "", verdict["measured"] or "Nothing.", ""]
    out += ["## Verdict", "", firmly(standing(verdict, cause).capitalize(), verdict["firmness"]), ""]
    if "literal" in claim:
        out += ["By the words: " + firmly(verdict["by_words"], verdict.get("by_words_firmness", "")), ""]
    out += ["## Why", ""]
    if verdict["verdict"] == "not run":
        out += [claim.get("not_run", verdict["reason"]), ""]
    elif verdict["verdict"] == "undecided":
        out += ["What was measured does not decide it.", ""]
    elif not cause or verdict["verdict"] != "fails":
        out += ["It holds, so there is nothing to explain.", ""]
    else:
        out += [cause["found"], ""]
        if "shown" in cause:
            command = f"weir paper run causes/{cause['study']}" if "study" in cause else f"weir paper check --only {claim['id']}"
            out += [cause["shown"], "", f"`{command}` shows it again.", ""]
            if cause.get("tried"):
                out += ["Tried besides: " + " ".join(cause["tried"]), ""]
        else:
            out += [("What is public does not decide the claim. " if cause.get("undecidable") else "The cause is unknown. ") + ("Tried: " + " ".join(cause["tried"]) if cause.get("tried") else ""), ""]
        if "holds_with" in cause:
            out += [f"With what it would hold: {cause['holds_with']}", ""]
    out += ["## History of the rule", ""]
    if restated := claim.get("restated"):
        reason = f"in the paper's words: \"{restated['words']}\"" if "words" in restated else restated["why"]
        out += [f"Restated after measuring, {reason} Before, it was \"{restated['rule']}\", and its verdict was "
                f"\"{restated['verdict']}\".", ""]
    if "first_rule" in claim:
        out += [f"First wording: {claim['first_rule']}.", ""]
    if not restated and "first_rule" not in claim:
        out += ["It has one wording.", ""]
    return "\n".join(out)


def write(root, folder):
    folder.mkdir(parents=True)
    claims = read(root / "papers/claims.toml")["claim"]
    causes = {cause["claim"]: cause for cause in read(root / "papers/causes.toml")["cause"]}
    verdicts = {verdict["id"]: verdict for verdict in json.loads((root / "papers/verdicts.json").read_text())["claims"]}
    out = ["# All claims", "", "Each claim of the five papers has a page with the paper's words, our rule, what was measured, and "
           "why it fails where it does. \"Holds\" is by our rule, not by the authors' word.", ""]
    for paper, title in PAPERS.items():
        out += [f"## {title}", "", "| claim | what | verdict |", "|---|---|---|"]
        for claim in (one for one in claims if one["paper"] == paper):
            verdict, cause = verdicts[claim["id"]], causes.get(claim["id"])
            (folder / f"{claim['id']}.md").write_text(page(claim, verdict, cause))
            out.append(f"| [{claim['id']}]({claim['id']}.md) | {cell(short(claim['expected']))} | {standing(verdict, cause)} |")
        out.append("")
    (folder / "index.md").write_text("\n".join(out))


def write_tried(root, file):
    out = ["# What was tried", "", "Changes to the engine that were tried to make it faster, whether they were kept or not. A ratio is "
           "the time with the change over the time without it. `of` names the change that another one builds on. The data is "
           "`docs/developers/tried.toml`.", ""]
    for tried in read(root / "docs/developers/tried.toml")["tried"]:
        of = f" (of [{tried['of']}](#{tried['of'].lower()}))" if "of" in tried else ""
        out += [f"## {tried['id']}", "", f"{tried['change'][0].upper()}{tried['change'][1:]}{of}.", "",
                f"- Result: {tried['result']}", f"- Kept: {tried['kept'] or 'with it'}", ""]
    file.write_text("\n".join(out))
