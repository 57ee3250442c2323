"""One set of cases for every real agent program: the same outcome, the same `ended_by`, the same count."""

import os
import threading
import uuid
from pathlib import Path

import pytest

from agenteval.engine import Progress

FIX = {"calls": [{"run": "sed -i s/broken/fixed/ app.txt"}]}
DONE = {"text": "All done, the greeting is mended."}
FIGURES = {
    "input_tokens": 1000,
    "cache_read_tokens": 200,
    "cache_write_tokens": 0,
    "output_tokens": 50,
}
# where programs differ, and the outcome with them
TELL_NO_EXIT_CODE = ("gemini",)  # of a command that printed something
GIVE_UP_WHEN_CUT = ("gemini",)
ENDLESS = [{"calls": [{"run": f"echo {n} >> log.txt"}], "usage": FIGURES} for n in range(60)]


def test_edits_a_file_and_finishes(proving):
    proving.task()
    row = proving.one(proving.script(FIX, DONE))
    assert (row.status, row.ended_by) == ("pass", "agent"), proving.told(row)
    calls = 1 + proving.last_calls if proving.has_tools else 0
    assert (row.files_changed, row.turns, row.tool_calls, row.denials or 0) == (1, 2, calls, 0)
    assert row.agent_version
    assert proving.artifact(row, "patch.diff").count(b"diff --git") == 1, (
        "nothing of the program's own"
    )


def test_answers_a_question(proving):
    proving.task(prompt="- What does app.txt say?\n")
    row = proving.one(proving.script({"text": "It says that it is broken."}))
    assert (row.status, row.ended_by) == ("fail", "agent"), proving.told(row)
    assert "It says that it is broken." in proving.artifact(row, "answer.md").decode()
    assert (row.files_changed, row.turns) == (0, 1)


def test_runs_a_command_and_tells_of_it_in_the_common_words(proving):
    proving.need_commands()
    proving.task()
    row = proving.one(proving.script({"calls": [{"run": "cat app.txt; exit 3"}]}, FIX, DONE))
    assert row.status == "pass", proving.told(row)
    calls = [event for event in proving.events(row) if event["kind"] == "tool_call"]
    assert [event["tool_kind"] for event in calls] == ["shell"] * (2 + proving.last_calls)
    assert "cat app.txt" in calls[0]["command"]
    told = calls + [event for event in proving.events(row) if event["kind"] == "tool_result"]
    failed = any(event["ok"] is False or event["exit_code"] == 3 for event in told)
    assert failed == (proving.program not in TELL_NO_EXIT_CODE)


def test_what_is_metered_is_what_the_provider_says_it_served(proving):
    """Side requests (titles, summaries) included."""
    proving.task()
    proving.serve({**FIX, "usage": FIGURES}, {**DONE, "usage": FIGURES})
    row = proving.one()
    assert row.status == "pass", proving.told(row)
    served = proving.provider.close()
    for bucket in ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"):
        assert getattr(row, bucket) == getattr(served, bucket) is not None
    assert row.requests == served.requests
    assert (row.turns, row.cost_source) == (2, "metered")
    assert row.cost_usd > 0
    if row.reported_cost_usd:
        assert row.reported_cost_usd == pytest.approx(row.cost_usd, rel=0.02)


@pytest.mark.parametrize("limit", ["turn", "cost"])
def test_hits_a_limit_that_the_gateway_holds(proving, limit):
    cap = proving.first_cost(**FIGURES) * 1.5
    proving.task(keys="max_turns = 2" if limit == "turn" else f"max_cost_usd = {cap:.6f}")
    proving.serve({**FIX, "usage": FIGURES}, *ENDLESS)
    row = proving.one()
    assert (row.status, row.ended_by) == ("pass", f"{limit}_limit"), proving.told(row)
    assert row.turns == 2


def test_hits_the_time_limit(proving):
    proving.task(keys="timeout_s = 12")
    row = proving.one(proving.script(FIX, {**DONE, "delay_s": 300}))
    assert (row.status, row.ended_by) == ("pass", "timeout"), proving.told(row)


def test_a_key_that_is_refused_is_nobodys_failure(proving):
    proving.task()
    proving.serve({"error": {"status": 401, "message": "invalid key"}})
    row = proving.one()
    told = (row.status, row.ended_by, row.error_class, row.passed)
    assert told == ("error", "infrastructure", "provider_down", None), proving.told(row)


def test_a_provider_that_is_asked_too_often_is_waited_for(proving):
    proving.task()
    slow = {"status": 429, "message": "slow down", "times": 2, "retry_after_s": 0.05}
    proving.serve({**FIX, "error": slow}, DONE)
    row = proving.one()
    assert (row.status, row.ended_by, row.turns) == ("pass", "agent", 2), proving.told(row)
    assert row.rate_limited_s > 0


