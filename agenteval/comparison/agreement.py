"""Do repeats of one task agree, and which tasks are flaky."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, Codes, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import UNKNOWN, known, number, percent
from agenteval.errors import NotEnoughData
from agenteval.stats import flakiness, intraclass_correlation, wilson_interval

DTYPES: dict[str, str] = {
    "tasks": "int64", "tasks_repeated": "int64", "repeats_min": "int64", "repeats_max": "int64",
    "flaky_tasks": "int64", "flaky_share": "float64", "disagreement": "float64",
    "consistency": "float64", "all_pass": "float64", "majority": "float64", "any_pass": "float64",
    "icc": "float64", "design_effect": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatAgreement(Result):
    """The table of `agreement`.

    Attributes
    ----------
    by
        Grouping columns.
    flaky
        One row a group and task with both outcomes: the columns of `by`, `suite`, `task_id`,
        `trials`, `passes`; `rate` with the Wilson limits `low`, `high` of this one task (95 %);
        `outcomes`, a letter a trial in the order of the repeats: P passed, F not, - left out.
        Nearest to a coin flip first.
    """

    by: tuple[str, ...]
    flaky: pd.DataFrame

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = [*self.by, "flaky tasks", "of repeated", "two repeats disagree", "pass^2 / pass^1"]
        heads += ["all pass", "majority", "any passes", "design effect"]
        rows = [
            [
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                str(row["flaky_tasks"]),
                str(row["tasks_repeated"]),
                percent(row["disagreement"]),
                percent(row["consistency"]),
                percent(row["all_pass"]),
                percent(row["majority"]),
                percent(row["any_pass"]),
                number(row["design_effect"]),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Agreement of repeats", heads, rows, len(self.by)).without(UNKNOWN)


def agreement(trials: TrialsLike, *, by: By = "arm") -> RepeatAgreement:
    """Measure how often repeats of a task disagree, and what that costs in information.

    The share of flaky tasks grows with the repeats, so compare `disagreement` between groups. The
    independent unit is the task.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the groups.

    Returns
    -------
    RepeatAgreement
        `.flaky` names the tasks. `.table` has one row a group with a repeated task: `tasks`,
        `tasks_repeated`, `repeats_min`, `repeats_max`; `flaky_tasks` with both outcomes and their
        `flaky_share` of repeated tasks; `disagreement`, the chance that two repeats of a task
        disagree (unbiased whatever the repeats); `consistency`, pass^2 over pass^1 (NaN without a
        pass); `all_pass`, `majority`, `any_pass`, the share of tasks solved by each policy; `icc`
        and `design_effect`, how alike trials of one task are (NaN when all came out alike).

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        When no task was repeated.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": "a", "task_id": list("xxyyzz"), "status": "pass", "passed": True})
    >>> trials.loc[1, ["status", "passed"]] = ["fail", False]
    >>> agreement(trials).table[["arm", "flaky_tasks", "disagreement", "all_pass"]].round(3)
      arm  flaky_tasks  disagreement  all_pass
    0   a            1         0.333     0.667
    """
    table = read_trials(trials, by=by)
    cells = cells_of(table)
    rows, kept = [], []
    for group, part in enumerate(cells.each_group(len(table.groups))):
        graded = cells.counted[part] > 0
        n, c = cells.counted[part][graded], cells.passes[part][graded]
        if len(n) and n.max() > 1:
            rows.append(_row(n, c))
            kept.append(group)
    if not rows:
        what = "no task was repeated, so none can disagree"
        raise NotEnoughData(what, "argument trials", "run each task at least twice")
    missing = len(table.groups) - len(kept)
    notes = (f"{missing} groups without a repeated task are left out.",) if missing else ()
    found = pd.DataFrame(rows)[list(DTYPES)].astype(DTYPES)
    groups = table.groups.iloc[kept].reset_index(drop=True)
    return RepeatAgreement(
        table=pd.concat([groups, found], axis=1),
        notes=(*table.said, *notes),
        by=table.by,
        flaky=_flaky(table),
    )


def _row(n: Codes, c: Codes) -> dict[str, float | int]:
    found = flakiness(n, c)
    again = n > 1
    icc = deff = float("nan")
    if len(n) > 1:
        correlation = intraclass_correlation(c, n)
        icc, deff = correlation.estimate, correlation.deff
    return {
        "tasks": found.n_tasks,
        "tasks_repeated": found.n_repeated,
        "repeats_min": found.repeats[0],
        "repeats_max": found.repeats[1],
        "flaky_tasks": int(((c > 0) & (c < n) & again).sum()),
        "flaky_share": found.flaky_share,
        "disagreement": found.disagreement,
        "consistency": found.consistency(2),
        "all_pass": found.all_pass,
        "majority": found.majority,
        "any_pass": found.any_pass,
        "icc": icc,
        "design_effect": deff,
    }


def _flaky(table: TrialTable) -> pd.DataFrame:
    cells = cells_of(table)
    mixed = np.flatnonzero((cells.passes > 0) & (cells.passes < cells.counted))
    distance = np.abs(cells.passes[mixed] / cells.counted[mixed] - 0.5)
    mixed = mixed[np.lexsort((mixed, distance))]
    n, c = cells.counted[mixed], cells.passes[mixed]
    limits = wilson_interval(c, n) if len(mixed) else None
    parts = [
        table.groups.iloc[cells.group[mixed]].reset_index(drop=True),
        table.tasks.iloc[cells.task[mixed]].reset_index(drop=True),
        pd.DataFrame(
            {
                "trials": n,
                "passes": c,
                "rate": c / n,
                "low": np.empty(0) if limits is None else limits.low,
                "high": np.empty(0) if limits is None else limits.high,
                "outcomes": pd.Series(_letters(table, cells.row, mixed), dtype="str"),
            }
        ),
    ]
    whole = pd.concat(parts, axis=1)
    return whole.loc[:, ~whole.columns.duplicated()]


def _letters(table: TrialTable, row: Codes, cells: Codes) -> list[str]:
    """Write the outcomes of some cells as letters, in the order of the repeats."""
    letter = np.where(table.counted, np.where(table.passed == 1, "P", "F"), "-")
    order = np.lexsort((table.numbers("repeat"), row))
    cut = np.searchsorted(row[order], [cells, cells + 1])
    return ["".join(letter[order[start:stop]]) for start, stop in cut.T]
