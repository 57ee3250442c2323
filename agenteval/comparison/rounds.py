"""A pair of arms by rounds: green on every task in every round, or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.trial_table import TrialsLike, as_frame, read_trials
from agenteval.comparison.wording import count_of, listed, percent
from agenteval.errors import InvalidInput

DTYPES: dict[str, str] = {
    "arm": "str", "round": "int64", "tasks": "int64", "green": "int64", "score": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounds:
    """What the rounds of a pair came to.

    Attributes
    ----------
    table
        One row an arm and round: `tasks` of the run, those `green` (their trial of this round
        passed), and the round's `score`, green over tasks.
    with_arm, without_arm
        Names of the arms.
    missed
        `task, round N: status` of every trial of the `with` arm that is not green.
    """

    table: pd.DataFrame
    with_arm: str
    without_arm: str
    missed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the `with` arm is green on every task in all rounds."""
        return not self.missed

    def score(self, arm: str) -> float:
        """Mean score of an arm over the rounds."""
        return float(self.table.loc[self.table["arm"] == arm, "score"].mean())

    def __str__(self) -> str:
        """Print in a sentence."""
        rounds = count_of(int(self.table["round"].nunique()), "round")
        scores = ", ".join(
            f"{arm} {percent(self.score(arm))}" for arm in (self.with_arm, self.without_arm)
        )
        said = f"mean over {rounds}: {scores}"
        if self.passed:
            return f"{self.with_arm} is green on every task in every round; {said}"
        return f"{self.with_arm} is not green everywhere ({listed(self.missed)}); {said}"


def rounds(trials: TrialsLike, *, with_arm: str, without_arm: str) -> Rounds:
    """Score a pair of arms round by round: the K-th repeats of all tasks are round K.

    The pair passes only when the `with` arm is green on every task in all rounds; the other arm is
    there to compare with. A trial that does not count, or is not there, is not green. One round
    reads chance as an effect, so the rounds' mean is the score, and `head_to_head` says what the
    difference shows.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`; one row a trial, with `repeat`.
    with_arm, without_arm
        The arms.

    Raises
    ------
    InvalidInput
        For an arm that is not there, or a table without `repeat`.

    Examples
    --------
    >>> rows = [("with", "x", 1, True), ("with", "x", 2, True), ("without", "x", 1, False)]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "repeat", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> found = rounds(trials, with_arm="with", without_arm="without")
    >>> found.passed, found.score("without")
    (True, 0.0)
    """
    frame = as_frame(trials)
    if "repeat" not in frame.columns:
        what = "the trial table has no column 'repeat'"
        raise InvalidInput(what, "argument trials", "pass the columns of store.trials()")
    table = read_trials(frame)
    names = table.groups["arm"].tolist()
    for arm in (with_arm, without_arm):
        if arm not in names:
            what = f"no trial has arm {arm!r}"
            raise InvalidInput(what, "argument with_arm", f"choose one of: {listed(names)}")
    repeats = frame["repeat"].to_numpy(dtype=np.int64)
    tasks = table.tasks["task_id"].tolist()
    rows, missed = [], []
    for arm in (with_arm, without_arm):
        own = table.group == names.index(arm)
        for number in range(1, int(repeats.max()) + 1):
            here = own & (repeats == number)
            green = np.unique(table.task[here & (table.passed == 1)])
            score = len(green) / len(tasks)
            rows.append((arm, number, len(tasks), len(green), score))
            if arm == with_arm:
                status = frame["status"].to_numpy()
                told = dict(zip(table.task[here], status[here], strict=True))
                missed += [
                    f"{task}, round {number}: {told.get(position, 'no trial')}"
                    for position, task in enumerate(tasks)
                    if position not in green
                ]
    made = pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES)
    return Rounds(table=made, with_arm=with_arm, without_arm=without_arm, missed=tuple(missed))
