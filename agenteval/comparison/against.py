"""What changed since a baseline run: every task and arm that regressed or improved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.head_to_head import head_to_head
from agenteval.comparison.head_to_head_result import HeadToHead
from agenteval.comparison.holdout import holdout_notes
from agenteval.comparison.pairing import Pair, changed_tasks
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import TrialsLike, as_frame, read_trials
from agenteval.comparison.wording import count_of, listed, percent, points
from agenteval.errors import NotEnoughData

BEFORE, NOW = "baseline", "current"
DTYPES: dict[str, str] = {
    "suite": "str", "task_id": "str", "before": "float64", "after": "float64",
    "difference": "float64", "direction": "str",
    "passes_before": "int64", "trials_before": "int64",
    "passes_after": "int64", "trials_after": "int64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class RunChange(Result):
    """The table of `against`, and what could not be compared.

    Attributes
    ----------
    arms
        One row an arm in both: the columns of `head_to_head(...).table` with `arm` before them,
        `baseline` and `candidate` being the two tables. No row for an arm without a common task.
    added, removed, changed
        Tasks (`suite`, `task_id`) graded now only, graded before only, and with another digest.
    arms_added, arms_removed
        Names of arms in one table only.
    """

    arms: pd.DataFrame
    added: pd.DataFrame
    removed: pd.DataFrame
    changed: pd.DataFrame
    arms_added: tuple[str, ...]
    arms_removed: tuple[str, ...]

    @property
    def regressed(self) -> pd.DataFrame:
        """Rows of the table with a lower rate than before."""
        return self.table[self.table["direction"] == "regressed"].reset_index(drop=True)

    @property
    def improved(self) -> pd.DataFrame:
        """Rows of the table with a higher rate than before."""
        return self.table[self.table["direction"] == "improved"].reset_index(drop=True)

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        moved = self.table[self.table["direction"] != "same"].to_dict("records")
        rows = [
            [
                str(row["arm"]),
                str(row["task_id"]),
                row["direction"],
                f"{percent(row['before'], digits=0)} -> {percent(row['after'], digits=0)}",
                points(row["difference"]),
            ]
            for row in moved
        ]
        worse, better = len(self.regressed), len(self.improved)
        title = f"Since the baseline: {worse} regressed, {better} improved, "
        title += f"{len(self.table) - worse - better} the same"
        return Sheet(title, ["arm", "task", "direction", "rate", "points"], rows, 3)


def against(
    current: TrialsLike, baseline: TrialsLike, *, level: float = 0.95, margin: float = 0.05
) -> RunChange:
    """Compare every task of every arm with a baseline run, on tasks graded in both.

    Arms are matched by name. The rows say what moved, not what is shown: with a few repeats a task
    moves by chance. Whether an arm as a whole changed is in `.arms`, with its interval.

    Parameters
    ----------
    current, baseline
        Trial tables or stores, as for `scoreboard`.
    level, margin
        As for `head_to_head`.

    Returns
    -------
    RunChange
        `.table` has one row for each arm and task graded in both with the same digest: `arm`,
        `suite`, `task_id`, `before` and `after` (pass rates), `difference`, `direction`
        (`regressed`, `improved`, `same`) and the counts behind it; regressions first, the largest
        first. Tasks graded in one table only, or changed in between, are in `.added`, `.removed`,
        `.changed`.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        When either table is empty, or no arm has a task graded in both.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"arm": "a", "task_id": ["x", "y"], "status": ["pass", "fail"]})
    >>> before["passed"] = before["status"] == "pass"
    >>> now = before.assign(status=["fail", "fail"], passed=False)
    >>> against(now, before).table[["arm", "task_id", "before", "after", "direction"]]
      arm task_id  before  after  direction
    0   a       x     1.0    0.0  regressed
    1   a       y     0.0    0.0       same
    """
    now, before = as_frame(current), as_frame(baseline)
    read_trials(now)
    read_trials(before)
    arms_now, arms_before = _arms(now), _arms(before)
    shared = [arm for arm in arms_now if arm in set(arms_before)]
    found = {arm: _one_arm(now, before, arm, level, margin) for arm in shared}
    compared = {arm: h for arm, h in found.items() if h is not None}
    if not compared:
        raise NotEnoughData(
            "no arm has a task that was graded in both",
            f"arms now: {listed(arms_now)}; before: {listed(arms_before)}",
            "compare runs of the same arms and tasks",
        )
    rows = pd.concat([_task_rows(arm, h) for arm, h in compared.items()], ignore_index=True)
    rank = rows["direction"].map({"regressed": 0, "improved": 1, "same": 2}).to_numpy()
    order = np.lexsort((np.arange(len(rows)), -rows["difference"].abs().to_numpy(), rank))
    tables = [h.table.assign(arm=arm) for arm, h in compared.items()]
    arms = pd.concat(tables, ignore_index=True)
    lists = _task_lists(now, before)
    gone = tuple(arm for arm in arms_before if arm not in set(arms_now))
    new = tuple(arm for arm in arms_now if arm not in set(arms_before))
    return RunChange(
        table=rows.iloc[order].reset_index(drop=True),
        notes=(*holdout_notes(now.attrs), *_notes(lists, new, gone)),
        arms=arms[["arm", *[name for name in arms if name != "arm"]]],
        arms_added=new,
        arms_removed=gone,
        **lists,
    )


def _arms(frame: pd.DataFrame) -> list[str]:
    return sorted(frame["arm"].dropna().unique().tolist())


def _sides(now: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Put both tables into one, with the side as a column."""
    keep = [
        name
        for name in now.columns
        if name in before.columns and name not in ("run_id", "trial_id")
    ]
    parts = [before[keep].assign(side=BEFORE), now[keep].assign(side=NOW)]
    both = pd.concat(parts, ignore_index=True)
    both.attrs = dict(now.attrs)
    return both


