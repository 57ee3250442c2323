"""The gate: is a run worse than a fixed baseline, on any dimension, and on which tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.dimensions import Measure, measures_of
from agenteval.comparison.gate_dimension import Judged, Mode, Rule, judge_dimension
from agenteval.comparison.gate_options import check_limits, rules_of
from agenteval.comparison.gate_report import DTYPES, GateReport, gain_text
from agenteval.comparison.gate_tasks import (
    ENOUGH_OVERLAP,
    TaskPairs,
    left_out_of,
    pair_tasks,
    task_rows,
    too_many_left_out,
)
from agenteval.comparison.wording import count_of, listed, percent
from agenteval.errors import NotEnoughData
from agenteval.records import ArmRecord, Baseline
from agenteval.stats import wilson_cluster_interval
from agenteval.stats.gate import GATE_LEVEL

MANY_LEFT_OUT = 0.05


def gate(
    run: Baseline,
    baseline: Baseline,
    *,
    tolerances: Mapping[str, float] | None = None,
    max_regressions: int | None = None,
    min_pass_rate: float | None = None,
    margin: float = 0.05,
    min_effect: float = 0.0,
    mode: Mode = "evidence",
) -> GateReport:
    """Compare a run with a fixed baseline on every dimension, on the tasks graded in both.

    `evidence` fails on what is shown: the whole 90 % interval of the gain lies below zero (each
    dimension with a one-sided error of 5 %). `ratchet` compares points, and fails close to half of
    all comparisons of a thing with itself: for suites in which nothing varies. `strict` passes only
    what is shown to be no worse by the margin. A cap is one trial, so it is a point in every mode.
    Compare with a fixed baseline: against the last run, many small losses pass one by one.

    Parameters
    ----------
    run, baseline
        What `baseline_of` made, or `read_baseline` read.
    tolerances
        Loss that is accepted, by dimension, in its unit (a ratio's as a share); zero by default.
    max_regressions
        Tasks that may go from passing to not passing, by their pass policies; not asked when None,
        and 0 in a ratchet.
    min_pass_rate
        Floor of the run's pass rate, a share: fails when it is shown to be below, in a ratchet
        when the point is; strict mode asks for the lower limit.
    margin
        Largest loss that is no worse, for strict mode and the verdicts' words.
    min_effect
        A shown loss smaller than this does not fail.

    Returns
    -------
    GateReport
        `.exit_code`, `.verdict`, `.tasks`, and `.table` with one row an arm and dimension: values
        `before` and `after` (NaN without evidence), `gain` (positive is better; a ratio's as a
        share of the baseline) with its 90 % limits `low` and `high`, `detects` (the loss that this
        size detects with probability 0.8), `verdict`, `failed`, `undecided`, `reason`.

    Raises
    ------
    InvalidInput
        For an unknown dimension or mode, or a number that means nothing.
    NotEnoughData
        When no arm is in both, or less than 80 % of the baseline's tasks can be compared.
    """
    measures = measures_of([*baseline.dimensions, *run.dimensions])
    rules = rules_of(measures, tolerances or {}, mode, margin, min_effect)
    check_limits(max_regressions, min_pass_rate)
    rows: list[dict[str, Any]] = []
    tasks: list[pd.DataFrame] = []
    notes: list[str] = []
    lists: dict[str, list[str]] = {"added": [], "removed": [], "changed": []}
    failures: list[str] = []
    undecided: list[str] = []
    arms = _match(run, baseline)
    for before, after in arms:
        pairs = pair_tasks(before, after)
        _require_overlap(pairs, after.arm)
        own = _dimension_rows(after.arm, pairs, measures, rules)
        rows += own
        tasks.append(task_rows(after.arm, pairs))
        label = f"{after.arm}: " if len(arms) > 1 else ""
        for name, found in lists.items():
            found += [f"{label}{task}" for task in getattr(pairs, name)]
        failures += [f"{label}{_failure(row)}" for row in own if row["failed"]]
        undecided += [
            f"{label}{row['dimension']}: {row['reason']}" for row in own if row["undecided"]
        ]
        undecided += [f"{label}{text}" for text in too_many_left_out(after)]
        notes += _notes(label, pairs, before, after)
        floor = _floor(after, min_pass_rate, mode)
        (failures if floor[0] == "fails" else undecided).extend(
            f"{label}{text}" for text in floor[1:]
        )
    frame = pd.concat(tasks, ignore_index=True)
    failures += _too_many(frame, max_regressions, mode)
    return GateReport(
        table=pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES),
        notes=(*_arm_notes(run, baseline, arms), *_task_notes(lists), *notes, *_chances(rows)),
        mode=mode,
        margin=margin,
        tasks=frame,
        added=tuple(lists["added"]),
        removed=tuple(lists["removed"]),
        changed=tuple(lists["changed"]),
        failures=tuple(failures),
        undecided=tuple(undecided),
    )


def _match(run: Baseline, baseline: Baseline) -> list[tuple[ArmRecord, ArmRecord]]:
    """Arms by name; the only arm of one side against the only arm of the other, whatever its name."""
    before = {arm.arm: arm for arm in baseline.arms}
    shared = [(before[arm.arm], arm) for arm in run.arms if arm.arm in before]
    if not shared and len(run.arms) == len(baseline.arms) == 1:
        return [(baseline.arms[0], run.arms[0])]
    if not shared:
        raise NotEnoughData(
            "no arm of the run is in the baseline",
            f"run: {listed(arm.arm for arm in run.arms)}; baseline: {listed(before)}",
            "name the run's arm with --arm, or save a baseline of these arms",
        )
    return shared


def _require_overlap(pairs: TaskPairs, arm: str) -> None:
    if pairs.overlap >= ENOUGH_OVERLAP:
        return
    gone = [
        f"{word}: {listed(tasks)}"
        for word, tasks in (("changed", pairs.changed), ("not graded now", pairs.removed))
        if tasks
    ]
    size = len(pairs.common) + len(pairs.removed) + len(pairs.changed)
    raise NotEnoughData(
        f"only {len(pairs.common)} of the baseline's {count_of(size, 'graded task')} can be compared, and a gate needs {percent(ENOUGH_OVERLAP, digits=0)}",
        f"arm {arm}; {'; '.join(gone) or 'nothing was graded in the baseline'}",
        "run the same tasks, or save a new baseline",
    )


def _dimension_rows(
    arm: str, pairs: TaskPairs, measures: tuple[Measure, ...], rules: Mapping[str, Rule]
) -> list[dict[str, Any]]:
    rows = []
    for measure in measures:
        before, after = (
            [pair[side].values.get(measure.name) for pair in pairs.common] for side in (0, 1)
        )
        elsewhere = tuple(
            [task.values[measure.name] for task in side if measure.name in task.values]
            for side in pairs.apart
        )
        judged: Judged = judge_dimension(
            measure, before, after, rules[measure.name], elsewhere=(elsewhere[0], elsewhere[1])
        )
        rows.append(
            {
                "arm": arm,
                "dimension": measure.name,
                "label": measure.label,
                "direction": measure.direction,
                "scale": measure.scale,
                "tolerance": rules[measure.name].tolerance,
                **{name: getattr(judged, name) for name in Judged.__dataclass_fields__},
            }
        )
    return rows


def _failure(row: dict[str, Any]) -> str:
    gain = gain_text(row)
    why = f" ({row['reason']})" if row["reason"] else ""
    return f"{row['dimension']} regressed, {gain}{why}"


def _floor(arm: ArmRecord, least: float | None, mode: Mode) -> tuple[str, ...]:
    """What the floor says: `fails` or `undecided` with a sentence, or nothing."""
    graded = [task for task in arm.tasks if task.trials]
    if least is None:
        return ("passes",)
    if not graded:
        return ("fails", "nothing was graded, so there is no pass rate")
    passes, trials = (np.array([getattr(t, n) for t in graded]) for n in ("passes", "trials"))
    found = wilson_cluster_interval(passes, trials, level=GATE_LEVEL)
    rate, low, high = float(found.estimate), float(found.low), float(found.high)
    said = f"the pass rate is {percent(rate)} [{100 * low:.1f}, {100 * high:.1f}]"
    if (rate if mode == "ratchet" else high) < least:
        return ("fails", f"{said}, below the floor of {percent(least)}")
    if mode == "strict" and low < least:
        return ("undecided", f"{said}, not shown to reach the floor of {percent(least)}")
    return ("passes",)


def _too_many(tasks: pd.DataFrame, most: int | None, mode: Mode) -> list[str]:
    allowed = 0 if most is None and mode == "ratchet" else most
    lost = tasks.loc[tasks["change"] == "regressed", "task_id"]
    if allowed is None or len(lost) <= allowed:
        return []
    return [f"{count_of(len(lost), 'task')} regressed, more than {allowed}: {listed(lost)}"]


def _arm_notes(
    run: Baseline, baseline: Baseline, arms: list[tuple[ArmRecord, ArmRecord]]
) -> Iterator[str]:
    for words, side, place in (
        ("Arms of the baseline that are not here", baseline, 0),
        ("Arms without a baseline", run, 1),
    ):
        used = {pair[place].arm for pair in arms}
        rest = [arm.arm for arm in side.arms if arm.arm not in used]
        if rest:
            yield f"{words}: {listed(rest)}."


def _chances(rows: list[dict[str, Any]]) -> Iterator[str]:
    """How often a gate over so many dimensions fails although nothing changed."""
    shown = sum(not math.isnan(row["low"]) for row in rows)
    if shown > 1:
        chance = 1 - (1 - (1 - GATE_LEVEL) / 2) ** shown
        yield f"{shown} comparisons have a one-sided error of 5 % each: when nothing changed, up to {percent(chance, digits=0)} of such gates fail. A tolerance is for dimensions that may move."


def _task_notes(lists: Mapping[str, list[str]]) -> Iterator[str]:
    said = {
        "changed": "changed since the baseline, so they are not compared",
        "added": "graded now only",
        "removed": "graded in the baseline only",
    }
    for name, words in said.items():
        if lists[name]:
            yield f"{count_of(len(lists[name]), 'task')} {words}: {listed(lists[name], most=20)}."


def _notes(label: str, pairs: TaskPairs, before: ArmRecord, after: ArmRecord) -> Iterator[str]:
    for words, arm in (("now", after), ("in the baseline", before)):
        out, trials = left_out_of(arm)
        if out > MANY_LEFT_OUT * trials:
            yield f"{label}{out} of {count_of(trials, 'trial')} {words} do not count (infrastructure, skipped)."
    if pairs.unknown_digests:
        yield f"{label}The digests of some tasks are not known, so a changed task would not be seen."
