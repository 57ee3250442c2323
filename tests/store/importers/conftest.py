"""Small result files in the shapes of the other tools, and the published ones where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[4] / "shared" / "data"


@pytest.fixture
def published():
    """Folder of real published results."""
    if not SHARED.is_dir():
        pytest.skip("the published results are not beside this checkout")
    return SHARED


@pytest.fixture
def tau_record():
    def make(
        task_id: int = 0, trial: int = 0, reward: float = 1.0, **changes: Any
    ) -> dict[str, Any]:
        record = {
            "task_id": task_id,
            "reward": reward,
            "info": {
                "task": {"instruction": f"You want refund {task_id}", "actions": []},
                "reward_info": {"reward": reward},
                "user_cost": 0.01,
            },
            "traj": [
                {"role": "system"},
                {"role": "user"},
                {"role": "assistant", "tool_calls": [{"function": {"name": "think"}}, {}]},
                {"role": "tool"},
                {"role": "assistant", "tool_calls": None},
            ],
            "trial": trial,
        }
        return record | changes

    return make


@pytest.fixture
def tb_record():
    def make(
        task_id: str = "fix-git", own_id: str = "a", resolved: bool | None = True, **changes: Any
    ) -> dict[str, Any]:
        record = {
            "id": own_id,
            "trial_name": f"{task_id}.1-of-1.x",
            "task_id": task_id,
            "instruction": f"Please {task_id}",
            "is_resolved": resolved,
            "failure_mode": "unset",
            "parser_results": {
                "test_one": "passed",
                "test_two": "passed" if resolved else "failed",
            },
            "total_input_tokens": 0,
            "total_output_tokens": 12,
            "trial_started_at": "2025-09-24T01:42:06+00:00",
            "trial_ended_at": "2025-09-24T01:43:36+00:00",
            "agent_started_at": "2025-09-24T01:42:10+00:00",
            "agent_ended_at": "2025-09-24T01:43:10+00:00",
            "test_started_at": None,
            "test_ended_at": None,
        }
        return record | changes

    return make


@pytest.fixture
def tb_run(tmp_path):
    """Write a run folder of Terminal-Bench."""

    def make(
        name: str, records: list[dict[str, Any]], metadata: dict[str, Any] | None = None
    ) -> Path:
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        resolved = sum(record.get("is_resolved") is True for record in records)
        data = {
            "results": records,
            "n_resolved": resolved,
            "accuracy": resolved / max(1, len(records)),
        }
        (folder / "results.json").write_text(json.dumps(data))
        if metadata is not None:
            (folder / "run_metadata.json").write_text(json.dumps(metadata))
        return folder

    return make
