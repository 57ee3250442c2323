"""aider: how it is started, how its log and its history are read, and real runs of it."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.agents import Endpoint, Job
from agenteval.agents.aider import Aider
from agenteval.agents.aider_output import HISTORY, read_aider
from agenteval.agents.programs import Program
from agenteval.records import Arm, EventRow, Overlay
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")
EDIT = "Fix:\n\ncalc.py\n```python\n<<<<<<< SEARCH\n    return a - b\n=======\n    return a + b\n>>>>>>> REPLACE\n```\n"
BAD = EDIT.replace("a - b", "NOPE")


# --- how it is started


@pytest.fixture
def start(make_task):
    def launch(model=None, arm_model=None, overlay=None):
        arm = Arm(agent_spec="aider", model=arm_model, overlay=overlay)
        job = Job(make_task(), 1, 0, arm, endpoint=Endpoint("http://gate/t/1", "dummy", model))
        return Aider("", Program(("/opt/aider/bin/aider",))).launch(job, VIEW)

    return launch


def test_the_whole_command(start):
    found = start()
    assert found.argv == [
        "sh", "/agent/start.sh", "/opt/aider/bin/aider", "--model", "openai/gpt-5.1", "--weak-model", "openai/gpt-5.1",
        "--set-env", "OPENAI_API_BASE=http://gate/t/1/v1", "--set-env", "OPENAI_API_KEY=dummy",
        "--message-file", "/agent/prompt.md", "--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore",
        "--no-check-update", "--no-show-release-notes", "--no-analytics", "--no-show-model-warnings", "--no-pretty",
        "--no-stream", "--no-detect-urls", "--no-suggest-shell-commands", "--no-fancy-input", "--no-browser",
        "--input-history-file", "/home/agent/aider/input", "--llm-history-file", "/home/agent/aider/llm",
    ]  # fmt: skip
    assert set(found.env) == {
        "AIDER_ANALYTICS",
        "LITELLM_LOCAL_MODEL_COST_MAP",
        "LITELLM_MODE",
        "PYTHONHASHSEED",
    }


def test_another_format_and_a_variants_arguments(start):
    found = start("c-4", "anthropic/c-4", Overlay(args=["--map-tokens", "0"]))
    assert found.argv[4] == "anthropic/c-4"
    assert "ANTHROPIC_API_BASE=http://gate/t/1" in found.argv
    assert found.argv[-2:] == ["--map-tokens", "0"]


def test_a_scripted_model_tells_files_whole_unless_the_variant_has_another_format(start):
    found = start(arm_model="scripted:reference", overlay=Overlay(args=["--edit-format", "diff"]))
    formats = [after for word, after in itertools.pairwise(found.argv) if word == "--edit-format"]
    assert formats == ["whole", "diff"]
    assert Aider.toolless


# --- what it leaves

RECORDED = {  # what was printed alone: turns, edits, failed edits, cost (rounded), last error
    "bad_edit": (4, 4, 4, 0.0024, None),
    "err401": (0, 0, 0, None, "BadRequestError"),
    "err500_once": (1, 1, 0, 0.0037, None),
    "hang_sigint": (0, 0, 0, None, None),
    "hang_sigterm": (0, 0, 0, None, None),
    "net": (1, 1, 0, 0.0037, None),
    "ok": (1, 1, 0, 0.0037, None),
    "ok_stream": (1, 1, 0, 0.0062, None),
}


def test_every_recording(recordings):
    folder = recordings / "aider"
    assert {path.stem for path in folder.iterdir()} == set(RECORDED)
    for name, (turns, calls, errors, cost, fault) in RECORDED.items():
        found = read_aider((folder / f"{name}.stdout").read_bytes(), None)
        assert not found.finished, name  # its log, which would tell, was not asked for
        told = [found.usage[n] for n in ("turns", "tool_calls", "tool_errors", "reported_cost_usd")]
        assert (told, found.stop_reason) == ([turns, calls, errors, cost], fault), name
        assert len([e for e in found.events if e["kind"] == "message"]) == turns
        assert found.answer.startswith("Fix:") == (
            name in ("err500_once", "net", "ok", "ok_stream")
        )


def log(*events):
    return b"".join(
        json.dumps({"event": name, "properties": properties}).encode() + b"\n"
        for name, properties in events
    )


STARTED = ("message_send_starting", {})
END = ("exit", {"reason": "Completed --message-file"})


def sent(tokens=20, cost=0.5):
    return ("message_send", {"prompt_tokens": 100, "completion_tokens": tokens, "total_cost": cost})


def test_it_finished_when_every_request_was_answered_and_the_log_says_so():
    assert read_aider(b"", log(STARTED, sent(), END)).finished
    assert not read_aider(b"", log(STARTED, sent())).finished
    assert not read_aider(b"", log(STARTED, sent(), STARTED, END)).finished
    assert not read_aider(b"", log(END)).finished  # nothing was asked at all
    assert read_aider(b"", log(STARTED, END)).stop_reason == "no_reply"


def test_its_own_counts():
    found = read_aider(b"", log(STARTED, sent(20, 0.5), STARTED, sent(30, 0.75), END))
    assert found.usage["output_tokens"] == 50
    assert found.usage["reported_cost_usd"] == 0.75
    assert found.usage["turns"] == 2
    # it does not say what of its input came from a cache
    assert "input_tokens" not in found.usage
    assert read_aider(b"", log(STARTED, sent(1, 0.0), END)).usage["reported_cost_usd"] is None


def test_what_the_model_said_is_told_from_what_the_program_said():
    history = b"""