def test_a_provider_that_fails_is_no_failure_of_the_agent(proving):
    proving.task(keys="timeout_s = 60")
    proving.serve({"error": {"status": 500, "message": "Internal"}})
    row = proving.one()
    told = (row.ended_by, row.error_class, row.passed)
    assert told == ("infrastructure", "provider_down", None), proving.told(row)


def test_a_stream_that_is_cut_once_is_asked_for_again(proving):
    proving.task()
    proving.serve(FIX, DONE)
    row = proving.one(faults={"cut": 1.0, "at_most": 1})
    end = ("error", "crash") if proving.program in GIVE_UP_WHEN_CUT else ("pass", "agent")
    assert (row.status, row.ended_by) == end, proving.told(row)
    assert any("planted fault: cut" in (event["text"] or "") for event in proving.events(row))


def test_a_model_that_never_answers(proving):
    proving.task(keys="no_progress_s = 8")
    proving.serve(FIX, DONE)
    row = proving.one(faults={"hang": 1.0})
    told = (row.status, row.ended_by, row.passed)
    assert told == ("error", "no_progress", False), proving.told(row)


def test_is_killed_by_itself(proving):
    """Its own tool kills whatever it can reach: no terminal event, so no end of its own."""
    proving.need_commands()
    proving.task()
    kill = "for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done"
    row = proving.one(proving.script(FIX, {"calls": [{"run": kill}]}, {**DONE, "delay_s": 0}))
    assert row.ended_by in ("crash", "agent"), proving.told(row)
    assert row.status == "pass", "whoever ended it, the work counts"


def test_is_stopped_from_outside(proving):
    proving.task()
    stop: list = []
    progress = Progress(
        stoppable=lambda stopper: stop.append(stopper),
        started=lambda spec: threading.Timer(4.0, stop[0]).start(),
    )
    row = proving.one(proving.script(FIX, {**DONE, "delay_s": 300}), progress=progress, grace_s=0.5)
    assert (row.status, row.ended_by) == ("skipped", "cancelled"), proving.told(row)


def test_cannot_write_outside(proving, tmp_path):
    proving.task()
    target = tmp_path / "outside.txt"
    tries = proving.writes(target, "/etc/owned", "../outside.txt", "/usr/owned")
    row = proving.one(proving.script(tries, FIX, DONE))
    assert (row.status, row.ended_by) == ("pass", "agent"), proving.told(row)
    assert not target.exists()
    assert not Path("/etc/owned").exists()
    assert not Path("/usr/owned").exists()
    assert row.files_changed == 1


def test_a_background_child_does_not_outlive_the_trial(proving):
    proving.need_commands()
    proving.task()
    mark = f"3{uuid.uuid4().int % 10**6:06}"
    child = f"(setsid sleep {mark} >/dev/null 2>&1 &) ; true"
    row = proving.one(proving.script({"calls": [{"run": child}]}, FIX, DONE))
    assert (row.status, row.ended_by) == ("pass", "agent"), proving.told(row)
    lines = [
        (path / "cmdline").read_bytes()
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and os.access(path / "cmdline", os.R_OK)
    ]
    assert not [line for line in lines if mark.encode() in line]


def test_two_at_once_do_not_see_each_other(proving):
    for name in ("one", "two"):
        proving.task(name)
    look = "echo $$ > $HOME/my-mark; sleep 2; find / -maxdepth 4 -name my-mark -not -path '/proc/*' 2>/dev/null > marks.txt"
    # without commands there is nothing to look with, but the two still meet
    steps = [{"calls": [{"run": look}]}, FIX, DONE] if proving.has_tools else [FIX, DONE]
    rows = proving.run(proving.script(*steps), concurrency=2)
    for row in rows:
        assert (row.status, row.ended_by) == ("pass", "agent"), proving.told(row)
        assert row.turns == len(steps)
        patch = proving.artifact(row, "patch.diff").decode()
        marks = [line for line in patch.splitlines() if line.startswith("+/")]
        assert marks == ["+/home/agent/my-mark"] * proving.has_tools, "one HOME, its own"


def test_a_task_is_solved_through_its_own_tools(proving):
    """`scripted:reference` on a task of the suite that comes along."""
    from agenteval.records import bundled

    proving.suite = bundled("tasks") / "gym-switch-billing"
    row = proving.one("scripted:reference")
    assert (row.status, row.ended_by) == ("pass", "agent"), proving.told(row)
