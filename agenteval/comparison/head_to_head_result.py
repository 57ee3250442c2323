"""The result of `head_to_head`: its table, and the further questions one can ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from agenteval.comparison.flips import task_flips
from agenteval.comparison.gate_pair import gate_of_pair
from agenteval.comparison.pairing import Pair, rows_of_sides
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import TrialTable, read_trials
from agenteval.comparison.verdict import cost_times, difference_texts, sentence, times
from agenteval.comparison.wording import UNKNOWN
from agenteval.stats import GateVerdict

if TYPE_CHECKING:
    from agenteval.comparison.assumptions import Stated
    from agenteval.comparison.parity import Parity
    from agenteval.comparison.plan import StudyPlan
    from agenteval.comparison.sensitivity import Sensitivity
    from agenteval.comparison.slices import Slices

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

    def gates(self, *, min_effect: float = 0.0) -> tuple[GateVerdict, ...]:
        """Judge each row against the margin: one-sided error 5 %, from the 90 % interval.

        Parameters
        ----------
        min_effect
            A shown regression smaller than this does not fail.
        """
        return tuple(
            gate_of_pair(pair, margin=self.margin, min_effect=min_effect) for pair in self.pairs
        )

    def plan(
        self,
        *,
        effect: float | None = None,
        power: float = 0.8,
        max_cost_usd: float | None = None,
        repeats: Sequence[int] = (1, 2, 3, 5, 10),
        stated: Stated | None = None,
    ) -> StudyPlan:
        """Plan what would settle it, these trials being the pilot: see `agenteval.comparison.plan`.

        Parameters
        ----------
        effect
            Difference worth detecting; the margin by default.
        power, max_cost_usd, repeats, stated
            As for `plan`.
        """
        from agenteval.comparison.plan import plan

        return plan(
            self.trials.assign(arm=self.trials[self.by]),
            effect=self.margin if effect is None else effect,
            power=power,
            baseline=self.baseline,
            candidate=self.candidate,
            max_cost_usd=max_cost_usd,
            repeats=repeats,
            stated=stated,
        )

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
        heads = [
            "baseline",
            "candidate",
            "rates",
            f"difference [{100 * self.level:g} %]",
            "p (sign-flip)",
        ]
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
