"""One row of the parity table, and the side it was read from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agenteval.comparison.trial_table import Floats, TrialTable
from agenteval.comparison.wording import UNKNOWN, listed


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One row of the parity table."""

    property: str
    value_baseline: str
    value_candidate: str
    same: bool
    severity: str
    affects: str
    meaning: str


@dataclass(frozen=True)
class Side:
    """The trials of one side and its name."""

    name: str
    trials: TrialTable

    def words(self, column: str) -> list[str]:
        """Return the distinct known values of a column, sorted."""
        return sorted(self.trials.words(column).dropna().unique().tolist())

    def known(self, column: str) -> Floats:
        """Return the known values of a numeric column."""
        values = self.trials.numbers(column)
        return values[~np.isnan(values)]


def words_finding(
    name: str, x: list[str], y: list[str], severity: str, affects: str, meaning: str
) -> Finding:
    """Compare two lists of distinct values."""
    same = x == y
    return Finding(
        property=name,
        value_baseline=listed(x) or UNKNOWN,
        value_candidate=listed(y) or UNKNOWN,
        same=same,
        severity="same" if same else severity,
        affects=affects,
        meaning="" if same else meaning,
    )


def number_finding(
    name: str,
    means: tuple[float, float],
    texts: list[str],
    severity: str,
    affects: str,
    meaning: str,
) -> Finding:
    """Compare two means."""
    return Finding(
        property=name,
        value_baseline=texts[0],
        value_candidate=texts[1],
        same=means[0] == means[1],
        severity=severity,
        affects=affects,
        meaning=meaning if severity != "same" else "",
    )
