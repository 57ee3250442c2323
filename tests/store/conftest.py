"""Real stores on disk, written with the package's own codec."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agenteval.records import (
    Arm,
    ArmRow,
    AttemptRow,
    CheckRow,
    EventRow,
    RunFolder,
    RunManifest,
    RunRow,
    StoreFolder,
    TaskRow,
    encode_block,
    trial_id,
)

ROOT = Path(__file__).parents[2]
EPOCH = datetime(2025, 3, 1, 12, tzinfo=UTC)


@dataclass
class StoreBuilder:
    """Writes runs as the engine does."""

    path: Path

    @property
    def folder(self) -> StoreFolder:
        return StoreFolder(self.path)

    def run(
        self, run_id: str = "r1", *, folder: str | None = None, day: int = 0, suite: str = "shop"
    ) -> RunFolder:
        """Make an empty run of two tasks and two arms."""
        self.folder.create()
        run = RunFolder(self.folder.runs / (folder or run_id))
        run.path.mkdir()
        RunManifest(
            run=RunRow(
                run_id=run_id,
                suite=suite,
                created_at=EPOCH + timedelta(days=day),
                repeats=1,
                planned_trials=4,
            ),
            tasks=[
                TaskRow(
                    run_id=run_id,
                    suite=suite,
                    task_id=task,
                    task_digest=f"d-{task}",
                    tags=["demo", "it's"],
                    prompt=f"Please do {task} <b>now</b>",
                )
                for task in ("cart", "search")
            ],
            arms=[
                ArmRow(
                    run_id=run_id,
                    arm=arm.variant,
                    arm_digest=arm.digest,
                    agent=arm.agent,
                    variant=arm.variant,
                )
                for arm in (self.arm("base"), self.arm("v2"))
            ],
        ).write(run.manifest)
        return run

    @staticmethod
    def arm(variant: str) -> Arm:
        return Arm(agent_spec="scripted:noop", variant=variant)

    def attempt(
        self,
        run_id: str = "r1",
        task: str = "cart",
        arm: str = "base",
        repeat: int = 1,
        **values: Any,
    ) -> AttemptRow:
        own = self.arm(arm)
        defaults = {
            "suite": "shop",
            "status": "pass",
            "passed": True,
            "score": 1.0,
            "ended_by": "agent",
            "started_at": EPOCH,
            "duration_s": 2.5,
            "cost_usd": 0.25,
        }
        values = defaults | values
        return AttemptRow(
            run_id=run_id,
            trial_id=trial_id(run_id, values["suite"], task, own.digest, repeat),
            task_id=task,
            task_digest=f"d-{task}",
            arm=arm,
            arm_digest=own.digest,
            agent=own.agent,
            variant=arm,
            repeat=repeat,
            **values,
        )

    @staticmethod
    def checks(attempt: AttemptRow, count: int = 2) -> list[CheckRow]:
        return [
            CheckRow(
                run_id=attempt.run_id,
                trial_id=attempt.trial_id,
                attempt=attempt.attempt,
                grading=attempt.grading,
                seq=seq,
                name=f"check {seq}",
                kind="command",
                passed=attempt.passed,
                score=float(attempt.passed or 0),
            )
            for seq in range(1, count + 1)
        ]

    def block(self, attempt: AttemptRow, count: int = 2) -> bytes:
        return encode_block(attempt, self.checks(attempt, count))

    def write(self, run: RunFolder, *attempts: AttemptRow, checks: int = 2) -> None:
        """Append attempts with their checks to a run's journal."""
        self.append(run, b"".join(self.block(attempt, checks) for attempt in attempts))

    @staticmethod
    def append(run: RunFolder, data: bytes) -> None:
        with run.journal.open("ab") as journal:
            journal.write(data)

    def filled(self, run_id: str = "r1", **options: Any) -> RunFolder:
        """Make a run with all of its four trials."""
        run = self.run(run_id, **options)
        for task, arm in (("cart", "base"), ("cart", "v2"), ("search", "base"), ("search", "v2")):
            passed = (task, arm) != ("cart", "base")
            self.write(
                run,
                self.attempt(run_id, task, arm, passed=passed, status="pass" if passed else "fail"),
            )
        return run

    @staticmethod
    def events(run: RunFolder, attempt: AttemptRow, count: int = 3) -> Path:
        """Write the events of one attempt beside it."""
        path = run.attempt(attempt.trial_id, attempt.attempt) / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [
            EventRow(
                run_id=run.path.name,
                trial_id=attempt.trial_id,
                seq=seq,
                kind="tool_call",
                tool="sh",
                command=f"step {seq}",
            )
            for seq in range(1, count + 1)
        ]
        path.write_text("".join(row.model_dump_json() + "\n" for row in rows))
        return path


@pytest.fixture
def build(tmp_path: Path) -> StoreBuilder:
    return StoreBuilder(tmp_path / "store")


@pytest.fixture
def python() -> Callable[..., subprocess.Popen[str]]:
    """Start a real Python process that can import the package."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
