"""Where a report's numbers come from, and how to get them again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from shlex import quote
from typing import TYPE_CHECKING

import pandas as pd

import agenteval
from agenteval.comparison.wording import UNKNOWN, known, listed
from agenteval.records import digest
from agenteval.reports.section import Section

if TYPE_CHECKING:
    from agenteval.store import Store


def provenance(
    store: Store,
    run: str | Sequence[str],
    *,
    template: str = "",
    parameters: Mapping[str, object] | None = None,
) -> Section:
    """List a report's runs with their digests, versions and the command that makes them again.

    Parameters
    ----------
    store
        The opened store.
    run
        Id of the run, or of several; empty ones are ignored.
    template
        Template the report is made of; its command is given when named, the first run being the
        one reported on and the second the baseline.
    parameters
        Parameters of the template in place of its runs; empty ones are left out.
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
    packages = listed((f"{name} {version(name)}" for name in _PACKAGES), most=len(_PACKAGES))
    made = f"Store: {shown}. Report made by agenteval {agenteval.__version__}."
    numbers = f"Numbers and charts by Python {python_version()}, {packages}."
    asked = _options(wanted) if parameters is None else _pairs(parameters)
    words = " ".join(filter(None, [template, asked, f"--store {quote(shown)}"]))
    again = [f"This report again: `agenteval report {words}`."]
    return Section(
        table=table,
        notes=(made, *(again if template and (wanted or parameters) else []), numbers),
        title="Provenance", heads=["", *wanted], rows=rows, empty="No run was named.",
    )  # fmt: skip


def _options(runs: Sequence[str]) -> str:
    return " ".join(
        f"{option} {quote(run)}" for option, run in zip(("--run", "--baseline"), runs, strict=False)
    )


def _pairs(parameters: Mapping[str, object]) -> str:
    given = {name: value for name, value in parameters.items() if value not in ("", None)}
    return " ".join(f"-p {name}={quote(str(value))}" for name, value in given.items())


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
        "to run it again": _RUN_ID.sub("", told["command"]),
    }


# What the numbers hang on beside this package.
_PACKAGES = ("pandas", "numpy", "scipy", "statsmodels", "duckdb", "altair")
# With its own id, the command would resume the run instead of making another.
_RUN_ID = re.compile(r"\s--run-id(?:\s+|=)(?:'[^']*'|\"[^\"]*\"|\S+)")
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