def _one_arm(
    now: pd.DataFrame, before: pd.DataFrame, arm: str, level: float, margin: float
) -> HeadToHead | None:
    both = _sides(now[now["arm"] == arm], before[before["arm"] == arm])
    try:
        return head_to_head(
            both, baseline=BEFORE, candidate=NOW, by="side", level=level, margin=margin
        )
    except NotEnoughData:
        return None


def _task_rows(arm: str, found: HeadToHead) -> pd.DataFrame:
    pair: Pair = found.pairs[0]
    tasks = read_trials(found.trials, by="side").tasks.iloc[pair.task]
    d = pair.rates_b - pair.rates_a
    rows = pd.DataFrame(
        {
            "suite": tasks["suite"].to_numpy(),
            "task_id": tasks["task_id"].to_numpy(),
            "before": pair.rates_a,
            "after": pair.rates_b,
            "difference": d,
            "direction": np.select([d < 0, d > 0], ["regressed", "improved"], "same"),
            "passes_before": pair.passes_a,
            "trials_before": pair.trials_a,
            "passes_after": pair.passes_b,
            "trials_after": pair.trials_b,
        }
    ).astype(DTYPES)
    rows.insert(0, "arm", arm)
    return rows


def _task_lists(now: pd.DataFrame, before: pd.DataFrame) -> dict[str, pd.DataFrame]:
    table = read_trials(_sides(now, before), by="side")
    cells = cells_of(table)
    graded = [cells.task[part][cells.counted[part] > 0] for part in cells.each_group(2)]
    was, today = graded
    both = np.intersect1d(was, today)
    changed = both[changed_tasks(table, both, 0, 1)]

    def tasks(positions: np.ndarray) -> pd.DataFrame:
        return table.tasks.iloc[positions].reset_index(drop=True)

    return {
        "added": tasks(np.setdiff1d(today, was)),
        "removed": tasks(np.setdiff1d(was, today)),
        "changed": tasks(changed),
    }


def _notes(
    lists: dict[str, pd.DataFrame], new: tuple[str, ...], gone: tuple[str, ...]
) -> Iterator[str]:
    said = {
        "changed": "changed since the baseline, so they are not compared",
        "added": "graded now only",
        "removed": "graded in the baseline only",
    }
    for name, words in said.items():
        tasks = lists[name]["task_id"]
        if len(tasks):
            yield f"{count_of(len(tasks), 'task')} {words}: {listed(tasks)}."
    if new:
        yield f"Arms without a baseline: {listed(new)}."
    if gone:
        yield f"Arms of the baseline that are not here: {listed(gone)}."
