"""Gemini CLI: how it is started, how its output is read, and real runs of it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.agents import Endpoint, Job
from agenteval.agents.gemini import Gemini
from agenteval.agents.gemini_output import read_gemini
from agenteval.agents.programs import Program
from agenteval.records import Arm, EventRow, Overlay
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


# --- how it is started


@pytest.fixture
def start(make_task):
    count = iter(range(9))

    def launch(
        model=None, overlay=None, keys="", command=("/usr/bin/node", "/opt/gemini.js"), view=VIEW
    ):
        name = f"t{next(count)}"
        text = f'id = "{name}"\n{keys}\n[[checks]]\nkind = "command"\nrun = "true"\n'
        task = make_task(name, task_dot_toml=text)
        arm = Arm(agent_spec="gemini", overlay=overlay)
        job = Job(task, 1, 0, arm, endpoint=Endpoint("http://gate", "k", model))
        return Gemini("", Program(command)).launch(job, view)

    return launch


def test_the_whole_command(start):
    found = start()
    assert found.argv[:2] == ["sh", "-c"]
    assert found.argv[3:] == [
        "sh", "/agent/prompt.md", "/agent/gemini-settings.json", "/usr/bin/node", "--require",
        "/agent/gemini-blocking.cjs", "/opt/gemini.js", "-m", "gemini-2.5-flash", "-o", "stream-json",
        "--approval-mode", "yolo", "--skip-trust", "--allowed-mcp-server-names=none",
    ]  # fmt: skip
    assert found.env == {
        "GEMINI_API_KEY": "k",
        "GOOGLE_GEMINI_BASE_URL": "http://gate",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    assert json.loads(found.files["gemini-settings.json"]) == {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }


def test_what_a_variant_brings_and_the_limit_on_turns(start):
    overlay = Overlay(
        settings={"general": {"maxAttempts": 2, "enableAutoUpdate": True}},
        mcp={"docs": {"command": "x"}},
        args=["--debug"],
    )
    found = start("gemini-3", overlay, "max_turns = 7")
    settings = json.loads(found.files["gemini-settings.json"])
    assert found.argv[-2:] == ["--allowed-mcp-server-names=docs", "--debug"]
    assert settings["general"] == {
        "maxAttempts": 2,
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
    }
    assert settings["mcpServers"] == {"docs": {"command": "x"}}
    assert settings["model"] == {"maxSessionTurns": 7}


def test_in_an_image_it_is_the_bare_command_or_runs_on_the_images_node(start):
    inside = View("/workspace", "/home/agent", "/tmp", "/agent", own_path=True)
    assert start(command=("gemini",), view=inside).argv[6:8] == ["gemini", "-m"]
    assert start(view=inside).argv[6:8] == ["node", "--require"]


# --- what it prints

RECORDED = {  # finished, stop reason, tokens (fresh, read, written, out), denials, limit
    (True, "completed", (3500, 500, None, 125), 0, None): "ok_stream",
    (True, "completed", (3500, 500, None, 125), None, None): "ok_json",
    (True, "completed", (100, 0, None, 20), 0, None): "err500_once",
    (True, "completed", (100, 0, None, 20), None, None): "length_stop",
    (True, "completed", (200, 0, None, 40), 1, None): "denied_auto_edit denied_default write_outside",
    (True, "completed", (200, 0, None, 40), None, None): "denied_auto_edit_json",
    (True, "loop_detected", (400, 0, None, 80), 0, None): "loop_detection_stream",
    (False, None, None, None, None): "err400 err401 err429_1attempt err500_1attempt hang_sigint hang_sigterm max_turns no_key no_trust unknown_flag",
    (False, None, None, 0, None): "cmd_sigkill cmd_sigterm",
    (False, "error", (0, 0, None, 0), 0, None): "cut_1attempt",
    (False, "api_error_401", (0, 0, None, 0), 0, None): "err401_stream",
    (False, "api_error_500", (0, 0, None, 0), 0, None): "err500_1attempt_stream",
    (False, "max_turns", (300, 0, None, 60), 0, "turns"): "max_turns_stream",
}  # fmt: skip


def outcome(report):
    tokens = tuple(report.usage.get(name) for name in BUCKETS)
    known = None if set(tokens) == {None} else tokens
    return report.finished, report.stop_reason, known, report.usage.get("denials"), report.limit


def test_every_recording(recordings):
    expected = {name: told for told, names in RECORDED.items() for name in names.split()}
    paths = (recordings / "gemini").glob("*.stdout")
    assert {p.stem: outcome(read_gemini(p.read_bytes())) for p in paths} == expected


def lines(*objects):
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def said(text):
    return {"type": "message", "role": "assistant", "content": text, "delta": True}


def use(name, tool, /, **given):
    return {"type": "tool_use", "tool_name": tool, "tool_id": name, "parameters": given}


def result_of(name, output="", status="success", **more):
    return {"type": "tool_result", "tool_id": name, "status": status, "output": output, **more}


STATS = {"total_tokens": 112, "input_tokens": 100, "output_tokens": 7, "cached": 30, "tool_calls": 9}  # fmt: skip
END = {"type": "result", "status": "success", "stats": STATS}


def test_steps_of_a_run():
    report = read_gemini(
        lines(
            {"type": "init"},
            {"type": "message", "role": "user", "content": "Fix it."},
            said("Lo"),
            said("ok."),
            use("a", "run_shell_command", command="exit 3"),
            use("b", "replace", file_path="/workspace/a.py"),
            result_of("a", "Command exited with code: 3"),
            result_of("b"),
            use("c", "mcp_my_docs_find", q="x"),
            use("d", "activate_skill", name="tidy"),
            result_of("c", error={"type": "policy_violation", "message": "no"}, status="error"),
            result_of("d"),
            use("e", "run_shell_command", command="ls"),
            result_of("e", "a.py"),
            said("Done."),
            END,
        ),
        servers=["my", "my_docs"],
    )
    assert (report.answer, report.finished, report.stop_reason) == ("Done.", True, "completed")
    assert report.used == {"my_docs", "tidy"}
    assert report.usage == {
        "turns": 4, "tool_calls": 5, "tool_errors": 2, "denials": 1, "skills_loaded": 1, "mcp_calls": 1,
        "asked_user": False, "input_tokens": 70, "cache_read_tokens": 30, "output_tokens": 12,
    }  # fmt: skip
    seen = [(e["kind"], e.get("tool_kind"), e.get("turn"), e.get("ok")) for e in report.events]
    assert seen == [
        ("message", None, 1, None),
        ("tool_call", "shell", 1, None),
        ("tool_call", "edit", 1, None),
        ("tool_result", "shell", 1, False),
        ("tool_result", "edit", 1, True),
        ("tool_call", "mcp", 2, None),
        ("tool_call", "skill", 2, None),
        ("tool_result", "mcp", 2, False),
        ("tool_result", "skill", 2, True),
        ("tool_call", "shell", 3, None),
        ("tool_result", "shell", 3, None),  # it does not tell how a command with output ended
        ("message", None, 4, None),
    ]


def test_exit_code_0_without_a_result_is_no_end():
    report = read_gemini(lines({"type": "init"}, said("Working")))
    assert (report.finished, report.stop_reason, report.answer) == (False, None, "Working")
    assert report.used is None


def test_an_output_whose_middle_is_gone_has_the_programs_own_count():
    stdout = lines(use("a", "glob")) + b"\n[... 123 bytes left out ...]\n" + lines(END)
    usage = read_gemini(stdout).usage
    assert usage["tool_calls"] == 9
    assert "turns" not in usage


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["\ud800", "message", "tool_use", "tool_result", "result", "error", "assistant", "success",
                       "run_shell_command", "activate_skill", "mcp_", "a"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "role", "content", "tool_name", "tool_id", "parameters", "status", "output", "error",
                         "message", "stats", "models", "tokens", "response", "tools", "command", "name", "total_tokens"]),
        inner,
        max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(JSON.map(lambda v: json.dumps(v).encode()) | st.binary(max_size=20), max_size=5))
def test_no_output_can_raise(parts):
    stdout = b"\n".join(parts)
    report = read_gemini(stdout)
    for seq, event in enumerate(report.events, 1):
        EventRow(run_id="r", trial_id="t", seq=seq, **event).model_dump_json()
    report.answer.encode()
    assert report.finished is False or b"result" in stdout or b"response" in stdout


# --- real runs


@pytest.fixture
def gemini(program):
    return program(Gemini)


FIX = {
    "steps": [
        {"calls": [{"do": "edit", "path": "/workspace/calc.py", "old": "a - b", "new": "a + b"}]},
        {"calls": [{"do": "run", "command": "exit 3"}]},
        {"calls": [{"name": "write_file", "input": {"file_path": "/home/x", "content": "x"}}]},
        {"text": "Done.", "usage": {"input": 900, "output": 20, "cache_read": 50, "reasoning": 5}},
    ]
}


def test_it_edits_a_file_runs_a_command_and_is_denied_one(gemini, run):
    ran = run(gemini, FIX, prompt="--help: fix add\n" + "x" * 200_000)
    assert ran.report.finished, ran.done.stderr
    assert ran.report.answer == "Done."
    assert ran.changed == ["calc.py"]
    usage = ran.report.usage
    assert tuple(usage.get(name) for name in BUCKETS) == (1200, 50, None, 85)
    assert (usage["turns"], usage["tool_calls"], usage["denials"]) == (4, 3, 1)
    shell = [e for e in ran.report.events if e.get("tool_kind") == "shell"]
    assert shell[1]["exit_code"] == 3


def test_an_error_and_a_limit_are_no_end(gemini, run):
    refused = run(gemini, {"steps": [{"error": {"status": 401, "message": "no"}}]})
    assert (refused.report.finished, refused.report.stop_reason) == (False, "api_error_401")
    again = {"steps": [{"calls": [{"do": "run", "command": f"echo {i}"}]} for i in range(9)]}
    limited = run(gemini, again, keys="max_turns = 2")
    assert (limited.report.finished, limited.report.limit) == (False, "turns")


def test_servers_are_the_variants_alone(gemini, run):
    project = {"mcpServers": {"theirs": {"command": "touch", "args": ["/workspace/theirs"]}}}
    lay = f"mkdir .gemini; echo '{json.dumps(project)}' > .gemini/settings.json"
    server = {"command": "touch", "args": ["/workspace/ours"]}
    ran = run(
        gemini, {"steps": [{"text": "Done."}]}, lay=lay, overlay=Overlay(mcp={"ours": server})
    )
    assert ran.report.finished, ran.done.stderr
    assert (ran.box.workspace / "ours").exists()
    assert not (ran.box.workspace / "theirs").exists()
