"""`agenteval status`: how a run stands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import count, print_json, print_table, records_of, say
from agenteval.errors import StoreError

SKIPPED_AGAIN = ("requires_missing", "task_skipped", "quarantined")


def status(
    run: Annotated[str | None, typer.Argument(help="Run.", show_default="the newest")] = None,
    *,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Say how far a run is, what came out, what was left out and why, and what resumes it.

    Works while the run is being written by another process.

    Example: agenteval status
    """
    import agenteval as ae

    opened = ae.open_store(store)
    run_id = run or opened.newest_run()
    runs = opened.runs()
    row = runs[runs["run_id"] == run_id]
    if row.empty:
        raise StoreError(
            f"There is no run {run_id!r}", str(opened.path), "`agenteval list runs` shows them"
        )
    trials = opened.trials(run=run_id)
    facts = _facts(opened, row.iloc[0], trials)
    if json:
        print_json({**facts, "problems": records_of(opened.problems)})
        return
    print(f"run {run_id}: {facts['done']} of {facts['planned']} trials, {facts['state']}")
    print(
        "  "
        + (
            ", ".join(f"{n} {name}" for name, n in facts["status"].items())
            or "nothing recorded yet"
        )
    )
    if facts["left_out"]:
        print(
            "  left out of the rate: "
            + ", ".join(f"{n} {name}" for name, n in facts["left_out"].items())
        )
    if facts["regraded"]:
        print(f"  outcome from a regrade: {count(facts['regraded'], 'trial')}")
    if len(trials):
        print_table(facts["arms"], ["arm", "trials", "pass", "fail", "error", "skipped"])
    if facts["state"] == "stopped" and facts["command"]:
        say(f"resume: {facts['command']}")
    for problem in records_of(opened.problems):
        say(f"problem: {problem}")


def _facts(opened: Any, row: Any, trials: Any) -> dict[str, Any]:
    from agenteval.engine import is_being_written
    from agenteval.records import StoreFolder, is_held

    # a trial that would be skipped again is as done as it can be
    held = [
        is_held(s, None if c != c else c) or c in SKIPPED_AGAIN
        for s, c in zip(trials["status"], trials["error_class"], strict=True)
    ]
    planned, done = int(row["planned_trials"]), sum(held)
    writing = is_being_written(StoreFolder(opened.path).run(row["run_id"]))
    state = "running" if writing else "complete" if done >= planned else "stopped"
    left_out = trials[trials["passed"].isna()]
    per_arm = trials.groupby(["arm", "status"]).size().unstack(fill_value=0)
    arms = [
        {"arm": arm, "trials": int(counts.sum()), **{str(k): int(v) for k, v in counts.items()}}
        for arm, counts in per_arm.iterrows()
    ]
    return {
        "run_id": row["run_id"],
        "suite": row["suite"],
        "planned": planned,
        "done": done,
        "state": state,
        "status": {str(k): int(v) for k, v in trials["status"].value_counts().items()},
        "left_out": {
            str(k): int(v)
            for k, v in left_out["error_class"].fillna("unknown").value_counts().items()
        },
        "voided": int((trials["error_class"] == "voided").sum()),
        "quarantined": int((trials["error_class"] == "quarantined").sum()),
        "regraded": int((trials["grading"] > 1).sum()),
        "arms": arms,
        "command": None if row["command"] != row["command"] else row["command"],
    }
