"""Make data/sample_store anew: two small runs of scripted agents on the bundled demo tasks."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from agenteval.cli import main
from agenteval.records import StoreFolder
from agenteval.store import seal

HERE = Path(__file__).parent
RUNS = {
    "sample-before": (3, ("scripted:chance:0.35", "scripted:chance:0.6")),
    "sample": (7, ("scripted:reference", "scripted:noop", "scripted:chance:0.35", "scripted:chance:0.75")),
}
# of a scripted trial these say nothing that the tables do not
NOT_KEPT = ("prompt.md", "stdout.txt", "stderr.txt")
MAX_OUTPUT = 2_000


def run(store: Path, run_id: str, seed: int, agents: tuple[str, ...]) -> None:
    """Carry out one run."""
    options = [part for agent in agents for part in ("--agent", agent)]
    arguments = ["run", "bundled", "--tasks", "tag:demo", *options, "--repeat", "3"]
    try:
        main([*arguments, "--seed", str(seed), "--run-id", run_id, "--store", str(store)])
    except SystemExit as stop:
        if stop.code:
            raise


def make_anonymous(folder: Path) -> None:
    """Leave machine names, paths and artifacts that say nothing out."""
    manifest = json.loads((folder / "run.json").read_text())
    manifest["suite_path"] = None
    manifest["run"] |= {"host": "example", "platform": "Linux", "command": None}
    (folder / "run.json").write_text(json.dumps(manifest, indent=1) + "\n")
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    for line in lines:
        if line["record"] == "attempt":
            line |= {"host": "example", "platform": "Linux"}
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "journal.jsonl").write_text(text)
    for path in (folder / "artifacts").rglob("*"):
        if path.name in NOT_KEPT or (path.is_file() and path.stat().st_size == 0):
            path.unlink()
        elif path.is_file() and path.stat().st_size > MAX_OUTPUT:
            path.write_bytes(path.read_bytes()[:MAX_OUTPUT] + b"\n[... cut for the sample store ...]\n")


def make() -> None:
    """Make the store and put it in the place of the old one."""
    with tempfile.TemporaryDirectory() as work:
        store = Path(work) / "store"
        for run_id, (seed, agents) in RUNS.items():
            run(store, run_id, seed, agents)
            make_anonymous(StoreFolder(store).run(run_id).path)
        shutil.rmtree(store / "parquet", ignore_errors=True)
        seal(store)
        target = HERE / "sample_store"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(store, target, ignore=shutil.ignore_patterns(".lock"))


if __name__ == "__main__":
    sys.exit(make())
