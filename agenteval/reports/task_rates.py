"""Which arm solves which task as a table of texts, for readers who see no charts."""

from __future__ import annotations

import pandas as pd

from agenteval.comparison import matrix, scoreboard
from agenteval.comparison.reliability import NOTHING_COUNTS
from agenteval.comparison.wording import UNKNOWN, count_of, known, listed, percent
from agenteval.reports.section import Section

_MOST_TASKS = 60
_MOST_ARMS = 8


def rates_by_task(trials: pd.DataFrame, *, most: int = _MOST_TASKS) -> Section:
    """Give the pass rate of every arm on every task.

    Parameters
    ----------
    trials
        A trial table.
    most
        Tasks to show. When there are more, those are shown on which the arms differ most.

    Returns
    -------
    Section
        `.table` has one row a task and one column an arm, best arm first, with the share of counted
        trials that passed; NaN where none counts. Shown are at most eight arms.
    """
    if trials["passed"].isna().all():
        return Section(table=pd.DataFrame(), empty=NOTHING_COUNTS)
    order = scoreboard(trials).table["arm"].tolist()
    wide = matrix(trials).wide()[order]
    arms = order[:_MOST_ARMS]
    spread = (wide[arms].max(axis=1) - wide[arms].min(axis=1)).fillna(-1).to_numpy()
    chosen = sorted((-spread).argsort(kind="stable")[:most].tolist())
    several = wide.index.get_level_values("suite").nunique() > 1
    rows = [
        [
            f"{suite}/{task}" if several else str(task),
            *(percent(rate, digits=0) if known(rate) else UNKNOWN for rate in rates),
        ]
        for (suite, task), rates in zip(
            wide.index[chosen], wide[arms].iloc[chosen].to_numpy().tolist(), strict=True
        )
    ]
    notes = []
    if (more := len(wide) - len(rows)) > 0:
        alike = ", on which the arms differ least" if len(arms) > 1 else ""
        notes.append(f"Not shown: {count_of(more, 'more task')}{alike}.")
    if rest := order[_MOST_ARMS:]:
        notes.append(f"Not shown: {count_of(len(rest), 'more arm')} ({listed(rest)}).")
    return Section(
        table=wide.reset_index(),
        notes=tuple(notes),
        title="Pass rate by task and arm",
        heads=["task", *arms],
        rows=rows,
    )
