"""Valid rows to spoil."""

from datetime import UTC, datetime

import pytest

from agenteval.records import ArmRow, AttemptRow, CheckRow, RunManifest, RunRow, TaskRow


def attempt(trial: str = "t1", number: int = 1, **changes) -> AttemptRow:
    fields = {
        "run_id": "r", "trial_id": trial, "attempt": number, "suite": "s", "task_id": "a", "task_digest": "d",
        "arm": "x", "arm_digest": "e", "agent": "scripted", "repeat": 1, "status": "pass", "passed": True,
        "started_at": datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC), "error_message": "naïve \"x\"\n\u2028y", "tampering": ["tests_edited"],
    }  # fmt: skip
    return AttemptRow(**fields | changes)


def check(trial: str = "t1", seq: int = 1, number: int = 1, **changes) -> CheckRow:
    return CheckRow(
        **{
            "run_id": "r",
            "trial_id": trial,
            "attempt": number,
            "seq": seq,
            "name": f"c{seq}",
            "kind": "command",
            "passed": True,
            "score": 1.0,
        }
        | changes
    )


@pytest.fixture
def make_attempt():
    return attempt


@pytest.fixture
def make_check():
    return check


@pytest.fixture
def manifest() -> RunManifest:
    return RunManifest(
        run=RunRow(
            run_id="r",
            suite="s",
            created_at=datetime(2026, 1, 2, tzinfo=UTC),
            repeats=3,
            planned_trials=3,
        ),
        tasks=[TaskRow(run_id="r", suite="s", task_id="a", task_digest="d")],
        arms=[ArmRow(run_id="r", arm="x", arm_digest="e", agent="scripted")],
        limits={"timeout_s": 5.0},
    )
