"""What a regrade did, for people and for programs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from agenteval.cli.output import count, print_table, say

if TYPE_CHECKING:
    from agenteval.engine import Regraded, RegradeResult
    from agenteval.records import AttemptRow

ARM_COLUMNS = ("trials", "passes", "rate", "left_out")


class Told:
    """What a regrade did, as people and programs read it.

    Trials of holdout tasks are graded again like all others; what came out is not shown, unless
    the run has no others.
    """

    def __init__(self, opened: Any, run: str, result: RegradeResult) -> None:
        from agenteval.records import HOLDOUT

        trials = opened.trials(run=run)
        held_out = bool(len(trials)) and bool((trials["split"] == HOLDOUT).all())
        self.run, self.result = run, result
        self.hidden = (
            0 if held_out else sum(r.after.attempt.split == HOLDOUT for r in result.regraded)
        )
        self.shown = [r for r in result.regraded if held_out or r.after.attempt.split != HOLDOUT]
        after = opened.holdout(run=run) if held_out else trials
        self.boards = _boards(_with(after, result, "before"), _with(after, result, "after"))

    @property
    def changed(self) -> list[Regraded]:
        """Those shown whose trial counts otherwise now."""
        return [regraded for regraded in self.shown if regraded.changed]

    def facts(self) -> dict[str, Any]:
        """One JSON object."""
        result = self.result
        return {
            "run_id": self.run,
            "graded_again": len(result.regraded),
            "written": result.written,
            "interrupted": result.interrupted,
            "holdout_not_shown": self.hidden,
            "notes": result.notes,
            "arms": self.boards,
            "changed": [
                {
                    **_who(regraded.after.attempt),
                    "before": _outcome(regraded.before.attempt),
                    "after": _outcome(regraded.after.attempt),
                    "checks": {name: list(pair) for name, pair in regraded.checks.items()},
                }
                for regraded in self.changed
            ],
            "checks_changed": [
                {**_who(r.after.attempt), "checks": {n: list(p) for n, p in r.checks.items()}}
                for r in self.shown
                if r.checks
            ],
            "not_graded": [
                {**_who(refused.attempt), "reason": refused.reason, "lost": refused.lost}
                for refused in result.refused
            ],
            "unsteady": [
                {**_who(each.attempt), "check": each.check, "verdicts": each.verdicts}
                for each in result.unsteady
            ],
        }

    def print_all(self, times: int) -> None:
        """Tables on stdout, notes on stderr; `times` each patch was graded."""
        result = self.result
        for note in result.notes:
            say(f"note: {note}")
        self._print_refused()
        if self.changed:
            print_table(
                [_change(regraded) for regraded in self.changed],
                ["trial_id", "task", "arm", "repeat", "was", "now", "checks"],
            )
        if self.boards:
            names = [f"{name}_{when}" for name in ARM_COLUMNS for when in ("before", "after")]
            print_table(self.boards, ["arm", *names])
        if result.unsteady:
            print_table(
                [
                    {
                        **_who(each.attempt),
                        "verdicts": [f"{n} x {verdict}" for verdict, n in each.verdicts.items()],
                        "check": each.check,
                    }
                    for each in result.unsteady
                ],
                ["trial_id", "task_id", "arm", "repeat", "check", "verdicts"],
                title=f"Checks that disagreed with themselves in {times} gradings of one patch",
            )
            say("their trials keep their old grading")
        print(self._sentence())
        if self.hidden:
            say(f"{count(self.hidden, 'trial')} of holdout tasks graded again too, and not shown")
        if result.interrupted:
            say("interrupted: what was not graded yet keeps its old grading")

    def _sentence(self) -> str:
        number, changed = len(self.result.regraded), len(self.changed)
        checks = sum(bool(regraded.checks) for regraded in self.shown)
        text = f"run {self.run}: {count(number, 'stored result')} graded again"
        if not self.result.written:
            text += ", nothing was written"
        if not number:
            return text
        if not changed and not checks:
            return f"{text}; no verdict changed"
        return f"{text}; {count(changed, 'trial')} {'counts' if changed == 1 else 'count'} otherwise, in {count(checks, 'trial')} some check has another verdict"

    def _print_refused(self) -> None:
        idle = Counter(r.reason for r in self.result.refused if not r.lost)
        for reason, number in idle.items():
            say(f"{count(number, 'trial')} not graded again: {reason}")
        for refused in self.result.refused:
            if refused.lost:
                row = refused.attempt
                say(
                    f"not graded again, the old outcome stays: {row.trial_id} ({row.task_id}, {row.arm}, repeat {row.repeat}): {refused.reason}"
                )


def _who(row: AttemptRow) -> dict[str, Any]:
    return {
        "trial_id": row.trial_id,
        "task_id": row.task_id,
        "arm": row.arm,
        "repeat": row.repeat,
        "attempt": row.attempt,
        "grading": row.grading,
    }


def _outcome(row: AttemptRow) -> dict[str, Any]:
    return {
        "status": str(row.status),
        "passed": row.passed,
        "score": row.score,
        "error_class": row.error_class,
    }


def _word(row: AttemptRow) -> str:
    return f"{row.status} ({row.error_class})" if row.error_class else str(row.status)


def _change(regraded: Regraded) -> dict[str, Any]:
    row = regraded.after.attempt
    return {
        **_who(row),
        "task": row.task_id,
        "was": _word(regraded.before.attempt),
        "now": _word(row),
        "checks": [
            f"{name}: {old or 'not there'} -> {new or 'gone'}"
            for name, (old, new) in regraded.checks.items()
        ],
    }


def _with(trials: Any, result: RegradeResult, when: str) -> Any:
    """The trials with the outcomes of before or after; what is left out by people stays so."""
    frame = trials.copy()
    rows = {r.after.attempt.trial_id: getattr(r, when).attempt for r in result.regraded}
    for place, (own, why) in enumerate(zip(frame["trial_id"], frame["error_class"], strict=True)):
        row = rows.get(own)
        if row is not None and why not in ("voided", "quarantined"):
            for name in ("status", "passed", "score", "error_class"):
                value = getattr(row, name)
                frame.iloc[place, frame.columns.get_loc(name)] = (
                    str(value) if name == "status" else value
                )
    return frame


def _boards(before: Any, after: Any) -> list[dict[str, Any]]:
    import agenteval as ae

    if not len(after):
        return []
    tables = [ae.scoreboard(frame).table.set_index("arm") for frame in (before, after)]
    return [
        {
            "arm": arm,
            **{
                f"{name}_{when}": tables[place].loc[arm, name]
                for name in ARM_COLUMNS
                for place, when in enumerate(("before", "after"))
            },
        }
        for arm in tables[1].index
    ]
