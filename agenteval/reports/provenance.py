"""Where a report's numbers come from, and how to get them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import agenteval
from agenteval.comparison.wording import UNKNOWN, known, listed
from agenteval.records import digest
from agenteval.reports.section import Section


def provenance(store: Any, run: str | Sequence[str]) -> Section:
    """List a report's runs with their digests, versions and the command that makes them again.

    Parameters
    ----------
    store
        The opened store.
    run
        Id of the run, or of several; empty ones are ignored.
    """
    wanted = [name for name in ([run] if isinstance(run, str) else run) if name]
    runs, tasks, arms = (
        table[table["run_id"].isin(wanted)] for table in (store.runs(), store.tasks(), store.arms())
    )
    facts = {
        name: _facts(
            runs[runs["run_id"] == name],
            tasks[tasks["run_id"] == name],
            arms[arms["run_id"] == name],
        )
        for name in wanted
    }
    table = pd.DataFrame(facts).rename_axis("fact").reset_index()
    path = Path(store.path).absolute()
    shown = f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)
    rows = [
        [str(row["fact"]), *(str(row[name]) for name in wanted)] for row in table.to_dict("records")
    ]
    return Section(
        table=table,
        notes=(f"Store: {shown}. Report made by agenteval {agenteval.__version__}.",),
        title="Provenance", heads=["", *wanted], rows=rows, empty="No run was named.",
    )  # fmt: skip


def _facts(runs: pd.DataFrame, tasks: pd.DataFrame, arms: pd.DataFrame) -> dict[str, str]:
    row = runs.iloc[0] if len(runs) else pd.Series(dtype="object")
    told = {
        name: str(row[name]) if name in row and known(row[name]) else UNKNOWN for name in _FACTS
    }
    created = row.get("created_at")
    return {
        "suite": told["suite"],
        "made": f"{created:%Y-%m-%d %H:%M} UTC" if known(created) else UNKNOWN,
        "source": told["source"],
        "tasks": f"{len(tasks)}, digest {digest(*sorted(tasks['task_id'] + tasks['task_digest']))}",
        "arms": listed(
            (
                f"{arm} ({version[:8]})"
                for arm, version in zip(arms["arm"], arms["arm_digest"], strict=True)
            ),
            most=6,
        ),
        "trials planned": f"{told['planned_trials']} ({told['repeats']} a task and arm, seed {told['seed']})",
        "sandbox": told["sandbox"],
        "agenteval, Python": f"{told['agenteval_version']}, {told['python']}",
        "machine": f"{told['host']}, {told['platform']}",
        "to run it again": told["command"],
    }


_FACTS = (
    "suite",
    "source",
    "planned_trials",
    "repeats",
    "seed",
    "sandbox",
    "agenteval_version",
    "python",
    "host",
    "platform",
    "command",
)
