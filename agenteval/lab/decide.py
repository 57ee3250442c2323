"""Does what has been run so far settle the question, at whatever moment one looks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from agenteval.comparison import Result
from agenteval.comparison.cells import cells_of
from agenteval.comparison.pairing import find_side, pair_groups
from agenteval.comparison.printing import Sheet
from agenteval.comparison.trial_table import Codes, Floats, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import count_of, dollars, percent, points
from agenteval.errors import InvalidInput
from agenteval.lab.rule import Rule, parse_rule
from agenteval.stats import confidence_sequence

DTYPES: dict[str, str] = {
    "look": "int64", "tasks": "int64", "trials": "int64", "difference": "float64",
    "low": "float64", "high": "float64", "answer": "str",
}  # fmt: skip
NAN = float("nan")


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision(Result):
    """The table of `decide`, with the answer.

    Attributes
    ----------
    rule
        What was to be settled.
    answer
        `yes`, `no`, or `undecided`.
    tasks, trials
        Tasks and trials of both arms up to the look that decided, or all there are.
    planned_tasks
        Tasks of the whole plan, None when nobody said.
    saved_trials, saved_usd
        Trials of the plan that were not needed, and what they would have cost by the mean of those
        that ran; None and NaN when unknown.
    left_out
        Tasks that ran but have no counted trial in one of the arms.
    """

    rule: Rule
    answer: Literal["yes", "no", "undecided"]
    tasks: int
    trials: int
    planned_tasks: int | None
    saved_trials: int | None
    saved_usd: float
    left_out: int

    @property
    def decided(self) -> bool:
        """Whether the run may stop."""
        return self.answer != "undecided"

    @property
    def verdict(self) -> str:
        """The answer in words."""
        if self.table.empty:
            return f"Is {self.rule}? Undecided: no task is finished in both arms."
        row = self.table[self.table["tasks"] == self.tasks].iloc[0]
        of = "" if self.planned_tasks is None else f" of {self.planned_tasks:,}"
        level = percent(1 - self.rule.alpha, digits=0)
        text = (
            f"Is {self.rule}? {self.answer.capitalize()}: after {self.tasks:,}{of} "
            f"task{'s' if self.tasks != 1 else ''} ({count_of(self.trials, 'trial')}) the difference "
            f"is {points(row['difference'])} points, {points(row['low'])} to {points(row['high'])} "
            f"with {level} at any time."
        )
        if self.decided and self.saved_trials:
            cost = f", about {dollars(self.saved_usd)}," if self.saved_usd == self.saved_usd else ""
            text += f" {count_of(self.saved_trials, 'trial')}{cost} were not needed."
        return text

    def plot(self, *, theme: Literal["light", "dark"] = "light") -> Any:
        """Draw the looks: an `altair.Chart`."""
        from agenteval.charts import sequence_chart

        return sequence_chart(
            self.table, question=str(self.rule), threshold=self.rule.threshold, theme=theme
        )

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        level = f"{100 * (1 - self.rule.alpha):g} % at any time"
        rows = [
            [
                str(row["look"]),
                f"{row['tasks']:,}",
                f"{row['trials']:,}",
                f"{points(row['difference'])} [{points(row['low'])}, {points(row['high'])}]",
                str(row["answer"]),
            ]
            for row in self.table.to_dict("records")
        ]
        heads = ["look", "tasks", "trials", f"difference [{level}]", "answer"]
        return Sheet(f"Is {self.rule}?", heads, rows, 1)

    def remarks(self) -> tuple[str, ...]:
        """Return the answer in words, then what has to be said beside it."""
        return (self.verdict, *self.notes)


def decide(
    trials: TrialsLike,
    rule: Rule | str,
    *,
    order: Sequence[str] | None = None,
    round_tasks: int = 10,
    planned_tasks: int | None = None,
    repeats: int | None = None,
    seed: int = 0,
) -> Decision:
    """Settle a claim about two arms from the tasks that are finished, task by task in random order.

    A pure function of its arguments: run again it says the same, and on a finished run it says when
    that run could have stopped. The unit is the task, with all its repeats and both arms; it is
    looked at after every round of new tasks. The interval is a confidence sequence, right at all
    looks together with probability 1 - alpha, which is why it is wider than that of `head_to_head`:
    at a true difference of 0 the betting sequence decides in at most 5 % of runs however long they
    get, where a fixed 95 % interval looked at after every round would in a quarter of them.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    rule
        A `Rule`, or its text: `v2 better than base`.
    order
        Task ids in the order they were planned, drawn before any outcome was known; by default an
        order that depends on the ids and `seed` alone.
    round_tasks
        New tasks between two looks.
    planned_tasks
        Tasks of the whole plan, to say what was saved.
    repeats
        Repeats of the plan: a task with fewer trials on record in one of the arms is not finished
        and not used yet, nor is any task after it. None takes every task as finished.
    seed
        Of the default order.

    Returns
    -------
    Decision
        `.answer`, `.verdict` in words, `.saved_trials`, `.saved_usd`, and `.table` with one row a
        look: `tasks` and `trials` so far, `difference` (candidate - baseline), `low`, `high` of the
        confidence sequence, `answer` (`yes`, `no`, or empty); looks after the deciding one have no
        row.

    Raises
    ------
    InvalidInput
        For text that is no rule, an arm that is not there, an order that lacks a task.
    NotEnoughData
        For a table without rows.

    References
    ----------
    Waudby-Smith & Ramdas (2024), doi:10.1093/jrsssb/qkad009.

    Examples
    --------
    >>> rows = [(arm, f"t{i}", arm == "v2" or i % 4 == 0) for arm in ("base", "v2") for i in range(60)]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> found = decide(trials, "v2 better than base", planned_tasks=60)
    >>> found.answer, found.tasks
    ('yes', 20)
    """
    wanted = parse_rule(rule) if isinstance(rule, str) else rule
    if round_tasks < 1:
        what = f"{round_tasks} tasks a round are none"
        raise InvalidInput(what, "argument round_tasks", "give a number of at least 1")
    table = read_trials(trials)
    cells = cells_of(table)
    a = find_side(table, wanted.baseline, "baseline of the rule")
    b = find_side(table, wanted.candidate, "candidate of the rule")
    pair = pair_groups(table, cells, a, b)
    finished = _finished(table, (a, b), _order(table, order, seed), repeats)
    place = {int(task): i for i, task in enumerate(pair.task)}
    rows = np.array([place[task] for task in finished if task in place], dtype=np.int64)
    d = (pair.rates_b - pair.rates_a)[rows]
    sizes = (pair.trials_a + pair.trials_b)[rows]
    looks = list(_looks(d, sizes, wanted, round_tasks))
    last = looks[-1] if looks else None
    used = 0 if last is None else int(last["tasks"])
    left = None if planned_tasks is None else max(0, planned_tasks - used)
    per_task = float(np.mean(sizes[:used])) if used else NAN
    saved = (
        None if left is None or not used else round(left * (2 * repeats if repeats else per_task))
    )
    return Decision(
        table=pd.DataFrame(looks, columns=list(DTYPES)).astype(DTYPES),
        notes=table.said,
        rule=wanted,
        answer=(last["answer"] or "undecided") if last else "undecided",
        tasks=used,
        trials=int(sizes[:used].sum()),
        planned_tasks=planned_tasks,
        saved_trials=saved,
        saved_usd=NAN if saved is None else saved * _cost(table, (a, b)),
        left_out=len(finished) - len(rows),
    )


def _order(table: TrialTable, order: Sequence[str] | None, seed: int) -> list[int]:
    """Return all tasks in the planned order, or in one drawn from their names."""
    names = list(table.tasks[["suite", "task_id"]].itertuples(index=False, name=None))
    if order is None:
        drawn = [
            hashlib.sha256(f"{seed}:{suite}:{task}".encode()).digest() for suite, task in names
        ]
        return sorted(range(len(names)), key=drawn.__getitem__)
    rank = {task: i for i, task in enumerate(order)}
    lacking = [str(task) for _, task in names if task not in rank]
    if lacking:
        what = f"the order does not name task {lacking[0]!r}"
        raise InvalidInput(what, "argument order", "give every task of the plan")
    return sorted(range(len(names)), key=lambda i: rank[names[i][1]])


def _finished(
    table: TrialTable, sides: tuple[int, int], order: list[int], repeats: int | None
) -> list[int]:
    """Return the tasks, in order, up to the first that still lacks a trial in one of the arms."""
    on_record = []
    for side in sides:
        rows = table.group == side
        on_record.append(np.bincount(table.task[rows], minlength=len(table.tasks)))
    least: Codes = np.minimum(*on_record)
    present = [task for task in order if max(counts[task] for counts in on_record)]
    if repeats is None:
        return present
    done = []
    for task in present:
        if least[task] < repeats:
            break
        done.append(task)
    return done


def _looks(d: Floats, sizes: Codes, rule: Rule, step: int) -> Any:
    """Yield one row a look, up to the first that decides."""
    if not len(d):
        return
    sequence = confidence_sequence(d, method=rule.method, alpha=rule.alpha, bounds=(-1.0, 1.0))
    ends = [*range(step, len(d), step), len(d)]
    for look, tasks in enumerate(ends, 1):
        low = max(float(sequence.low[tasks - 1]), -1.0)
        high = min(float(sequence.high[tasks - 1]), 1.0)
        answer = rule.answer(low, high)
        yield {
            "look": look,
            "tasks": tasks,
            "trials": int(sizes[:tasks].sum()),
            "difference": float(sequence.estimate[tasks - 1]),
            "low": low,
            "high": high,
            "answer": answer or "",
        }
        if answer:
            return


def _cost(table: TrialTable, sides: tuple[int, int]) -> float:
    """Mean cost of a counted trial of both arms; NaN when any is unknown."""
    rows = np.isin(table.group, sides) & table.counted
    cost = table.numbers("cost_usd")[rows]
    return float(cost.mean()) if len(cost) else NAN
