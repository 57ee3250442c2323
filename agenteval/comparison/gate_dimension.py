"""One dimension of a gate: its gain on the tasks both sides have it on, and what that shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from agenteval.comparison.dimensions import Measure, Scale
from agenteval.comparison.trial_table import Floats
from agenteval.comparison.wording import count_of
from agenteval.records import TaskValue
from agenteval.stats import (
    Difference,
    gate_verdict,
    newcombe_cluster_difference,
    paired_t_difference,
)
from agenteval.stats.gate import GATE_LEVEL

Mode = Literal["evidence", "ratchet", "strict"]
MODES: tuple[Mode, ...] = ("evidence", "ratchet", "strict")
NAN = float("nan")
ENOUGH_FLAT = 5  # tasks that all move by the same amount: the chance of one sign is 0.5 ** 5
MDE_WIDTH = (1.6449 + 0.8416) / 1.6449  # half a 90 % interval -> what power 0.8 detects
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rule:
    """What counts as a loss: mode, margin, smallest effect and tolerance of one dimension."""

    mode: Mode = "evidence"
    margin: float = 0.05
    min_effect: float = 0.0
    tolerance: float = 0.0

    @property
    def acceptable(self) -> float:
        """Largest loss that strict mode takes for none."""
        return max(self.margin, self.tolerance)


@dataclass(frozen=True)
class Judged:
    """What a gate says of one dimension of one arm.

    `before` and `after` are None without evidence. `gain` is positive where the run is better: in
    the dimension's unit, and for a ratio as a share of the baseline; `low` and `high` are its 90 %
    limits, NaN where there are none. `detects` is the loss that this size detects.
    """

    tasks: int
    before: float | None
    after: float | None
    gain: float
    low: float
    high: float
    detects: float
    verdict: str
    failed: bool
    undecided: bool
    reason: str


def judge_dimension(
    measure: Measure,
    before: Sequence[TaskValue | None],
    after: Sequence[TaskValue | None],
    rule: Rule,
    *,
    elsewhere: tuple[Sequence[TaskValue], Sequence[TaskValue]] = ((), ()),
) -> Judged:
    """Compare a dimension on common tasks.

    Parameters
    ----------
    before, after
        Values of the same tasks in the same order; None where a task has no evidence.
    elsewhere
        Values of each side's graded tasks that are not common: evidence that was dropped with its
        tasks is evidence that is gone.
    """
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a and b]
    if not pairs:
        return _without_evidence(measure, [*before, *elsewhere[0]], [*after, *elsewhere[1]], rule)
    if measure.scale == "cap":
        return _cap(measure, pairs, rule)
    a, b = (np.array([value.mean for value in side]) for side in zip(*pairs, strict=True))
    found = _gain(measure, pairs, a, b)
    gain = float(found.estimate)
    if rule.mode == "ratchet":
        gain = _point_gain(measure, a, b)
        found = replace(found, estimate=gain, low=NAN, high=NAN)
    judged = _judged(found, rule, measure.scale)
    lost = _lost_evidence(before, after)
    return Judged(
        tasks=len(pairs),
        before=float(a.mean()),
        after=float(b.mean()),
        gain=gain,
        low=float(found.low),
        high=float(found.high),
        detects=judged.detects,
        verdict=judged.verdict,
        failed=judged.failed,
        undecided=judged.undecided,
        reason="; ".join(filter(None, [judged.reason, lost])),
    )


@dataclass(frozen=True)
class _Verdict:
    verdict: str
    failed: bool
    undecided: bool
    reason: str
    detects: float


def _judged(found: Difference, rule: Rule, scale: Scale) -> _Verdict:
    gain = float(found.estimate)
    beyond = gain < -rule.tolerance - ROUNDING and gain <= -rule.min_effect
    if rule.mode == "ratchet":
        way = "improved" if gain > ROUNDING else "regressed" if gain < -ROUNDING else "equivalent"
        failed = way == "regressed" and beyond
        said = "" if failed or way != "regressed" else "within what is tolerated"
        return _Verdict(way, failed, undecided=False, reason=said, detects=NAN)
    gate = gate_verdict(found, margin=rule.acceptable, min_effect=rule.min_effect)
    failed = gate.verdict == "regressed" and beyond
    detects = MDE_WIDTH * (float(found.high) - float(found.low)) / 2
    if failed:
        return _Verdict(gate.verdict, failed, undecided=False, reason="", detects=detects)
    if gate.verdict == "regressed":
        within = float(found.low) > -rule.acceptable
        said = "a shown loss, within what is tolerated"
        return _Verdict(
            "regressed", failed=False, undecided=not within, reason=said, detects=detects
        )
    undecided = gate.verdict == "inconclusive"
    reason = _too_little(detects, rule, found.n_tasks or 0, scale) if undecided else ""
    return _Verdict(gate.verdict, failed=False, undecided=undecided, reason=reason, detects=detects)


def _too_little(detects: float, rule: Rule, tasks: int, scale: Scale) -> str:
    size = count_of(tasks, "task")
    if np.isnan(detects):
        return f"{size} cannot tell: there is no spread to build on"
    if detects > rule.acceptable:
        loss, margin = amount(detects, scale), amount(rule.acceptable, scale)
        return f"too little power: {size} can show a loss of {loss} or more, above the margin of {margin}"
    return "the interval reaches below the margin"


def amount(value: float, scale: Scale) -> str:
    """Write a gain or a loss in the unit of its scale.

    >>> amount(0.125, "share"), amount(0.125, "ratio"), amount(0.125, "count")
    ('12.5 points', '12.5 %', '0.125')
    """
    if scale == "share":
        return f"{100 * value:.1f} points"
    return f"{100 * value:.1f} %" if scale == "ratio" else f"{value:.3g}"


def _without_evidence(
    measure: Measure,
    before: Sequence[TaskValue | None],
    after: Sequence[TaskValue | None],
    rule: Rule,
) -> Judged:
    """A side without evidence has the dimension's worst value, which is never a number of its own."""
    had, has = (_mean(measure, side) for side in (before, after))
    gain = NAN
    if had is None and has is None:
        verdict, failed, reason = "no_evidence", False, "no evidence on either side"
    elif has is None:
        reason = "no evidence now, which counts as the worst value"
        if measure.worst is not None and had is not None:
            gain = -abs(had - measure.worst)
        failed = bool(np.isnan(gain)) or gain < -rule.tolerance - ROUNDING
        verdict = "regressed" if np.isnan(gain) or gain < 0 else "equivalent"
    elif had is None:
        verdict, failed, reason = "improved", False, "the baseline has no evidence"
        if measure.worst is not None:
            gain = abs(has - measure.worst)
            verdict = "improved" if gain > 0 else "equivalent"
    else:
        reason = "the tasks with evidence are not the same ones, so nothing can be compared"
        return Judged(0, had, has, NAN, NAN, NAN, NAN, "inconclusive", False, True, reason)  # noqa: FBT003
    return Judged(0, had, has, gain, NAN, NAN, NAN, verdict, failed, False, reason)  # noqa: FBT003


