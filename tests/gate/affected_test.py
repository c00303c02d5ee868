"""What cmake/affected.py makes of a change of one file."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cmake"))
import affected

FOLDERS = ["base", "capture", "cc", "engine", "fuzz", "gym", "hosts", "probe", "sim"]
# A changed file; sources that are affected and one that is not; the folders of tests that are.
CASES = [
    ("docs/view.md", [], "src/weir/base/text.cc", []),
    ("src/weir/base/text.h", ["src/weir/base/text.cc", "src/weir/scenario/scenario.cc", "apps/weir/output.cc"], "src/weir/base/random.cc",
     [folder for folder in FOLDERS if folder != "capture"]),
    ("src/weir/engine/partition/partition-inl.h", ["src/weir/engine/partition/partition_heap.cc"], "src/weir/cc/hpcc.cc", ["engine", "fuzz", "gym", "probe"]),
    ("src/weir/cc/hpcc.cc", ["src/weir/cc/hpcc.cc"], "src/weir/cc/dctcp.cc", ["cc", "engine", "fuzz", "gym", "hosts", "probe"]),
    ("include/weir/scenario.h", ["src/weir/api/scenario.cc", "src/weir/gym/environment.cc"], "src/weir/engine/time/simulation.cc", ["gym"]),
    ("apps/weir/output.h", ["apps/weir/run_command.cc"], "src/weir/run/execute.cc", []),
    ("hosts/agent/daemon.h", ["hosts/agent/daemon.cc"], "src/weir/run/execute.cc", ["fuzz", "hosts"]),
    ("src/weir/capture/frames.h", ["src/weir/capture/frames.cc"], "src/weir/run/execute.cc", ["capture"]),
    ("tests/cc/hpcc_test.cc", [], "src/weir/cc/hpcc.cc", ["cc"]),
    ("tests/scenarios/star.toml", [], "src/weir/cc/hpcc.cc", FOLDERS),
    ("CMakeLists.txt", ["src/weir/cc/hpcc.cc", "apps/weir/main.cc"], "", FOLDERS),
    ("a-new-folder/file", ["src/weir/cc/hpcc.cc", "apps/weir/main.cc"], "", FOLDERS),
]

failed = 0
for path, within, without, folders in CASES:
    assert all((affected.ROOT / name).is_file() for name in [*within, without] if name), path
    affected.changed_since = lambda base: {path}
    sources = affected.affected_sources("base")
    found = affected.affected_folders("base", ["capture=capture" if folder == "capture" else folder for folder in FOLDERS])
    if not set(within) <= set(sources) or without in sources or found != folders:
        print(f"{path}: {len(sources)} sources, missing {set(within) - set(sources)}, {without!r} among them: {without in sources}; folders {found}")
        failed += 1
if affected.affected_folders("", FOLDERS) != FOLDERS or "apps/weir/main.cc" not in affected.affected_sources(""):
    print("without a commit to compare with not everything is affected")
    failed += 1
sys.exit(1 if failed else 0)
