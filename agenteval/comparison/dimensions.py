"""The dimensions of a run: the one list of what a gate compares, each with its direction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from agenteval.comparison.trial_table import Floats, to_floats
from agenteval.errors import InvalidInput
from agenteval.records import GATE_DIMENSIONS, METERED_COLUMNS, Dimension, dimension_columns

Scale = Literal["share", "score", "count", "ratio", "cap"]
JUDGE = "judge"


@dataclass(frozen=True, eq=False)
class Evidence:
    """Trials that count, with what was graded about each; values are NaN where nothing is known.

    Attributes
    ----------
    frame
        One row a trial that counts in the rate.
    checks
        One row a check of those trials; None when nobody has them.
    """

    frame: pd.DataFrame
    checks: pd.DataFrame | None = None

    def numbers(self, column: str) -> Floats:
        """Values of a column. What agents tell of themselves counts only where it was metered."""
        if column not in self.frame.columns:
            return np.full(len(self.frame), np.nan)
        values = to_floats(self.frame[column], column)
        return np.where(self.metered, values, np.nan) if column in METERED_COLUMNS else values

    @property
    def metered(self) -> np.ndarray:
        """Which trials went through the gateway."""
        if "cost_source" not in self.frame.columns:
            return np.zeros(len(self.frame), dtype=bool)
        return (self.frame["cost_source"] == "metered").to_numpy(bool, na_value=False)

    def of_kind(self, kind: str) -> Floats:
        """Verdicts of the trials of one kind of task."""
        if "kind" not in self.frame.columns:
            return np.full(len(self.frame), np.nan)
        own = (self.frame["kind"] == kind).to_numpy(bool, na_value=False)
        return np.where(own, self.numbers("passed"), np.nan)

    def check_scores(self, column: str, name: str) -> Floats:
        """Mean score, by trial, of the checks that have this in a column."""
        nothing = np.full(len(self.frame), np.nan)
        keys = ["run_id", "trial_id"]
        if self.checks is None or not {*keys} <= {*self.frame.columns}:
            return nothing
        wanted = self.checks[(self.checks[column] == name).to_numpy(bool, na_value=False)]
        if wanted.empty:
            return nothing
        means = wanted.groupby(keys)["score"].mean()
        places = pd.MultiIndex.from_frame(self.frame[keys])
        return means.reindex(places).to_numpy(dtype=np.float64, na_value=np.nan)


@dataclass(frozen=True)
class Measure:
    """One dimension: where its values come from, which way is better, and how it is compared.

    Attributes
    ----------
    name, label
        Word for --tolerance, and words for people.
    direction
        Whether `higher` or `lower` is better.
    scale
        `share` (passes among trials), `score` (0 to 1), `count` (a trial's mean), `ratio` (a
        magnitude, compared as a share of the baseline's) or `cap` (the worst single trial).
    read
        Gives one value a trial that counts.
    by_policy
        Whether the task as a whole has one verdict, by its pass policy.
    """

    name: str
    label: str
    direction: Literal["higher", "lower"]
    scale: Scale
    read: Callable[[Evidence], Floats] = field(compare=False)
    by_policy: bool = False

    @property
    def worst(self) -> float | None:
        """The worst value there is; None where there is no end to it."""
        if self.scale not in ("share", "score"):
            return None
        return 0.0 if self.direction == "higher" else 1.0


def _first_try(evidence: Evidence) -> Floats:
    """Passed without the stop gate ever sending the agent back; unknown without a stop gate."""
    blocks, passed = evidence.numbers("stop_blocks"), evidence.numbers("passed")
    return np.where(np.isnan(blocks), np.nan, (passed == 1) & (blocks == 0))


def _mistakes(evidence: Evidence) -> Floats:
    """Sum of the kinds of mistake that something looked for; unknown when nothing did."""
    kinds = [evidence.numbers(name) for name in ("protected_edits", "lint_failures", "shortcuts")]
    known = np.any([~np.isnan(values) for values in kinds], axis=0)
    return np.where(known, np.nansum(kinds, axis=0), np.nan)


DIMENSIONS: tuple[Measure, ...] = (
    Measure("pass_rate", "pass rate", "higher", "share", lambda e: e.numbers("passed")),
    Measure("solved", "tasks solved by their pass policy", "higher", "share",
            lambda e: e.numbers("passed"), by_policy=True),
    Measure("first_try", "first-try pass", "higher", "share", _first_try),
    Measure("pressure_compliance", "pressure compliance", "higher", "share",
            lambda e: e.of_kind("pressure")),
    Measure("injection_resistance", "injection resistance", "higher", "share",
            lambda e: e.of_kind("injection")),
    Measure("mistakes", "mistakes a trial", "lower", "count", _mistakes),
    Measure("judge_score", "judge score", "higher", "score",
            lambda e: e.check_scores("kind", JUDGE)),
    Measure("cost", "cost (USD)", "lower", "ratio", lambda e: e.numbers("cost_usd")),
    Measure("time", "agent time (s)", "lower", "ratio", lambda e: e.numbers("agent_s")),
    Measure("turns", "turns", "lower", "ratio", lambda e: e.numbers("turns")),
    Measure("cap_stop_blocks", "cap: stop blocks", "lower", "cap",
            lambda e: e.numbers("stop_blocks")),
)  # fmt: skip


def measures_of(own: Iterable[Dimension]) -> tuple[Measure, ...]:
    """The declared list, and after it the dimensions that a suite declares itself.

    Raises
    ------
    InvalidInput
        When two of them have the same name and are not the same.
    """
    declared: dict[str, Dimension] = {}
    for dimension in own:
        if declared.setdefault(dimension.name, dimension) != dimension:
            raise InvalidInput(
                f"The dimension {dimension.name!r} is declared in two ways",
                "the baseline and the run",
                "give it another name in suite.toml, or save the baseline again",
            )
    return (*DIMENSIONS, *map(own_measure, declared.values()))


def own_measure(dimension: Dimension) -> Measure:
    """What a suite's own dimension is compared by."""
    scale: Scale
    if dimension.check is not None:
        check, scale = dimension.check, "score"

        def read(evidence: Evidence) -> Floats:
            return evidence.check_scores("name", check)

        label = f"check {check}"
    else:
        column = str(dimension.column)
        dtype = dimension_columns()[column]
        scale = "share" if dtype == "bool" else "score" if column == "score" else "ratio"

        def read(evidence: Evidence) -> Floats:
            return evidence.numbers(column)

        label = column
    name = f"cap: {label}" if dimension.worst else label
    scale = "cap" if dimension.worst else scale
    return Measure(dimension.name, name, dimension.direction, scale, read)


assert tuple(measure.name for measure in DIMENSIONS) == GATE_DIMENSIONS
