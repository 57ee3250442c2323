"""Make data/sample_store anew: two small runs of scripted agents on the bundled demo tasks."""

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd
from simulated_judge import RATES, THRESHOLD, Known, serving

from agenteval.cli import main
from agenteval.lab import rejudge
from agenteval.records import ANSWER, EVENTS, PATCH, JudgeQuestion, JudgeSettings, StoreFolder
from agenteval.store import Store, open_store, seal

HERE = Path(__file__).parent
RUNS = {
    "sample-before": (3, ("scripted:chance:0.35", "scripted:chance:0.6")),
    "sample": (
        7,
        ("scripted:reference", "scripted:noop", "scripted:chance:0.35", "scripted:chance:0.75"),
    ),
}
# the other run is there to compare with, not to look into
WITH_ARTIFACTS = ("sample",)
KEPT = (PATCH, ANSWER, EVENTS)
MAX_OUTPUT = 2_000
RUBRIC = "The work does all that the task asks for, and leaves the rest of the project as it was."
PRICES = {"input_usd_per_mtok": 0.5, "output_usd_per_mtok": 2.0}
# share of trials that a simulated person takes for what they are not
PEOPLE = {"simulated-person-1": 0.04, "simulated-person-2": 0.08}
LABELLED = 72


def run(store: Path, run_id: str, seed: int, agents: tuple[str, ...]) -> None:
    """Carry out one run."""
    options = [part for agent in agents for part in ("--agent", agent)]
    arguments = ["run", "bundled", "--tasks", "tag:demo", *options, "--repeat", "3"]
    try:
        main([*arguments, "--seed", str(seed), "--run-id", run_id, "--store", str(store)])
    except SystemExit as stop:
        if stop.code:
            raise


def judge(store: Store, trials: pd.DataFrame) -> None:
    """Let simulated judges read the work of some trials, through what `agenteval rejudge` does."""
    known = [
        Known(store.trial(row.trial_id).answer, store.trial(row.trial_id).diff, row.passed)
        for row in trials.itertuples()
    ]
    with serving(known) as url:
        provider = {"base_url": url, **PRICES}
        settings = JudgeSettings.model_validate({"providers": {"simulated": provider}})
        for name in RATES:
            question = JudgeQuestion(rubric=RUBRIC, threshold=THRESHOLD, model=f"simulated/{name}")
            rejudge(store, trials, question, settings, rubric_name="whole-task", concurrency=1)
    folder = StoreFolder(store.path)
    lines = [json.loads(line) for line in folder.judgments.read_text().splitlines()]
    for line in lines:
        line["judging"] = f"rejudge-{line['judge'].partition('/')[2]}"
    folder.judgments.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shutil.rmtree(folder.judge_cache)


def label(store: Store, trials: pd.DataFrame) -> None:
    """Let simulated people label some trials, drawn at random."""
    draw = random.Random(11)
    chosen = sorted(draw.sample(range(len(trials)), LABELLED))
    for person, errors in PEOPLE.items():
        for row in trials.iloc[chosen].itertuples():
            wrong = draw.random() < errors
            store.trial(row.trial_id).label(bool(row.passed) != wrong, by=person)


def make_small_and_anonymous(folder: Path) -> None:
    """Leave machine names, paths and artifacts that say nothing out; in place and in order."""
    manifest = json.loads((folder / "run.json").read_text())
    manifest["suite_path"] = None
    manifest["run"] |= {"host": "example", "platform": "Linux", "command": None}
    (folder / "run.json").write_text(json.dumps(manifest, indent=1) + "\n")
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    kept = set()
    for line in lines:
        if line["record"] == "attempt":
            line |= {"host": "example", "platform": "Linux"}
        elif line["passed"] or folder.name not in WITH_ARTIFACTS:
            line["output"] = None
        elif line["output"]:
            kept.add(folder / line["output"])
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "journal.jsonl").write_text(text)
    for path in [path for path in (folder / "artifacts").rglob("*") if path.is_file()]:
        if path.parent.name == "checks" and path in kept:
            path.write_bytes(shortened(path.read_bytes()))
        elif path.name not in KEPT or folder.name not in WITH_ARTIFACTS or not path.stat().st_size:
            path.unlink()
    for path in sorted((folder / "artifacts").rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def shortened(data: bytes) -> bytes:
    """Cut what is long, and say so."""
    if len(data) <= MAX_OUTPUT:
        return data
    return data[:MAX_OUTPUT] + b"\n[... cut for the sample store ...]\n"


def make() -> None:
    """Make the store and put it in the place of the old one."""
    with tempfile.TemporaryDirectory() as work:
        store = Path(work) / "store"
        for run_id, (seed, agents) in RUNS.items():
            run(store, run_id, seed, agents)
        opened = open_store(store)
        trials = opened.trials(run="sample")
        judge(opened, trials)
        label(opened, trials)
        for run_id in RUNS:
            make_small_and_anonymous(StoreFolder(store).run(run_id).path)
        shutil.rmtree(store / "parquet", ignore_errors=True)
        seal(store)
        target = HERE / "sample_store"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(store, target, ignore=shutil.ignore_patterns(".lock"))


if __name__ == "__main__":
    sys.exit(make())
