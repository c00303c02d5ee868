"""Runs the examples of docs/results.md that read a sweep, on the sweep of scenarios/studies/load.toml.

    sweep_examples.py pandas|duckdb WEIR
"""
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile

def example(language, what):
    """The code block of the language that has these words in it."""
    text = pathlib.Path("docs/results.md").read_text()
    found = [b for b in re.findall(rf"```{language}\n(.*?)```", text, re.S) if what in b]
    assert len(found) == 1, f"{len(found)} examples of {language} with '{what}'"
    return found[0]


def with_pandas(directory):
    import pandas
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(example("python", "points.csv").replace("DIR", directory), {})
    print(out.getvalue())
    points = pandas.read_csv(f"{directory}/points.csv")
    assert len(points) == 6
    assert points.web_p95.notna().all() and (points.web_p95_low <= points.web_p95).all()
    for label in ("HPCC", "DCTCP", "0.5"):
        assert label in out.getvalue(), label
    runs = pandas.read_csv(f"{directory}/runs.csv")
    assert len(runs) == 30 and (runs.status == "done").all()


def with_duckdb(directory):
    import duckdb
    query = example("sql", "runs.csv").replace("DIR", directory)
    rows = duckdb.sql(query).fetchall()
    for row in rows:
        print(*row, sep=",")
    assert len(rows) == 6
    # every web search flow of every run, by another way of counting
    flows = 0
    for file in pathlib.Path(directory).glob("runs/*/flows.csv"):
        flows += sum(",web," in line for line in file.read_text().splitlines())
    assert sum(row[2] for row in rows) == flows > 0


def main():
    package, weir = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        directory = f"{temporary}/load"
        subprocess.run([weir, "sweep", "scenarios/studies/load.toml", "--out", directory, "-q"], check=True,
                       stdout=subprocess.DEVNULL)
        if package == "pandas":
            with_pandas(directory)
        else:
            with_duckdb(directory)


main()
