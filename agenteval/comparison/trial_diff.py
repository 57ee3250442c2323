"""Two trials' steps side by side: where did they part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Protocol, runtime_checkable

import pandas as pd

from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.wording import count_of, known
from agenteval.errors import InvalidInput, NotEnoughData

SHOWN, LONGEST = 24, 90
DTYPES: dict[str, str] = {
    "row": "int64", "change": "str", "diverges": "bool",
    "seq_a": "Int64", "kind_a": "str", "step_a": "str",
    "seq_b": "Int64", "kind_b": "str", "step_b": "str",
}  # fmt: skip
_CHANGES = {"equal": "same", "replace": "different", "delete": "only a", "insert": "only b"}
_PASSING = re.compile(r"/tmp/\S*|0x[0-9a-f]+|\b\d+(\.\d+)?\s?m?s\b")


@runtime_checkable
class HasEvents(Protocol):
    """Anything with the events of one trial, such as `store.trial(...)`."""

    id: str

    @property
    def events(self) -> pd.DataFrame:
        """Steps of the trial."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class TrialDiff(Result):
    """The table of `diff`.

    Attributes
    ----------
    name_a, name_b
        What the two trials are called.
    """

    name_a: str
    name_b: str

    @property
    def divergence(self) -> pd.Series | None:
        """The first row on which they differ; None when they never do."""
        rows = self.table[self.table["diverges"]]
        return None if rows.empty else rows.iloc[0]

    @property
    def verdict(self) -> str:
        """Where they part, in words."""
        row = self.divergence
        if row is None:
            return f"The {count_of(len(self.table), 'step')} are the same."
        before = count_of(int(row["row"]), "same step")
        rest = self.table[self.table["row"] >= row["row"]]
        sides = [
            f"{name} {_did(*_next(rest, side))}"
            for side, name in (("a", self.name_a), ("b", self.name_b))
        ]
        return f"They part after {before}: {', '.join(sides)}."

    def next_step(self, side: str) -> int | None:
        """Return the `seq` of what side `a` or `b` did where they part; None when it had ended."""
        row = self.divergence
        if row is None:
            return None
        rest = self.table.loc[self.table["row"] >= row["row"], f"seq_{side}"].dropna()
        return int(rest.iloc[0]) if len(rest) else None

    def sheet(self) -> Sheet:
        """Choose what is shown around the first divergence; all steps are in `.table`."""
        row = self.divergence
        at = 0 if row is None else int(row["row"])
        start = max(0, at - SHOWN // 3)
        part = self.table.iloc[start : start + SHOWN]
        rows = [
            [
                "->"
                if line["diverges"]
                else {"same": "", "different": "|"}.get(line["change"], line["change"]),
                *(
                    _cell(line[f"{what}_{side}"])
                    for side in "ab"
                    for what in ("seq", "kind", "step")
                ),
            ]
            for line in part.to_dict("records")
        ]
        heads = ["", "#", self.name_a, "", "#", self.name_b, ""]
        return Sheet(
            f"Steps {start + 1} to {start + len(part)} of {len(self.table)}", heads, rows, 7
        )

    def remarks(self) -> tuple[str, ...]:
        """Return where they part, then what has to be said beside it."""
        return (self.verdict, *self.notes)


def diff(a: HasEvents | pd.DataFrame, b: HasEvents | pd.DataFrame) -> TrialDiff:
    """Align the steps of two trials and mark the first on which they differ.

    Steps are alike when kind, tool, command, path and, of messages and of calls without command or
    path, text are; times, temporary paths and addresses are not compared, nor is what a tool
    printed, unless it succeeded in one trial only. After the first difference the two agents live in different worlds, so what follows is
    aligned for reading and proves little.

    Parameters
    ----------
    a, b
        Two trials (`store.trial(...)`), or their events.

    Returns
    -------
    TrialDiff
        `.verdict` in words, `.divergence` the row, and `.table` with one row a pair of steps: `row`
        from 0, `change` (`same`, `different`, `only a`, `only b`), `diverges` (true on the first
        that is not the same), and for each side `seq_*` (as in events), `kind_*`, `step_*` (what was
        done, in one line).

    Raises
    ------
    InvalidInput
        For something without events.
    NotEnoughData
        When neither trial kept any step.

    Examples
    --------
    >>> first = pd.DataFrame({"seq": [1, 2], "kind": "tool_call", "command": ["ls", "pytest"]})
    >>> second = pd.DataFrame({"seq": [1, 2], "kind": "tool_call", "command": ["ls", "rm -r tests"]})
    >>> diff(first, second).verdict
    'They part after 1 same step: a did pytest, b did rm -r tests.'
    """
    (steps_a, name_a), (steps_b, name_b) = _steps(a, "a"), _steps(b, "b")
    if not steps_a and not steps_b:
        fix = "compare their diffs and transcripts; an agent that reports no steps leaves none"
        raise NotEnoughData("neither trial kept any step", f"trials {name_a}, {name_b}", fix)
    rows = list(_aligned(steps_a, steps_b))
    frame = pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES)
    return TrialDiff(table=frame, name_a=name_a, name_b=name_b)


