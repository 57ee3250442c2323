"""A small store written through the records: two runs of four scripted arms, with every outcome."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from agenteval.records import (
    PATCH,
    ArmRow,
    AttemptRow,
    CheckRow,
    RunManifest,
    RunRow,
    StoreFolder,
    TaskRow,
    decide,
    digest,
    encode_block,
    trial_id,
)

TASKS = {
    "parse-dates": "bugfix",
    "slow-index": "refactor",
    "add-export": "feature",
    "explain-cache": "explain",
    "fix-login": "bugfix",
    "retry-queue": "feature",
}
ARMS = {
    "scripted:reference": 1.0,
    "scripted:noop": 0.0,
    "scripted:chance:0.75": 0.75,
    "scripted:chance:0.35": 0.35,
}
REPEATS = 3
START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
PATCH_TEXT = """diff --git a/dates.py b/dates.py
--- a/dates.py
+++ b/dates.py
@@ -1,2 +1,2 @@
-order = "mdy"
+order = "dmy"
"""


def build(path: Path, *, next_counts: bool = True) -> Path:
    """Write run `base`, and after it run `next`, in which parse-dates got worse and slow-index better.

    Unless `next_counts`, the set-up of every trial of `next` failed.
    """
    folder = StoreFolder(path)
    folder.create()
    _run(folder, "base", START, seed=4, always={"parse-dates": True, "slow-index": False})
    _run(
        folder,
        "next",
        START + timedelta(days=1),
        seed=5,
        always={"parse-dates": False, "slow-index": True},
        counts=next_counts,
    )
    return path


def add_run(
    path: Path, run_id: str, splits: dict[str, str], *, created_at: datetime = START
) -> None:
    """Write a run of one arm that passed each task once; `splits` maps tasks to their split."""
    folder = StoreFolder(path)
    folder.create()
    run = folder.run(run_id)
    run.path.mkdir(parents=True)
    RunManifest(
        run=RunRow(
            run_id=run_id, suite="s", created_at=created_at, repeats=1, planned_trials=len(splits)
        ),
        tasks=[
            TaskRow(run_id=run_id, suite="s", task_id=task, task_digest=task, split=split)
            for task, split in splits.items()
        ],
        arms=[ArmRow(run_id=run_id, arm="one", arm_digest="1", agent="one")],
    ).write(run.manifest)
    rows = [
        AttemptRow(
            run_id=run_id,
            trial_id=trial_id(run_id, "s", task, "1", 1),
            suite="s",
            task_id=task,
            task_digest=task,
            split=split,
            arm="one",
            arm_digest="1",
            agent="one",
            repeat=1,
            status="pass",
            passed=True,
            ended_by="agent",
        )
        for task, split in splits.items()
    ]
    run.journal.write_bytes(b"".join(map(encode_block, rows)))


def _run(
    folder: StoreFolder,
    run_id: str,
    start: datetime,
    *,
    seed: int,
    always: dict[str, bool],
    counts: bool = True,
) -> None:
    rng = np.random.default_rng(seed)
    about = {
        "agenteval_version": "0.1.0",
        "python": "3.11.7",
        "platform": "Linux-6",
        "sandbox": "bwrap",
        "host": "lab-1",
    }
    planned = len(TASKS) * len(ARMS) * REPEATS
    run = RunRow(
        run_id=run_id, suite="shop", created_at=start, seed=seed, repeats=REPEATS, planned_trials=planned,
        concurrency=2, command=f"agenteval run tasks --repeat 3 --run-id {run_id}", **about,
    )  # fmt: skip
    tasks = [
        TaskRow(run_id=run_id, suite="shop", task_id=name, task_digest=digest(name), title=f"Task {name}",
                category=category, difficulty="easy", language="python", split="dev", prompt=f"Please do {name}.",
                timeout_s=60, checks=2, tags=[])
        for name, category in TASKS.items()
    ]  # fmt: skip
    arms = [
        ArmRow(
            run_id=run_id, arm=arm, arm_digest=digest(arm), agent="scripted", agent_version="0.1.0"
        )
        for arm in ARMS
    ]
    RunManifest(run=run, tasks=tasks, arms=arms).write(folder.run(run_id).manifest)
    blocks, sequence = [], 0
    for repeat in range(1, REPEATS + 1):
        for task in tasks:
            for arm in arms:
                sequence += 1
                solved = bool(rng.random() < ARMS[arm.arm])
                if arm.arm == "scripted:chance:0.35":
                    solved = always.get(task.task_id, solved)
                attempt, checks = _trial(
                    task,
                    arm,
                    repeat,
                    sequence,
                    start,
                    solved,
                    float(rng.gamma(3.0, 2.0)),
                    about,
                    counts=counts,
                )
                blocks.append(encode_block(attempt, checks))
                if attempt.passed is not None:
                    artifacts = folder.run(run_id).attempt(attempt.trial_id, 1)
                    artifacts.mkdir(parents=True)
                    (artifacts / PATCH).write_text(PATCH_TEXT)
    folder.run(run_id).journal.write_bytes(b"".join(blocks))


def _trial(
    task: TaskRow,
    arm: ArmRow,
    repeat: int,
    sequence: int,
    start: datetime,
    solved: bool,
    seconds: float,
    about: dict,
    *,
    counts: bool,
) -> tuple[AttemptRow, list[CheckRow]]:
    ids = {
        "run_id": task.run_id,
        "trial_id": trial_id(task.run_id, "shop", task.task_id, arm.arm_digest, repeat),
    }
    ended_by, infrastructure, skipped, passed = "agent", None, None, [True, True]
    if not counts:
        ended_by, infrastructure, passed = "infrastructure", "setup_failed", []
    elif task.task_id == "retry-queue" and repeat == 3 and arm.arm != "scripted:reference":
        ended_by, infrastructure, passed = "infrastructure", "sandbox_failed", []
    elif task.task_id == "explain-cache" and repeat == 2 and arm.arm == "scripted:chance:0.35":
        ended_by, skipped, passed = None, "requires_missing", []
    elif not solved:
        passed = [False, task.task_id != "fix-login"]
        ended_by = "timeout" if task.task_id == "fix-login" else "agent"
    outcome = decide(
        ended_by=ended_by, checks_passed=passed, infrastructure=infrastructure, skipped=skipped
    )
    names = ["hidden tests", "no debug prints"]
    checks = [
        CheckRow(**ids, seq=i, name=name, kind="command", passed=good, score=float(good),
                 detail=None if good else f"2 failed in test_{task.task_id}.py <AssertionError>", exit_code=int(not good), duration_s=0.4)
        for i, (name, good) in enumerate(zip(names, passed, strict=False), start=1)
    ]  # fmt: skip
    started = ended_by is not None
    attempt = AttemptRow(
        **ids, suite="shop", task_id=task.task_id, task_digest=task.task_digest, category=task.category,
        difficulty="easy", language="python", split="dev", arm=arm.arm, arm_digest=arm.arm_digest, agent="scripted",
        agent_version="0.1.0", repeat=repeat, status=outcome.status, passed=outcome.passed,
        score=sum(passed) / len(passed) if passed else None, ended_by=ended_by, error_class=outcome.error_class,
        error_message="python3.13 is not on PATH" if skipped else None, exit_code=0 if started else None,
        started_at=start + timedelta(seconds=20 * sequence), sequence=sequence, concurrent_trials=2,
        duration_s=seconds + 2 if started else None, agent_s=seconds if started else None, setup_s=0.3, grade_s=1.1,
        turns=int(seconds) + 1 if started else None, tool_calls=int(seconds * 2) if started else None, tool_errors=0,
        cost_usd=round(seconds * 0.011, 5) if started else None, cost_source="metered" if started else "unknown",
        files_changed=1, lines_added=1, lines_removed=1, **about,
    )  # fmt: skip
    return attempt, checks
