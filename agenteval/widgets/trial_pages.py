"""One trial as pages of HTML: what was asked, checked, changed, answered, done, spent and tampered with."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from agenteval.comparison.wording import UNKNOWN, dollars, known, number, seconds
from agenteval.store.display import capped, coloured

if TYPE_CHECKING:
    from agenteval.store import TrialView

PAGES = ("Checks", "Diff", "Answer", "Transcript", "Prompt", "Measured")
MOST_EVENTS, LONGEST_EVENT = 400, 2_000
PARTED = (
    "<div style='border-top:3px dashed #0b6fb8;margin:.6em 0 .2em'><b>Here the two part</b></div>"
)
_BLOCK = "max-height:32em;overflow:auto;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;line-height:1.45;border:1px solid #8886;border-radius:4px;padding:.6em;margin:.2em 0 1em"
_CELL = "text-align:left;line-height:1.45;vertical-align:top;padding:2px 14px 2px 0"
_TIMES = ("duration_s", "setup_s", "agent_s", "model_s", "tool_s", "rate_limited_s", "grade_s")
_COUNTS = (
    "turns", "requests", "tool_calls", "tool_errors", "denials", "input_tokens",
    "cache_read_tokens", "cache_write_tokens", "output_tokens", "files_changed", "lines_added",
    "lines_removed", "protected_edits", "shortcuts", "lint_failures", "peak_memory_mb",
)  # fmt: skip
_NAMES = ("ended_by", "stop_reason", "error_class", "error_message", "model", "model_used", "agent_version")  # fmt: skip


def heading(trial: TrialView) -> str:
    """Name a trial and say what came of it."""
    row = trial.row
    facts = f"{row['task_id']} by {row['arm']}, repeat {row['repeat']}, run {row['run_id']}"
    return f"<h3 style='margin:.4em 0'>{escape(facts)}</h3><p style='margin:0'><code>{escape(trial.id)}</code> <b>{escape(trial.outcome)}</b></p>"


def page(trial: TrialView, name: str, *, parted_at: int | None = None) -> str:
    """Return one of `PAGES`; everything foreign is escaped.

    Parameters
    ----------
    parted_at
        Step from which on another trial went another way; it is marked in the transcript.
    """
    match name:
        case "Checks":
            return _checks(trial)
        case "Diff":
            return _block(coloured(capped(trial.diff)))
        case "Answer":
            return _block(escape(capped(trial.answer)))
        case "Transcript":
            return _transcript(trial.events, parted_at)
        case "Prompt":
            return _block(escape(capped(trial.prompt)))
    return _measured(trial.row, trial.tags)


def _block(content: str) -> str:
    return f'<pre tabindex="0" style="{_BLOCK}">{content or "(none was kept)"}</pre>'


def _checks(trial: TrialView) -> str:
    if trial.checks.empty:
        return "<p>No check looked at it.</p>"
    outputs = {name: path for name, path in trial.artifacts.items() if name.startswith("checks/")}
    parts = []
    for row in trial.checks.to_dict("records"):
        verdict = {True: "passed", False: "not passed"}.get(row["passed"], "no verdict")
        facts = [str(row["kind"]), *([f"score {row['score']:.3g}"] if known(row["score"]) else [])]
        facts += [str(row["error_class"])] if known(row["error_class"]) else []
        detail = _block(escape(capped(str(row["detail"])))) if known(row["detail"]) else ""
        said = f"<b>{escape(str(row['name']))}</b>: {verdict} ({escape(', '.join(facts))})"
        parts.append(f"<p style='margin:.3em 0'>{said}</p>{detail}")
    for name, path in outputs.items():
        text = path.read_bytes().decode("utf-8", errors="replace")
        if text.strip():
            parts.append(
                f"<details><summary>{escape(name)}</summary>{_block(escape(capped(text)))}</details>"
            )
    return "".join(parts)


def _transcript(events: pd.DataFrame, parted_at: int | None) -> str:
    if events.empty:
        return "<p>The agent left no steps.</p>"
    parts, turn = [], None
    for row in events.head(MOST_EVENTS).to_dict("records"):
        if known(row["turn"]) and row["turn"] != turn:
            turn = row["turn"]
            parts.append(f"<h4 style='margin:.8em 0 .2em'>Turn {int(turn)}</h4>")
        if row["seq"] == parted_at:
            parts.append(PARTED)
        parts.append(_event(row))
    hidden = len(events) - MOST_EVENTS
    more = f"<p>{hidden} more steps are in the trial's .events</p>" if hidden > 0 else ""
    return "".join(parts) + more


def _event(row: dict[str, Any]) -> str:
    failed = row["ok"] is False or (known(row["exit_code"]) and row["exit_code"] != 0)
    about = [f"{row['seq']}", str(row["kind"]).replace("_", " ")]
    about += [str(row[name]) for name in ("tool", "path") if known(row[name])]
    about += [f"exit {int(row['exit_code'])}"] if known(row["exit_code"]) else []
    about += [seconds(row["duration_s"])] if known(row["duration_s"]) else []
    about += ["failed"] if failed else []
    told = [str(row[name]) for name in ("command", "text") if known(row[name])]
    text = "\n".join(dict.fromkeys(told))
    short = text if len(text) <= LONGEST_EVENT else f"{text[:LONGEST_EVENT]}\n..."
    edge = "#c2410c" if failed else "#8886"
    body = (
        f"<pre style='margin:0;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;line-height:1.4'>{escape(short)}</pre>"
        if short
        else ""
    )
    return f"<div style='border-left:3px solid {edge};padding:.1em .7em;margin:.25em 0'><small>{escape(' · '.join(about))}</small>{body}</div>"


def _measured(row: dict[str, Any], tags: pd.DataFrame) -> str:
    rows = [(name.replace("_", " "), _said(row[name])) for name in _NAMES]
    cost = UNKNOWN if not known(row["cost_usd"]) else dollars(row["cost_usd"])
    rows.append(("cost", f"{cost} ({row['cost_source'] or 'unknown'})"))
    rows += [(name.removesuffix("_s").replace("_", " "), _time(row[name])) for name in _TIMES]
    rows += [(name.replace("_", " "), _count(row[name])) for name in _COUNTS]
    rows.append(("tampering", _names(row["tampering"])))
    said = [
        text if not known(step) else f"{text} (step {step})"
        for text, step in zip(tags["text"], tags["step"], strict=True)
    ]
    rows.append(("tags", ", ".join(said) or "none"))
    lines = "".join(
        f'<tr><th scope="row" style="{_CELL};font-weight:400">{escape(name)}</th><td style="{_CELL}">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table>{lines}</table>"


def _said(value: Any) -> str:
    return str(value) if known(value) else UNKNOWN


def _time(value: Any) -> str:
    return seconds(value) if known(value) else UNKNOWN


def _count(value: Any) -> str:
    return number(value) if known(value) else UNKNOWN


def _names(value: Any) -> str:
    if value is None:
        return "unknown: nothing could sense it"
    return ", ".join(value) or "none seen"
