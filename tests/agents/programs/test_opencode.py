"""opencode: how it is started, how its events are read, and real runs of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.agents import Endpoint, Job
from agenteval.agents.opencode import Opencode
from agenteval.agents.opencode_output import read_opencode
from agenteval.agents.programs import Program
from agenteval.records import Arm, EventRow, Overlay
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")


# --- how it is started


@pytest.fixture
def start(make_task):
    task = make_task()

    def launch(model=None, arm_model=None, overlay=None):
        arm = Arm(agent_spec="opencode", model=arm_model, overlay=overlay)
        job = Job(task, 1, 0, arm, endpoint=Endpoint("http://gate/t/1", "dummy", model))
        return Opencode("", Program(("/opt/opencode",))).launch(job, VIEW)

    return launch


def config(found):
    return json.loads(found.env["OPENCODE_CONFIG_CONTENT"])


def test_the_whole_command(start):
    found = start()
    assert found.argv == [
        "sh", "-c", 'prompt=$1; shift; exec "$@" <"$prompt"', "sh", "/agent/prompt.md", "/opt/opencode",
        "run", "--format", "json", "--pure", "-m", "agenteval/gpt-5.1", "--title", "task",
    ]  # fmt: skip
    told = config(found)
    assert told["provider"]["agenteval"] == {
        "npm": "@ai-sdk/openai-compatible",
        "name": "agenteval",
        "options": {"baseURL": "http://gate/t/1/v1", "apiKey": "dummy"},
        "models": {
            "gpt-5.1": {
                "name": "gpt-5.1", "limit": {"context": 200000, "output": 32000}, "tool_call": True,
            }
        },
    }  # fmt: skip
    assert (told["autoupdate"], told["share"], told["snapshot"]) == (False, "disabled", False)
    assert told["permission"]["question"] == "deny"
    assert found.env["XDG_DATA_HOME"] == "/home/agent/.local/share"
    assert found.env["OPENCODE_DISABLE_MODELS_FETCH"] == "1"


def test_another_format(start):
    told = config(start("c-4", "anthropic/c-4"))["provider"]["agenteval"]
    assert (told["npm"], list(told["models"])) == ("@ai-sdk/anthropic", ["c-4"])


def test_a_variants_settings_servers_and_arguments(start):
    overlay = Overlay(
        settings={
            "permission": {"bash": "deny"},
            "share": "auto",
            "provider": {"agenteval": {"options": {"baseURL": "http://elsewhere"}}},
        },
        mcp={
            "search": {"command": "serve", "args": ["-x"], "env": {"A": "b"}},
            "far": {"url": "https://example.org/mcp"},
            "own": {"type": "local", "command": ["a", "b"]},
        },
        args=["--variant", "high"],
    )
    found = start(overlay=overlay)
    told = config(found)
    assert told["permission"] == config(start())["permission"] | {"bash": "deny"}
    assert told["share"] == "disabled"
    assert told["provider"]["agenteval"]["options"]["baseURL"] == "http://gate/t/1/v1"
    assert told["mcp"] == {
        "search": {"type": "local", "command": ["serve", "-x"], "environment": {"A": "b"}},
        "far": {"type": "remote", "url": "https://example.org/mcp", "headers": {}},
        "own": {"type": "local", "command": ["a", "b"]},
    }
    assert found.argv[-2:] == ["--variant", "high"]


# --- what it prints

WHOLE = (True, "stop", 4, 3, 0, 4600, 500, 150, 0.0162, 0)
STOPPED = (False, None, 1, 0, 0, None, None, None, None, 0)
NOTHING = (False, None, *[None] * 8)
RECORDED = {  # finished, stop reason, turns, calls, failed calls, fresh, cached, out, cost, denials
    "cmd_sigint": STOPPED,
    "cmd_sigkill": STOPPED,
    "cmd_sigterm": STOPPED,
    "denied_ask": (False, "permission_rejected", 1, 1, 1, 100, 0, 20, 0.0006, 1),
    "denied_deny": (True, "stop", 2, 1, 1, 200, 0, 40, 0.0012, 0),
    "err400": (False, "APIError_400", *[None] * 8),
    "err401": (False, "APIError_401", *[None] * 8),
    "err500_forever_45s": NOTHING,
    "err500_once": (True, "stop", 1, 0, 0, 100, 0, 20, 0.0006, 0),
    "length_stop": (False, "length", 1, 0, 0, 100, 0, 20, 0.0006, 0),
    "max_steps": (False, "tool-calls", 39, 39, 0, 3900, 0, 780, 0.0234, 0),
    "net": WHOLE,
    "ok_json": WHOLE,
    "ok_nosnapshot_title": WHOLE,
    "ok_shared_warm": WHOLE,
    "ok_shared_warm2": WHOLE,
    "text": NOTHING,
    "unknown_flag": NOTHING,
}
COLUMNS = ("turns", "tool_calls", "tool_errors", "input_tokens", "cache_read_tokens", "output_tokens", "reported_cost_usd", "denials")  # fmt: skip


def test_every_recording(recordings):
    folder = recordings / "opencode"
    assert {path.stem for path in folder.iterdir()} == set(RECORDED)
    for name, (finished, reason, *values) in RECORDED.items():
        found = read_opencode((folder / f"{name}.stdout").read_bytes())
        assert (found.finished, found.stop_reason) == (finished, reason), name
        told = [found.usage.get(column) for column in COLUMNS]
        assert told == [None if v is None else pytest.approx(v) for v in values], name
        for seq, event in enumerate(found.events, 1):
            EventRow(run_id="r", trial_id="t", seq=seq, **event)


def test_the_events_of_a_recording(recordings):
    found = read_opencode((recordings / "opencode/ok_json.stdout").read_bytes())
    calls = [e for e in found.events if e["kind"] == "tool_call"]
    results = [e for e in found.events if e["kind"] == "tool_result"]
    assert [(e["tool"], e["tool_kind"], e["turn"]) for e in calls] == [
        ("read", "read", 1), ("edit", "edit", 2), ("bash", "shell", 3),
    ]  # fmt: skip
    assert calls[1]["path"].endswith("/calc.py")
    assert calls[2]["command"] == "python3 -c 'import calc; print(calc.add(1,2))'"
    assert (results[2]["ok"], results[2]["exit_code"], results[2]["text"]) == (True, 0, "3\n")
    assert all(0 < result["duration_s"] < 1 for result in results)
    assert found.answer == "Done: add now adds."


def printed(*events):
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def step(reason, cost=0.1, **tokens):
    return {"type": "step_finish", "part": {"reason": reason, "cost": cost, "tokens": tokens}}


def tool(name, status="completed", call="c1", **state):
    return {
        "type": "tool_use",
        "part": {"tool": name, "callID": call, "state": {"status": status, **state}},
    }


START = {"type": "step_start"}


def test_only_a_last_stop_ends_it():
    assert read_opencode(printed(START, step("stop"))).finished
    assert not read_opencode(printed(START, step("stop"), START)).finished
    assert not read_opencode(printed(START, step("tool-calls"))).finished
    error = {"type": "error", "error": {"name": "APIError", "data": {"message": "no"}}}
    found = read_opencode(printed(START, step("stop"), error))
    assert (found.finished, found.stop_reason, found.events[-1]["text"]) == (False, "APIError", "APIError: no")  # fmt: skip


def test_reasoning_is_part_of_the_output_and_a_free_model_has_no_price():
    tokens = {"input": 7, "output": 5, "reasoning": 3, "cache": {"read": 2, "write": 1}}
    usage = read_opencode(printed(START, step("stop", cost=0, **tokens))).usage
    told = [usage[f"{name}_tokens"] for name in ("input", "cache_read", "cache_write", "output")]
    assert (told, usage["reported_cost_usd"]) == ([7, 2, 1, 8], None)


def test_skills_and_servers_that_it_used():
    data = printed(
        START,
        tool("skill", input={"name": "review"}),
        tool("docs_find", call="c2", input={}),
        tool("bash", call="c3", input={"command": "false"}, metadata={"exit": 1}),
        step("stop"),
    )
    found = read_opencode(data, ["docs"])
    assert found.used == {"review", "docs"}
    assert (found.usage["skills_loaded"], found.usage["mcp_calls"]) == (1, 1)
    assert [e["tool_kind"] for e in found.events if e["kind"] == "tool_call"] == ["skill", "mcp", "shell"]  # fmt: skip
    assert found.usage["tool_errors"] == 1


def test_every_file_of_a_patch_is_told():
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b/c.py\n+z\n*** End Patch"
    found = read_opencode(printed(START, tool("apply_patch", input={"patchText": patch})))
    assert [e.get("path") for e in found.events] == ["a.py", "b/c.py", None]
    assert (found.usage["tool_calls"], found.events[2]["parent"]) == (1, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "part", "state", "input", "tokens", "cache", "tool", "callID", "reason", "error",
             "metadata", "exit", "time", "start", "data", "text", "cost", "output", "name"]
        ),
        inner | st.sampled_from(["tool_use", "step_start", "step_finish", "text", "error", "bash"]),
        max_size=8,
    ),
    max_leaves=25,
)  # fmt: skip


@given(st.lists(JSON, max_size=5), st.binary(max_size=30))
def test_nothing_that_it_prints_can_make_it_fail(lines, tail):
    found = read_opencode(printed(*lines) + tail, ["x"])
    for seq, event in enumerate(found.events, 1):
        EventRow(run_id="r", trial_id="t", seq=seq, **event)


# --- real runs


# models named like this one are offered a tool that takes whole lines
LINE, FIXED = "    return a - b", "    return a + b"


@pytest.fixture
def opencode(program):
    return program(Opencode)


def test_it_edits_runs_and_finishes(opencode, run):
    usage = {"input": 1000, "output": 50, "cache_read": 500}
    steps = [
        {"text": "I will fix it.", "calls": [{"do": "read", "path": "/workspace/calc.py"}]},
        {"calls": [{"do": "edit", "path": "/workspace/calc.py", "old": LINE, "new": FIXED}]},
        {"calls": [{"do": "run", "command": "python3 -B -c 'import calc; print(calc.add(1, 2))'"}]},
        {"text": "Done.", "usage": usage},
    ]
    ran = run(opencode, {"steps": steps}, prompt="-- Fix add, it's wrong")
    assert (ran.report.finished, ran.report.stop_reason, ran.report.answer) == (True, "stop", "Done.")  # fmt: skip
    assert ran.changed == ["calc.py"]
    assert [e["text"] for e in ran.report.events if e.get("exit_code") == 0] == ["3\n"]
    assert [e["path"] for e in ran.report.events if e.get("tool_kind") == "edit" and "path" in e] == ["/workspace/calc.py"]  # fmt: skip
    assert ran.report.usage["cache_read_tokens"] == 500
    assert ran.report.usage["turns"] == ran.session.seen["main_requests"] == 4
    assert "-- Fix add, it's wrong" in json.dumps(ran.session.seen)


def test_a_refused_key_is_a_crash(opencode, run):
    ran = run(opencode, {"steps": [{"error": {"status": 401, "message": "scripted 401"}}]})
    assert (ran.report.finished, ran.report.stop_reason) == (False, "APIError_401")


def test_stopped_in_a_command_it_is_a_crash(opencode, run):
    steps = [{"text": "now", "calls": [{"do": "run", "command": "echo x > mark; sleep 600"}]}]
    ran = run(opencode, {"steps": steps}, stop_when=lambda told: b'"now"' in told)
    assert (ran.done.stopped_by, ran.report.finished) == ("cancelled", False)
