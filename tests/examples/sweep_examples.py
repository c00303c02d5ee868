"""Runs the examples of docs/results.md that read a sweep, on the sweep of scenarios/studies/load.toml.

    sweep_examples.py pandas|duckdb WEIR FOLDER

FOLDER is a place in the build tree: DuckDB, which Debian does not have, is installed there. Exits with 77, for
"skipped", if the package cannot be had.
"""
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def example(language, what):
    """The code block of the language that has these words in it."""
    text = pathlib.Path("docs/results.md").read_text()
    found = [b for b in re.findall(rf"```{language}\n(.*?)```", text, re.S) if what in b]
    assert len(found) == 1, f"{len(found)} examples of {language} with '{what}'"
    return found[0]


def with_pandas(directory):
    try:
        import pandas
    except ImportError:
        skip("python3 has no pandas; Debian's package is python3-pandas")
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


def with_duckdb(directory, folder):
    python = pathlib.Path(folder) / "venv" / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--retries", "1",
                        "--timeout", "15", "-r", "tests/examples/requirements.txt"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        skip(f"DuckDB cannot be installed: {error}")
    query = example("sql", "runs.csv").replace("DIR", directory)
    script = "import duckdb, sys\nfor row in duckdb.sql(sys.argv[1]).fetchall(): print(*row, sep=',')"
    rows = subprocess.run([python, "-c", script, query], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(rows)
    rows = [row.split(",") for row in rows.split()]
    assert len(rows) == 6
    # every web search flow of every run, by another way of counting
    flows = 0
    for file in pathlib.Path(directory).glob("runs/*/flows.csv"):
        flows += sum(",web," in line for line in file.read_text().splitlines())
    assert sum(int(row[2]) for row in rows) == flows > 0


def main():
    package, weir, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        directory = f"{temporary}/load"
        subprocess.run([weir, "sweep", "scenarios/studies/load.toml", "--out", directory, "-q"], check=True,
                       stdout=subprocess.DEVNULL)
        if package == "pandas":
            with_pandas(directory)
        else:
            with_duckdb(directory, folder)


main()