def _cap(measure: Measure, pairs: Sequence[tuple[TaskValue, TaskValue]], rule: Rule) -> Judged:
    """Compare the worst trials. One trial has no interval, so a cap is a bound in every mode."""
    pick, sign = (max, -1.0) if measure.direction == "lower" else (min, 1.0)
    before, after = (pick(value.worst for value in side) for side in zip(*pairs, strict=True))
    gain = sign * (after - before)
    failed = gain < -rule.tolerance - ROUNDING and gain <= -rule.min_effect
    verdict = "regressed" if gain < 0 else "improved" if gain > 0 else "equivalent"
    reason = "the worst single trial, compared as a point"
    return Judged(len(pairs), before, after, gain, NAN, NAN, NAN, verdict, failed, False, reason)  # noqa: FBT003


def _gain(
    measure: Measure, pairs: Sequence[tuple[TaskValue, TaskValue]], a: Floats, b: Floats
) -> Difference:
    """The run minus the baseline, turned so that larger is better, at the gate's level."""
    first, second = (a, b) if measure.direction == "higher" else (b, a)
    if measure.scale == "share":
        n = [np.array([value.n for value in side]) for side in zip(*pairs, strict=True)]
        n_first, n_second = n if measure.direction == "higher" else n[::-1]
        return newcombe_cluster_difference(
            np.rint(first * n_first),
            n_first,
            np.rint(second * n_second),
            n_second,
            level=GATE_LEVEL,
        )
    if measure.scale == "ratio":
        return _ratio_gain(measure, a, b)
    return _mean_difference(first, second)


def _ratio_gain(measure: Measure, a: Floats, b: Floats) -> Difference:
    """Gain as a share of the baseline: by logarithms, or where a value is zero by its mean."""
    lower = measure.direction == "lower"
    if min(a.min(), b.min()) <= 0:
        scale = abs(float(a.mean())) or 1.0
        return _mean_difference(*((b / scale, a / scale) if lower else (a / scale, b / scale)))
    found = _mean_difference(np.log(a), np.log(b))
    low, middle, high = (
        float(np.expm1(value)) for value in (found.low, found.estimate, found.high)
    )
    if lower:
        low, middle, high = -high, -middle, -low
    return replace(found, low=low, estimate=middle, high=high)


def _mean_difference(first: Floats, second: Floats) -> Difference:
    """Paired t; where every task moved by the same amount, that amount if there are enough."""
    d = second - first
    if len(d) < 2:
        return _unknown(float(d.mean()), len(d))
    found = paired_t_difference(first, second, level=GATE_LEVEL)
    if not found.degenerate:
        return found
    moved = abs(float(d.mean())) > ROUNDING
    if moved and len(d) >= ENOUGH_FLAT:
        return replace(found, low=float(found.estimate), high=float(found.estimate))
    if not moved:
        # nothing moved: what that excludes is read as for shares of the largest value
        scale = max(1.0, float(np.abs(first).max()), float(np.abs(second).max()))
        flat = paired_t_difference(np.abs(first) / scale, np.abs(second) / scale, level=GATE_LEVEL)
        return replace(flat, estimate=0.0, low=flat.low * scale, high=flat.high * scale)
    return found


def _unknown(estimate: float, tasks: int) -> Difference:
    return Difference(
        estimate=estimate, low=NAN, high=NAN, level=GATE_LEVEL, method="none",
        estimand="B - A", n_tasks=tasks,
    )  # fmt: skip


def _point_gain(measure: Measure, a: Floats, b: Floats) -> float:
    before, after = float(a.mean()), float(b.mean())
    gain = after - before if measure.direction == "higher" else before - after
    return gain / (abs(before) or 1.0) if measure.scale == "ratio" else gain


def _mean(measure: Measure, side: Sequence[TaskValue | None]) -> float | None:
    values = [value for value in side if value]
    if not values:
        return None
    if measure.scale == "cap":
        pick = max if measure.direction == "lower" else min
        return pick(value.worst for value in values)
    return float(np.mean([value.mean for value in values]))


def _lost_evidence(before: Sequence[TaskValue | None], after: Sequence[TaskValue | None]) -> str:
    lost = sum(a is not None and b is None for a, b in zip(before, after, strict=True))
    return f"{count_of(lost, 'task')} had evidence before and has none now" if lost else ""
