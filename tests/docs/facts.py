"""Holds the numbers of README.md, and the version of CITATION.cff, against what they are taken from.

    facts.py WEIR
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from pages import ROOT, text_of


def rows(file):
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


def table(text, name):
    """The rows below the head of the table of that name."""
    return text[text.index(f"<!-- table: {name} -->") :].split("\n\n")[0].splitlines()[3:]


def standings():
    """The sums of the table `summary` of the claims, which a test of C++ compares with papers/verdicts.json."""
    found = table(text_of(CLAIMS), "summary")
    return [sum(int(row.split("|")[column]) for row in found) for column in range(2, 11)], len(found)


def slow_flow(weir):
    """Of the flow in the picture: its slowdown, and the share of pauses in what it takes beyond its time alone."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result"
        subprocess.run([weir, "run", ROOT / "scenarios/incast-dcqcn-pfc.toml", "-q", "--set", "probes.anatomy=true", "--out",
                        result], check=True)
        flow = max(rows(result / "flows.csv"), key=lambda row: float(row["slowdown"]))
        parts = next(row for row in rows(result / "anatomy.csv") if row["flow_id"] == flow["flow_id"])
    beyond = int(flow["fct_ps"]) - int(flow["ideal_fct_ps"])
    return flow["flow_id"], f"{float(flow['slowdown']):.1f}", f"{100 * int(parts['pause_ps']) / beyond:.1f}"


CLAIMS = "docs/evidence/claims.md"


def main():
    readme = " ".join(text_of("README.md").split())
    bad = []

    def has(what, page="README.md"):
        if what not in (readme if page == "README.md" else " ".join(text_of(page).split())):
            bad.append(f"{page}: '{what}' is not there")

    words = len(text_of("README.md").split())
    if words >= 900:
        bad.append(f"README.md has {words} words; below 900 are wanted")

    (claims, hold, undecided, shown, unknown, not_run, by_words, not_firm, others), papers = standings()
    numbers = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    has(f"{claims} claims of {numbers[papers]} papers")
    has(f"{hold} claims hold within our band, {by_words} by the paper's words")
    has(f"{shown + unknown} fail: of {shown} an experiment shows the cause, of {unknown} we do not know")
    has(f"{undecided} are undecided, and {not_run} cannot be simulated")
    if not_firm > 0:
        has(f"How firmly {not_firm} of those that hold do so is not measured yet")
    has(f"This page lists {claims + others} claims", CLAIMS)
    has(f"the [{numbers[len(table(text_of(CLAIMS), 'findings'))]} statements")

    claims = tomllib.loads((ROOT / "papers/claims.toml").read_text())["claim"]
    verdicts = {one["id"]: one["verdict"] for one in json.loads((ROOT / "papers/verdicts.json").read_text())["claims"]}
    restated = [claim["id"] for claim in claims if "words" in claim.get("restated", {})]
    still = sum(verdicts[name] == "holds" for name in restated)
    numbers += "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
    has(f"{numbers[len(restated)].capitalize()} that asked for more than the paper says were restated after measuring; all had "
        f"failed, and {numbers[still]} hold now", CLAIMS)

    # Without randomness are all runs but those that mark (DCQCN) or lose packets at random.
    reference = ROOT / "data/reference"
    exact = [f for f in reference.glob("ns3-hpcc/*.fct.csv") if "dcqcn" not in f.name and not f.name.startswith("loss")]
    finished = rows(reference / "htsim/finish_us.csv")
    flows = sum(len(row["finish_us"].split()) for row in finished)
    has(f"{len(exact)} recorded runs of the HPCC authors' ns-3 simulator to the nanosecond, and {len(finished)} runs of")
    has(f"{len(exact)} runs of the HPCC authors' ns-3 simulator to the nanosecond, and {len(finished)} runs of",
        VALIDATION)
    has(f"{len(finished)} runs, {flows:,} flows", VALIDATION)
    features = rows(reference / "htsim/features.csv")
    flows = sum(len(row["finish_ps"].split()) for row in features)
    has(f"{len(features)} runs, {flows:,} flows", VALIDATION)

    # Of the tables of the page on performance: other simulators, and the largest network of `weir bench`.
    page = text_of(PERFORMANCE)
    ratios = [row.split("|")[5].strip() for row in table(page, "other simulators")]
    has(f"uet-htsim takes {ratios[0]} to {ratios[1]} times the processor time of Weir, and ns-3 {ratios[2]} times")
    memory = next(row for row in table(page, "today's engine") if "8,192 hosts" in row).split("|")[4].strip()
    has(f"8,192 hosts and takes {memory}")
    has(f"8,192 hosts and takes {memory}", PERFORMANCE)

    flow, slowdown, paused = slow_flow(sys.argv[1])
    has(f"Flow {flow} took {slowdown} times what it takes alone")
    has(f"{paused} % of the rest is pauses")

    version = re.search(r"project\(weir VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    has(f"version: {version}", "CITATION.cff")

    for line in bad:
        print(line)
    sys.exit(1 if bad else 0)


VALIDATION = "docs/evidence/validation.md"
PERFORMANCE = "docs/evidence/performance.md"

main()
