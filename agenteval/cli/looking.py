"""`agenteval show` and `agenteval grep`: looking inside trials."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import plain, print_json, print_table, records_of, say, tell
from agenteval.errors import InvalidInput

PLACES = ("patch", "answer", "stdout", "stderr", "events", "traffic", "prompt", "checks")


def show(
    trial: Annotated[str, typer.Argument(help="Trial id, or the start of one.")],
    *,
    diff: Annotated[bool, typer.Option("--diff", help="Only the diff.")] = False,
    transcript: Annotated[
        bool, typer.Option("--transcript", help="Only the agent's steps and output.")
    ] = False,
    checks: Annotated[bool, typer.Option("--checks", help="Only the checks.")] = False,
    requests: Annotated[
        bool, typer.Option("--requests", help="Only the requests to its model, by the gateway.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show one trial: what was asked, what came out, the checks, the answer and the diff.

    Example: agenteval show 3f9a1c --diff
    """
    import agenteval as ae

    view = ae.open_store(store).trial(trial)
    parts = [
        name
        for name, wanted in (
            ("checks", checks),
            ("requests", requests),
            ("transcript", transcript),
            ("diff", diff),
        )
        if wanted
    ]
    if json:
        print_json(
            {
                "trial": plain(dict(view.row)),
                "checks": records_of(view.checks),
                "requests": records_of(view.requests),
                "answer": view.answer,
                "diff": view.diff,
                "artifacts": {k: str(v) for k, v in view.artifacts.items()},
            }
        )
        return
    printers = {
        "outcome": _outcome,
        "prompt": _prompt,
        "checks": _checks,
        "requests": _requests,
        "transcript": _transcript,
        "answer": _answer,
        "diff": _diff,
    }
    for name in parts or printers:
        if not parts and (name == "requests" or (name == "transcript" and view.events.empty)):
            continue
        printers[name](view)


def grep(
    pattern: Annotated[str, typer.Argument(help="Regular expression.")],
    *,
    arm: Annotated[
        str | None, typer.Option("--arm", help="Only trials of this arm.", show_default=False)
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Only trials of this run.", show_default="all")
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="Only trials of this task.", show_default=False)
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            "--in",
            help=f"Where to look: {', '.join(PLACES)}; everywhere by default.",
            show_default=False,
        ),
    ] = None,
    ignore_case: Annotated[bool, typer.Option("-i", "--ignore-case")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Search patches, answers, output and check output of trials.

    Example: agenteval grep 'type: ignore' --arm scripted:chance:0.75 --in patch
    """
    import agenteval as ae

    wrong = [name for name in place or () if name not in PLACES]
    if wrong:
        raise InvalidInput(
            f"There is nothing called {wrong[0]!r} to look in",
            "--in",
            f"use one of {', '.join(PLACES)}",
        )
    try:
        wanted = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise InvalidInput(
            f"The pattern is not a regular expression: {error}",
            f"agenteval grep {pattern!r}",
            "correct it, or escape special characters with a backslash",
        ) from error
    opened = ae.open_store(store)
    hits = []
    for row in opened.trials(run=run, arm=arm, task=task).itertuples():
        for name, path in opened.trial(row.trial_id).artifacts.items():
            if not place or any(_is_in(name, p) for p in place):
                hits += [
                    {
                        "trial_id": row.trial_id,
                        "arm": row.arm,
                        "task_id": row.task_id,
                        "status": row.status,
                        "file": name,
                        "line": n,
                        "text": text,
                    }
                    for n, text in _matches(path, wanted)
                ]
    if json:
        print_json(hits)
        return
    for hit in hits:
        tell(
            f"{hit['trial_id']} {hit['arm']} {hit['task_id']} {hit['status']} {hit['file']}:{hit['line']}: {hit['text']}"
        )
    say(f"{len(hits)} lines in {len({hit['trial_id'] for hit in hits})} trials")


def _is_in(name: str, place: str) -> bool:
    return name.startswith("checks/") if place == "checks" else name.partition(".")[0] == place


def _matches(path: Path, wanted: re.Pattern[str]) -> list[tuple[int, str]]:
    with path.open(encoding="utf-8", errors="replace") as file:
        return [
            (number, line.rstrip("\n")[:300])
            for number, line in enumerate(file, 1)
            if wanted.search(line)
        ]


def _outcome(view: Any) -> None:
    tell(f"trial {view.id}: {view.outcome}")
    row = plain(dict(view.row))
    if row["error_class"] in ("voided", "quarantined"):
        own = view.attempts[view.attempts["attempt"] == row["attempt"]].iloc[-1]
        tell(f"  what came out {own['status']}, left out by people")
    if row["grading"] > 1:
        tell(f"  grading       {row['grading']}, by `agenteval regrade`")
    for name in (
        "run_id",
        "suite",
        "task_id",
        "arm",
        "repeat",
        "attempts",
        "ended_by",
        "duration_s",
        "agent_s",
        "turns",
        "tool_calls",
        "cost_usd",
        "cost_source",
        "sandbox",
        "started_at",
    ):
        if row.get(name) is not None:
            value = row[name]
            tell(f"  {name:13} {value:.3g}" if isinstance(value, float) else f"  {name:13} {value}")


def _prompt(view: Any) -> None:
    tell(f"--- prompt ---\n{(view.prompt or '').strip()}")


def _checks(view: Any) -> None:
    tell("--- checks ---")
    for check in records_of(view.checks):
        mark = "pass" if check["passed"] else "FAIL" if check["passed"] is False else "no verdict"
        tell(f"{mark:10} {check['name']} ({check['kind']})")
        if not check["passed"] and check["detail"]:
            tell("\n".join(f"           {line}" for line in check["detail"].splitlines()))


def _requests(view: Any) -> None:
    rows = records_of(view.requests)
    if not rows:
        tell("no request of this trial went through the gateway")
        return
    counts = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    for row in rows:
        tokens = [None if row[name] is None else int(row[name]) for name in counts]
        said = row["error"] or row["refused"] or row["stop_reason"]
        row |= {
            "fresh, read, written, out": " ".join("?" if n is None else str(n) for n in tokens),
            "s": None if row["latency_s"] is None else round(row["latency_s"], 2),
            "tools": " ".join(row["tools_called"]),
            "end": f"{said} (planted: {row['planted']})" if row["planted"] else said,
        }
    shown = ["seq", "kind", "model", "http_status", "s", "retries", "fresh, read, written, out"]
    print_table(rows, [*shown, "cost_usd", "tools", "end"])


def _transcript(view: Any) -> None:
    tell("--- transcript ---")
    for event in records_of(view.events):
        what = event["command"] or event["path"] or event["text"] or ""
        tell(f"{event['seq']:>4} {event['kind']:12} {event['tool'] or ''} {what}")
    if view.stdout:
        tell(f"--- stdout ---\n{view.stdout.rstrip()}")
    if view.stderr:
        tell(f"--- stderr ---\n{view.stderr.rstrip()}")


def _answer(view: Any) -> None:
    if view.answer and view.answer.strip():
        tell(f"--- answer ---\n{view.answer.strip()}")


def _diff(view: Any) -> None:
    tell("--- diff ---")
    tell(view.diff if view.diff else "(no change)")
