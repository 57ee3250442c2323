"""What a gate found: dimensions, tasks, failures, and the exit code they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agenteval.comparison.gate_dimension import Mode
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.wording import UNKNOWN, count_of, known, percent

DTYPES: dict[str, str] = {
    "arm": "str", "dimension": "str", "label": "str", "direction": "str", "scale": "str",
    "tasks": "int64", "before": "float64", "after": "float64", "gain": "float64",
    "low": "float64", "high": "float64", "detects": "float64", "tolerance": "float64",
    "verdict": "str", "failed": "bool", "undecided": "bool", "reason": "str",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class GateReport(Result):
    """The table of `gate`, and what else decides.

    Attributes
    ----------
    mode, margin
        As given.
    tasks
        One row an arm and common task: `change` (`regressed`, `fixed`, `same`), the verdict by the
        task's pass policy `before` and `after`, counts, whether it is flaky, and `lost_whole`
        (every trial passed before, none does now).
    added, removed, changed
        `arm: task` graded now only, before only, and with another digest.
    failures
        Why the gate fails, one sentence each; empty when it does not.
    undecided
        What the data cannot tell, one sentence each.
    """

    mode: Mode
    margin: float
    tasks: pd.DataFrame
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    failures: tuple[str, ...]
    undecided: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 nothing regressed, 1 the gate fails, 3 (strict only) the data cannot tell."""
        if self.failures:
            return 1
        return 3 if self.mode == "strict" and self.undecided else 0

    @property
    def regressions(self) -> pd.DataFrame:
        """Tasks that passed before and do not now."""
        return self.tasks[self.tasks["change"] == "regressed"].reset_index(drop=True)

    @property
    def fixes(self) -> pd.DataFrame:
        """Tasks that did not pass before and do now."""
        return self.tasks[self.tasks["change"] == "fixed"].reset_index(drop=True)

    @property
    def flaky(self) -> pd.DataFrame:
        """Tasks that now pass sometimes."""
        return self.tasks[self.tasks["flaky_after"]].reset_index(drop=True)

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.failures:
            return f"The gate fails: {'; '.join(self.failures)}."
        tasks = count_of(len(self.tasks), "task")
        if self.undecided:
            word = (
                "The data cannot tell" if self.mode == "strict" else "Nothing regressed that shows"
            )
            return f"{word}, on {tasks}: {'; '.join(self.undecided)}."
        return f"Nothing regressed, on {tasks}."

    def sheet(self) -> Sheet:
        """Choose and format the dimensions."""
        rows = self.table.to_dict("records")
        several = self.table["arm"].nunique() > 1
        shown = [
            [
                f"{row['arm']}: {row['dimension']}" if several else str(row["dimension"]),
                f"{verdict_words(str(row['verdict']))}{' FAILS' if row['failed'] else ''}",
                level_text(row["scale"], row["before"]),
                level_text(row["scale"], row["after"]),
                gain_text(row),
                str(row["tasks"]),
                "" if not row["tolerance"] else f"{row['tolerance']:g}",
            ]
            for row in rows
        ]
        columns = ["dimension", "verdict", "baseline", "now", "gain [90 %]", "tasks", "tolerance"]
        title = f"Gate, mode {self.mode}, margin {self.margin:g}: " + (
            "fails" if self.failures else "undecided" if self.undecided else "passes"
        )
        return Sheet(title, columns, shown, 2).without("")

    def remarks(self) -> tuple[str, ...]:
        """The verdict, then what moved by task, then the notes."""
        lines = [self.verdict]
        for word, tasks in (("Regressed", self.regressions), ("Fixed", self.fixes)):
            lines += [f"{word}: {task_text(row)}" for row in tasks.to_dict("records")]
        lines += [f"Flaky: {task_text(row)}" for row in self.flaky.to_dict("records")]
        return (*lines, *self.notes)


def verdict_words(verdict: str) -> str:
    """A verdict as people read it.

    >>> verdict_words("non_inferior")
    'not worse by the margin'
    """
    return {
        "non_inferior": "not worse by the margin",
        "inconclusive": "cannot tell",
        "no_evidence": "no evidence",
    }.get(verdict, verdict)


def level_text(scale: object, value: Any) -> str:
    """A dimension's value; a dash without evidence.

    >>> level_text("share", 0.5), level_text("ratio", 0.25), level_text("cap", None)
    ('50.0 %', '0.25', '–')
    """
    if not known(value):
        return UNKNOWN
    return percent(value) if scale == "share" else f"{float(value):.3g}"


def gain_text(row: Mapping[Any, Any]) -> str:
    """The gain with its 90 % limits, in points, per cent or plain."""
    if not known(row["gain"]):
        return UNKNOWN
    gain, low, high = (float(row[name]) for name in ("gain", "low", "high"))
    factor, digits = (100, 1) if row["scale"] in ("share", "ratio") else (1, 3)
    unit = {"share": " points", "ratio": " %"}.get(str(row["scale"]), "")
    limits = f" [{factor * low:.{digits}f}, {factor * high:.{digits}f}]" if known(low) else ""
    return f"{factor * gain + 0.0:+.{digits}f}{limits}{unit}"


def task_text(row: Mapping[Any, Any]) -> str:
    """One task with what happened to it."""
    counts = f"{row['passes_before']}/{row['trials_before']} -> {row['passes_after']}/{row['trials_after']}"
    flaky = ", flaky" if row["flaky_after"] and row["change"] != "same" else ""
    return f"{row['task_id']} ({row['arm']}): {row['before']} -> {row['after']}, {counts}{flaky}"
