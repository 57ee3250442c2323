"""The steps of one trial in order: which tools it used, how they went, how long they took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_diff import HasEvents, ordered_events, result_word, step_of
from agenteval.comparison.wording import UNKNOWN, count_of, known, listed, seconds

DTYPES: dict[str, str] = {
    "step": "int64", "seq": "int64", "turn": "Int64", "lane": "str", "tool": "str", "outcome": "str",
    "duration_s": "float64", "start_s": "float64", "what": "str",
}  # fmt: skip
LANES = (
    "message", "read", "search", "edit", "shell", "web", "mcp", "skill", "other", "error", "limit",
    "gateway",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Timeline(Result):
    """The table of `timeline`.

    Attributes
    ----------
    name
        What the trial is called.
    """

    name: str

    @property
    def verdict(self) -> str:
        """What was done, in words."""
        calls = self.table[~self.table["lane"].isin(["message", "error", "limit", "gateway"])]
        counts = calls["lane"].value_counts()
        kinds = [f"{lane} {counts[lane]}" for lane in LANES if lane in counts.index]
        failed = int((self.table["outcome"] == "failed").sum())
        done = f"{count_of(len(self.table), 'step')}, {count_of(len(calls), 'tool call')}"
        told = f" ({listed(kinds, most=8)})" if kinds else ""
        spent = calls["duration_s"].sum(min_count=1)
        time = f", {seconds(float(spent))} in tools" if known(float(spent)) else ""
        return f"{self.name}: {done}{told}, {failed} failed{time}."

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        rows = [
            [
                str(row["step"]),
                str(row["turn"]) if known(row["turn"]) else UNKNOWN,
                row["lane"],
                row["what"] if len(row["what"]) <= 90 else f"{row['what'][:87]}...",
                row["outcome"],
                seconds(row["duration_s"]),
            ]
            for row in self.table.to_dict("records")
        ]
        heads = ["step", "turn", "kind", "what", "outcome", "time"]
        return Sheet(f"Steps of {self.name}", heads, rows, 4)

    def remarks(self) -> tuple[str, ...]:
        """Return what was done in words, then what has to be said beside it."""
        return (self.verdict, *self.notes)


def timeline(trial: HasEvents | pd.DataFrame) -> Timeline:
    """Lay out what one trial did, step by step; a call and its result are one step.

    Parameters
    ----------
    trial
        A trial (`store.trial(...)`), or its events.

    Returns
    -------
    Timeline
        `.verdict` in words. `.table` has one row a step: `step` from 1, `seq` of its first event,
        `turn`, `lane` (`message`, the kind of tool, `error`, `limit`, `gateway`), `tool`, `outcome`
        (`ok`, `failed`, `unknown`), `duration_s` (NaN where unknown), `start_s` = known time of the
        steps before, `what` was done, in one line. A trial that kept no step has no row.

    Raises
    ------
    InvalidInput
        For something without events.

    Examples
    --------
    >>> events = pd.DataFrame({"seq": [1, 2, 3], "kind": ["tool_call", "tool_result", "message"],
    ...     "tool": ["bash", "bash", None], "tool_kind": ["shell", "shell", None],
    ...     "command": ["pytest", None, None], "exit_code": [None, 1, None]})
    >>> timeline(events).table[["step", "lane", "outcome", "what"]]
       step     lane  outcome         what
    0     1    shell   failed  bash pytest
    1     2  message  unknown
    """
    events, name = ordered_events(trial, "trial")
    frame = pd.DataFrame(list(_steps(events)), columns=list(DTYPES)).astype(DTYPES)
    return Timeline(table=frame, name=name)


def _steps(events: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    results = _results(events)
    step, start = 0, 0.0
    for i, event in enumerate(events):
        if event["kind"] == "tool_result":
            if i not in results.values():
                step += 1
                yield _row(step, event, event, start)
            continue
        result = events[results[i]] if i in results else event
        step += 1
        row = _row(step, event, result, start)
        start += row["duration_s"] if known(row["duration_s"]) else 0.0
        yield row


def _results(events: list[dict[str, Any]]) -> dict[int, int]:
    """Find for each call its result: the event that names it as parent, else the next free one."""
    place = {event["seq"]: i for i, event in enumerate(events)}
    found: dict[int, int] = {}
    waiting: list[int] = []
    for i, event in enumerate(events):
        if event["kind"] == "tool_call":
            waiting.append(i)
        elif event["kind"] == "tool_result" and waiting:
            named = place.get(event.get("parent"), -1)
            call = named if named in waiting else waiting[0]
            waiting.remove(call)
            found[call] = i
    return found


def _row(step: int, event: dict[str, Any], result: dict[str, Any], start: float) -> dict[str, Any]:
    kind: str = event["kind"]
    spent = [result.get("duration_s"), event.get("duration_s")]
    durations = pd.Series(spent, dtype="float64").dropna()
    tool = event.get("tool_kind")
    lane = kind if not kind.startswith("tool_") else tool if tool in LANES else "other"
    said = result_word(result)
    return {
        "step": step,
        "seq": event["seq"],
        "turn": event.get("turn"),
        "lane": lane if lane in LANES else "other",
        "tool": event.get("tool"),
        "outcome": _outcome(kind, said),
        "duration_s": float(durations.iloc[0]) if len(durations) else float("nan"),
        "start_s": start,
        "what": step_of(event),
    }


def _outcome(kind: str, said: str) -> str:
    if kind in ("error", "limit"):
        return "failed"
    return {"": "unknown", "ok": "ok", "exit 0": "ok"}.get(said, "failed")
