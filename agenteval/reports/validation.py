"""What `agenteval validate` found, beside what trials say of the same tasks."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

from agenteval.comparison.wording import count_of, seconds
from agenteval.errors import InvalidInput
from agenteval.reports.section import Section

NONE = (
    "No validation is named. `agenteval validate SUITE --json > validation.json` makes one, and "
    "`-p validation=validation.json` shows it here."
)


def validation(path: str | Path) -> Section:
    """Show a validation, task by task, those with something to mend first.

    Parameters
    ----------
    path
        File that holds what `agenteval validate --json` printed; empty for none.

    Returns
    -------
    Section
        `.table` has one row a task: `task`, `solutions` tried, `wrong` ones that did not come out
        as they should, `flaky` ones, `remarks` in words, and `grade_s`, the longest grading. Tasks
        that were validated before and did not change are in a note.

    Raises
    ------
    InvalidInput
        When the file is no validation.
    """
    if not str(path):
        return Section(table=pd.DataFrame(), empty=NONE)
    told = _read(Path(path))
    solutions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in told["solutions"]:
        solutions[row["task"]].append(row)
    rows = [_row(each, solutions[each["task"]]) for each in told["assessments"]]
    rows.sort(key=lambda row: (-row["wrong"] - row["flaky"], -len(row["remarks"]), row["task"]))
    remembered = told["remembered"]
    notes = (
        (
            f"{count_of(len(remembered), 'task')} validated before and unchanged: {', '.join(remembered)}.",
        )
        if remembered
        else ()
    )
    return Section(
        table=pd.DataFrame(rows),
        notes=notes,
        title="Validation: is every task a real test?",
        heads=["task", "solutions", "came out otherwise", "flaky", "remarks", "grading"],
        rows=[
            [
                row["task"],
                str(row["solutions"]),
                str(row["wrong"]),
                str(row["flaky"]),
                "; ".join(row["remarks"]),
                seconds(row["grade_s"]),
            ]
            for row in rows
        ],
        empty="Every task was validated before and did not change." if remembered else NONE,
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_text("utf-8"))
        if not {"solutions", "assessments", "remembered"} <= set(told):
            raise ValueError("it has no `solutions`, `assessments` and `remembered`")
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(
            f"This is no validation: {error}",
            str(path),
            "write one with `agenteval validate SUITE --json > FILE`",
        ) from error
    return dict(told)


def _row(each: dict[str, Any], tried: list[dict[str, Any]]) -> dict[str, Any]:
    remarks = [f"LEAK: {leak['where']} holds {leak['what']}" for leak in each["leaks"]]
    remarks += [f"{name} passes nowhere" for name in each["never_pass"]]
    remarks += [f"{name} passes everywhere" for name in each["always_pass"]]
    if each["untold"]:
        remarks.append(f"names that nobody tells: {', '.join(each['untold'])}")
    if each["network"]:
        remarks.append("may use the network")
    verdicts = [row["verdict"] for row in tried]
    return {
        "task": each["task"],
        "solutions": len(tried),
        "wrong": verdicts.count("WRONG"),
        "flaky": verdicts.count("flaky"),
        "remarks": remarks,
        "grade_s": each["grade_s"],
    }