@dataclass(frozen=True)
class _Step:
    seq: int
    kind: str
    text: str
    key: tuple[str, ...]


def ordered_events(trial: HasEvents | pd.DataFrame, name: str) -> tuple[list[dict[str, Any]], str]:
    """Return the events of one trial in order, and what the trial is called.

    Raises
    ------
    InvalidInput
        For something without events.
    """
    if isinstance(trial, pd.DataFrame):
        events = trial
    elif isinstance(trial, HasEvents):
        events, name = trial.events, _called(trial, name)
    else:
        what = f"{type(trial).__name__} has no steps"
        raise InvalidInput(what, f"argument {name}", "pass store.trial(id), or its events")
    lacking = [column for column in ("seq", "kind") if column not in events.columns]
    if lacking:
        what = f"the table has no column {lacking[0]!r}"
        raise InvalidInput(what, f"argument {name}", "pass the events of one trial")
    return events.sort_values("seq", kind="stable").to_dict("records"), name


def _steps(trial: HasEvents | pd.DataFrame, name: str) -> tuple[list[_Step], str]:
    rows, name = ordered_events(trial, name)
    return [_step(row) for row in rows], name


def step_of(row: dict[str, Any]) -> str:
    """Write what an event did in one line."""
    return _step(row).text


def _called(trial: Any, name: str) -> str:
    row = getattr(trial, "row", None)
    arm = row.get("arm") if isinstance(row, dict) else None
    return f"{arm} {trial.id[:6]}" if arm else str(trial.id or name)


def _step(row: dict[str, Any]) -> _Step:
    def word(name: str) -> str:
        value = row.get(name)
        return " ".join(str(value).split()) if known(value) else ""

    kind, tool = word("kind"), word("tool")
    done = word("command") or word("path") or word("text")
    ok = word("ok")
    text = (
        f"{tool} {done}".strip() if kind != "tool_result" else f"{result_word(row)} {done}".strip()
    )
    if kind == "tool_result":
        key: tuple[str, ...] = (kind, tool, ok, word("exit_code"))
    else:
        key = (kind, tool, _PASSING.sub("*", word("command")), word("path"))
        told = kind == "message" or not (word("command") or word("path"))
        key += (_PASSING.sub("*", word("text")),) if told else ()
    return _Step(int(row["seq"]), kind, text[:400], key)


def result_word(row: dict[str, Any]) -> str:
    """Write how a tool ended: its exit code, `ok`, `failed`, or nothing when unknown."""
    if known(row.get("exit_code")):
        return f"exit {int(row['exit_code'])}"
    if known(row.get("ok")):
        return "ok" if row["ok"] else "failed"
    return ""


def _aligned(a: list[_Step], b: list[_Step]) -> Iterator[tuple[Any, ...]]:
    row, parted = 0, False
    for tag, start_a, end_a, start_b, end_b in _opcodes([s.key for s in a], [s.key for s in b]):
        size = max(end_a - start_a, end_b - start_b)
        for i in range(size):
            left = a[start_a + i] if start_a + i < end_a else None
            right = b[start_b + i] if start_b + i < end_b else None
            change = _CHANGES[tag] if left and right else "only a" if left else "only b"
            first = change != "same" and not parted
            parted = parted or first
            yield (row, change, first, *_side(left), *_side(right))
            row += 1


def _opcodes(a: list[Any], b: list[Any]) -> Iterator[tuple[str, int, int, int, int]]:
    """Align after the common beginning: the longest match may lie elsewhere, parting does not."""
    pairs = enumerate(zip(a, b, strict=False))
    common = next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
    if common:
        yield "equal", 0, common, 0, common
    rest = SequenceMatcher(None, a[common:], b[common:], autojunk=False)
    for tag, *ends in rest.get_opcodes():
        start_a, end_a, start_b, end_b = (end + common for end in ends)
        yield tag, start_a, end_a, start_b, end_b


def _side(step: _Step | None) -> tuple[int | None, str | None, str | None]:
    return (None, None, None) if step is None else (step.seq, step.kind, step.text)


def _next(rest: pd.DataFrame, side: str) -> tuple[Any, Any]:
    """What one side did next, which may be aligned some rows on; nothing when it had ended."""
    known_rows = rest[rest[f"seq_{side}"].notna()]
    if known_rows.empty:
        return None, None
    return known_rows[f"kind_{side}"].iloc[0], known_rows[f"step_{side}"].iloc[0]


def _did(kind: Any, step: Any) -> str:
    if not known(kind):
        return "had ended"
    verb = {"message": "said", "tool_call": "did", "tool_result": "got"}.get(kind, f"had {kind}")
    return f"{verb} {_short(step)}".strip().rstrip(".?!")


def _short(text: Any) -> str:
    if not known(text):
        return ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _cell(value: Any) -> str:
    return _short(str(value)) if known(value) else ""