#### Fix it
> Model: x

First.

> Tokens: 1.0k sent, 50 received. Cost: $0.0037 message, $0.0037 session.
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: in app.txt
First.
The SEARCH section must exactly match an existing block

Second.

> Tokens: 10 sent, 5 received.
> Applied edit to app.txt
"""
    found = read_aider(b"noise", log(STARTED, sent(), STARTED, sent(), END) + HISTORY + history)
    assert [(e["kind"], e.get("text") or e.get("path") or e.get("ok")) for e in found.events] == [
        ("message", "First."), ("tool_call", None), ("tool_result", False),
        ("message", "Second."), ("tool_call", "app.txt"), ("tool_result", True),
    ]  # fmt: skip
    assert (found.answer, found.usage["tool_errors"]) == ("Second.", 1)


@given(st.binary(), st.none() | st.binary())
def test_nothing_that_it_leaves_can_make_it_fail(stdout, told):
    read_aider(stdout, told)


LINES = st.lists(
    st.sampled_from(["> Tokens: 1 sent, 2 received.", "> Applied edit to \ud800", "text", "> # 2 SEARCH/REPLACE blocks failed to match!",
        "> litellm.X: y", "#### z", "Tokens: x received. Cost: $9.99 session"])
)  # fmt: skip


@given(LINES, st.lists(st.dictionaries(st.sampled_from(["event", "properties", "reason"]), st.sampled_from(["exit", "message_send", None, 3, {}]))))  # fmt: skip
def test_no_mixture_of_lines_can_make_it_fail(lines, entries):
    text = "\n".join(lines).encode("utf-8", "replace")
    told = b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)
    for found in (read_aider(text, told), read_aider(b"", told + HISTORY + text)):
        for seq, event in enumerate(found.events, 1):
            EventRow(run_id="r", trial_id="t", seq=seq, **event)


# --- real runs


@pytest.fixture
def aider(program):
    return program(Aider)


def script(*steps):
    return {"toolless": True, "steps": list(steps)}


def test_it_edits_after_a_failed_try(aider, run):
    usage = {"input": 1000, "output": 50, "cache_read": 500}
    ran = run(aider, script({"text": BAD}, {"text": EDIT, "usage": usage}))
    assert (ran.report.finished, ran.report.stop_reason) == (True, "completed")
    assert ran.changed == ["calc.py"]  # no cache, no history, no .gitignore
    assert ran.report.answer == EDIT.strip()
    assert (ran.report.usage["turns"], ran.report.usage["tool_errors"]) == (2, 1)
    assert ran.report.usage["output_tokens"] == 70
    assert ran.session.seen["main_requests"] == 2
    assert b"githubusercontent" not in ran.output.stdout + ran.output.stderr  # it fetched nothing


def test_a_refused_key_is_a_crash(aider, run):
    ran = run(aider, script({"error": {"status": 401, "message": "scripted 401"}}))
    assert ran.done.exit_code == 0  # which says nothing
    assert (ran.report.finished, ran.report.stop_reason) == (False, "BadRequestError")
    assert "scripted 401" in ran.report.events[-1]["text"]


def test_stopped_while_it_waits(aider, run):
    ran = run(aider, script({"fault": "hang"}), stop_when=lambda told: b"Repo-map" in told)
    assert (ran.done.stopped_by, ran.report.finished) == ("cancelled", False)
    assert ran.changed == []
