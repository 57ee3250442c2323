"""Is the candidate better than the baseline, by how much, and how sure is that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.difference_rows import difference_rows, pairing_notes
from agenteval.comparison.flips import task_flips
from agenteval.comparison.pairing import (
    Pair,
    pair_groups,
    require_common_tasks,
    rows_of_sides,
    sides_of,
)
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import TrialsLike, TrialTable, as_frame, read_trials
from agenteval.comparison.verdict import (
    cost_times,
    decide_verdict,
    difference_texts,
    sentence,
    times,
)
from agenteval.comparison.wording import UNKNOWN
from agenteval.errors import InvalidInput
from agenteval.stats import adjust_p_values

if TYPE_CHECKING:
    from agenteval.comparison.parity import Parity
    from agenteval.comparison.sensitivity import Sensitivity
    from agenteval.comparison.slices import Slices

Adjust = Literal["holm", "bh", "none"]
MOST_SENTENCES = 6
DTYPES: dict[str, str] = {
    "tasks": "int64", "trials_baseline": "int64", "trials_candidate": "int64",
    "rate_baseline": "float64", "rate_candidate": "float64",
    "difference": "float64", "low": "float64", "high": "float64", "level": "float64",
    "method": "str", "pvalue": "float64", "pvalue_adjusted": "float64", "verdict": "str",
    "margin": "float64", "mde": "float64", "tasks_needed": "Int64", "repeats_needed": "Int64",
    "tasks_dropped_baseline": "int64", "tasks_dropped_candidate": "int64",
    "left_out_baseline": "int64", "left_out_candidate": "int64",
    "cost_ratio": "float64", "cost_ratio_low": "float64", "cost_ratio_high": "float64",
    "cost_tasks": "int64", "cache_neutral_ratio": "float64",
    "cache_neutral_ratio_low": "float64", "cache_neutral_ratio_high": "float64",
    "time_ratio": "float64", "time_ratio_low": "float64", "time_ratio_high": "float64",
    "time_tasks": "int64", "time_column": "str",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class HeadToHead(Result):
    """The table of `head_to_head`, with what it was made from.

    Attributes
    ----------
    by
        Column that names the sides.
    baseline, candidate, level, margin, adjust
        As given.
    trials
        The trial table it was made from.
    pairs
        The sides on their common tasks, one entry a row of the table.
    """

    by: str
    baseline: Any
    candidate: Any
    level: float
    margin: float
    adjust: str
    trials: pd.DataFrame
    pairs: tuple[Pair, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence a row of the table."""
        rows = self.table.to_dict("records")
        return tuple(sentence(row, comparisons=len(rows)) for row in rows)

    @property
    def verdict(self) -> str:
        """The answer in plain words, one sentence a candidate."""
        return " ".join(self.sentences)

    @cached_property
    def flips(self) -> pd.DataFrame:
        """Tasks gained, lost and the same: one row a candidate and common task, losses first.

        `direction` compares the rates; `probability` is the posterior chance (uniform priors) that
        the change has this sign, `pvalue` Fisher's and `pvalue_adjusted` over tasks (Benjamini-
        Hochberg). With three repeats a side no single task can reach .05, so `evidence` says what
        it shows by itself. `baseline_trial` and `candidate_trial` are trials that show the flip: for
        a lost task one the baseline passed and one the candidate failed.
        """
        table = self.trial_table
        return pd.concat([task_flips(table, pair) for pair in self.pairs], ignore_index=True)

    @cached_property
    def trial_table(self) -> TrialTable:
        """The trials of the sides, coded as `pairs` counts them."""
        rows = rows_of_sides(self.trials, self.by, self.baseline, self.candidate)
        return read_trials(rows, by=self.by)

    def tasks_of(self, pair: Pair) -> pd.DataFrame:
        """Return `suite` and `task_id` of the common tasks of a pair, in its order."""
        return self.trial_table.tasks.iloc[pair.task].reset_index(drop=True)

    def slices(self, column: str = "category", *, seed: int = 0) -> Slices:
        """Compare inside every slice of the tasks: see `agenteval.comparison.slices`."""
        from agenteval.comparison.slices import slices

        return slices(self.trials, column=column, seed=seed, **self._asked())

    @cached_property
    def parity(self) -> Parity:
        """What differs between the sides' records, and whether the comparison is fair."""
        from agenteval.comparison.parity import parity

        return parity(self.trials, baseline=self.baseline, candidate=self.candidate, by=self.by)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """Whether the conclusion changes under other policies, estimands and methods."""
        from agenteval.comparison.sensitivity import sensitivity

        return sensitivity(self.trials, **self._asked())

    def _asked(self) -> dict[str, Any]:
        return {
            "baseline": self.baseline,
            "candidate": self.candidate,
            "by": self.by,
            "level": self.level,
            "margin": self.margin,
        }

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = ["baseline", "candidate", "rates", f"difference [{100 * self.level:g} %]", "p"]
        heads += ["verdict", "detects", "n", "cost", "time"]
        rows = [
            [
                str(row["baseline"]),
                *difference_texts(row),
                cost_times(row),
                times(row["time_ratio"], row["time_ratio_low"], row["time_ratio_high"]),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Head to head, paired on tasks", heads, rows, 2).without(UNKNOWN)

    def remarks(self) -> tuple[str, ...]:
        """Return the verdict in words, then what has to be said beside it."""
        said = self.sentences
        if len(said) > MOST_SENTENCES:
            tally = self.table["verdict"].value_counts()
            counts = ", ".join(f"{word} {count}" for word, count in tally.items())
            shown = [s for s in said if s.endswith((": better.", ": worse."))]
            said = (f"{len(said)} comparisons: {counts}.", *shown[:MOST_SENTENCES])
        return (*said, *self.notes)


def head_to_head(
    trials: TrialsLike,
    *,
    baseline: Any,
    candidate: Any = None,
    by: str = "arm",
    level: float = 0.95,
    margin: float = 0.05,
    adjust: Adjust | None = None,
    cache_premium_usd: Mapping[str, float] | None = None,
) -> HeadToHead:
    """Compare a candidate with a baseline on the tasks both were graded on.

    The independent unit is the task. The difference is that of the task means, its interval the
    generalised Newcombe one (95.8 % simulated coverage on average, 94.2 % at worst), its p-value the
    sign-flip mid-p. Verdicts, in this order:

    - `cannot tell` when the tasks are so few that no outcome could reach 1 - level (fewer than 5 at
      95 %);
    - `better` (`worse`) when the interval lies above (below) zero **and** the p-value, adjusted for
      the number of candidates, is at most 1 - level;
    - `cannot tell` when the interval holds both a loss and a gain larger than `margin`: the minimum
      detectable effect is then larger than the margin;
    - `no difference shown` otherwise. It does not mean that there is none.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    baseline
        Name of the side to compare with; None compares all pairs.
    candidate
        Name of the other side; None takes all others.
    by
        Column that names the sides: `arm`, or `run_id`, `model`, `variant` and so on.
    level
        Level of the intervals, in (0, 1).
    margin
        Difference that would matter, as a share (0.05 is five points).
    adjust
        `holm`, `bh` or `none`; by default Holm against one baseline and Benjamini-Hochberg for all
        pairs. The family is the rows of the table.
    cache_premium_usd
        US dollars by which a token written to the cache costs more than one read from it, by model:
        with it the cost ratio is given again as if no trial's first request had found a warm cache.

    Returns
    -------
    HeadToHead
        `.verdict` in words, `.flips` by task, and `.table` with one row a candidate:

        - `tasks` in common, counted `trials_baseline` and `trials_candidate` on them, `rate_*`;
        - `difference` (candidate - baseline) with `low`, `high`, `level`, `method`; `pvalue`,
          `pvalue_adjusted`, `verdict`;
        - `margin`; `mde`, the difference this size detects with probability 0.8; `tasks_needed` (at
          these repeats) and `repeats_needed` (on these tasks; NA when no number would do) to detect
          the margin;
        - `tasks_dropped_*`: graded on that side but not compared, because the other side lacks them
          or they changed; `left_out_*`: trials left out of the rate on that side;
        - `cost_ratio`, `time_ratio`: candidate over baseline, geometric mean over `cost_tasks` and
          `time_tasks` tasks with values above zero on both sides, with t limits on the logarithms
          (95.0 to 96.7 % simulated); NaN when unknown. `cache_neutral_ratio` is the cost ratio with
          first-request cache reads priced as writes. `time_column` says which time.

    Raises
    ------
    InvalidInput
        For a side that is not there, sides that are the same, a margin that is not positive.
    NotEnoughData
        When two sides have no graded task in common, or there is nothing to compare with.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(arm, task, arm == "v2") for arm in ("base", "v2") for task in "abcdefgh"]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> print(head_to_head(trials, baseline="base", candidate="v2").verdict)
    v2 passes 100.0 points more than base (95 % interval 54.1 to 100.0, 8 tasks x 1): better.
    """
    if not (isinstance(margin, int | float) and 0 < margin < 1):
        fix = "pass a share such as 0.05 for five points"
        raise InvalidInput(f"margin is {margin!r}", "argument margin", fix)
    frame = as_frame(trials)
    table = read_trials(rows_of_sides(frame, by, baseline, candidate), by=by)
    cells = cells_of(table)
    sides = sides_of(table, baseline, candidate)
    pairs = tuple(pair_groups(table, cells, a, b) for a, b in sides)
    for pair in pairs:
        require_common_tasks(table, pair)
    rows = difference_rows(
        table, cells, pairs, level=level, margin=margin, premiums=cache_premium_usd
    )
    method = adjust or ("bh" if baseline is None else "holm")
    p_values = [row["pvalue"] for row in rows]
    adjusted = p_values if method == "none" else adjust_p_values(p_values, method=method)
    for row, p in zip(rows, adjusted, strict=True):
        row["pvalue_adjusted"] = float(p)
        row["verdict"] = decide_verdict(
            tasks=row["tasks"],
            low=row["low"],
            high=row["high"],
            pvalue=row["pvalue_adjusted"],
            alpha=1 - level,
            margin=margin,
        )
    numbers = pd.DataFrame(rows)[["baseline", "candidate", *DTYPES]].astype(DTYPES)
    return HeadToHead(
        table=numbers,
        notes=tuple(pairing_notes(table, pairs)),
        by=by,
        baseline=baseline,
        candidate=candidate,
        level=level,
        margin=margin,
        adjust=method,
        trials=frame.copy(deep=False),
        pairs=pairs,
    )
