"""How a store and a trial show themselves in a notebook; everything foreign is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from agenteval.store.store import Store
    from agenteval.store.trial import TrialView

_SHOWN_CHARACTERS = 20_000
_SHOWN_RUNS = 10
_BLOCK = "max-height:24em;overflow:auto;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;border:1px solid #8884;border-radius:4px;padding:.6em;margin:.2em 0 1em"
_DIFF_COLOURS = {"+": ("plus", "#1a7f37"), "-": ("minus", "#b3261e"), "@": ("at", "#6f42c1")}
_CHECK_COLUMNS = ("seq", "name", "kind", "passed", "score", "weight", "error_class", "detail")
_RUNS = """
  select r.run_id as run, r.suite, r.source, strftime(r.created_at, '%Y-%m-%d %H:%M') as created,
    count(t.trial_id) as trials, r.planned_trials as planned,
    coalesce(sum(t.passed::int), 0) as passed, count(t.trial_id) - count(t.passed) as left_out,
    count(distinct t.arm_digest) as arms
  from runs r left join trials t on t.run_id = r.run_id
  group by all order by any_value(r.created_at) desc, run desc"""


def outcome_text(row: dict[str, Any], checks: pd.DataFrame) -> str:
    """Status, why, and how many checks passed, in one line."""
    text = str(row["status"])
    if row["error_class"]:
        text += f" ({row['error_class']})"
    if row["ended_by"] not in (None, "agent", row["error_class"]):
        text += f", ended by {row['ended_by']}"
    if len(checks):
        failed = checks.loc[~checks["passed"].fillna(value=False).astype(bool), "name"].tolist()
        text += f": {len(checks) - len(failed)} of {len(checks)} checks passed"
        text += (
            f"; not {', '.join(failed[:3])}{', ...' if len(failed) > 3 else ''}" if failed else ""
        )
    if row["error_message"]:
        text += f". {row['error_message']}"
    return text


def store_html(store: Store) -> str:
    """Where the store is, and its newest runs with what they came to."""
    runs = store.sql(_RUNS)
    arms = store.sql("select count(distinct arm_digest) as arms from arms")["arms"].iloc[0]
    head = f"<b>Store</b> {escape(str(store.path))}<br>{len(runs)} runs, {runs['trials'].sum()} trials, {arms} arms"
    problems = len(store.problems)
    if problems:
        head += f"<br><b>{problems} things in it cannot be read</b>; see <code>.problems</code>"
    if runs.empty:
        return f"<div>{head}</div>"
    more = f"<div>and {len(runs) - _SHOWN_RUNS} older runs</div>" if len(runs) > _SHOWN_RUNS else ""
    return f"<div>{head}{table_html(runs.head(_SHOWN_RUNS))}{more}</div>"


def trial_html(trial: TrialView) -> str:
    """Prompt, outcome, checks, diff and answer of a trial."""
    row = trial.row
    facts = [
        f"task <b>{escape(row['task_id'])}</b>",
        f"arm <b>{escape(row['arm'])}</b>",
        f"repeat {row['repeat']}",
        f"run {escape(row['run_id'])}",
    ]
    for name, unit in (
        ("duration_s", "s"),
        ("cost_usd", "USD"),
        ("turns", "turns"),
        ("tool_calls", "tool calls"),
    ):
        if row[name] is not None:
            facts.append(f"{row[name]:.4g} {unit}")
    parts = [
        f"<b>Trial</b> {escape(trial.id)}: {', '.join(facts)}",
        f"<div><b>{escape(trial.outcome)}</b></div>",
    ]
    parts.append(_section("Prompt", escape(capped(trial.prompt))))
    checks = trial.checks[list(_CHECK_COLUMNS)].dropna(axis="columns", how="all")
    parts.append(
        f"<div><b>Checks</b></div>{table_html(checks)}" if len(checks) else "<div>No checks</div>"
    )
    parts.append(_section("Diff", coloured(capped(trial.diff))))
    if trial.answer:
        parts.append(_section("Answer", escape(capped(trial.answer))))
    return f"<div>{''.join(parts)}</div>"


def _section(title: str, content: str) -> str:
    return (
        f'<div><b>{title}</b></div><pre tabindex="0" style="{_BLOCK}">{content or "(none)"}</pre>'
    )


def table_html(frame: pd.DataFrame) -> str:
    """Write a table as HTML, everything in it escaped."""
    return frame.to_html(index=False, escape=True, na_rep="", border=0, justify="left")


def capped(text: str) -> str:
    """Cut a text that is too long for a page, and say by how much."""
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}\n... and {len(text) - _SHOWN_CHARACTERS} more characters"


def coloured(diff: str) -> str:
    """Escape a diff for HTML and colour its lines."""
    lines = []
    for line in diff.splitlines():
        name, colour = _DIFF_COLOURS.get(line[:1], ("", ""))
        lines.append(
            f'<span class="diff-{name}" style="color:{colour}">{escape(line)}</span>'
            if name
            else escape(line)
        )
    return "\n".join(lines)
