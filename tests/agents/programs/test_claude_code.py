"""Claude Code: how it is started, how its output is read, and real runs of it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.agents import Endpoint, Job
from agenteval.agents.claude_code import ClaudeCode
from agenteval.agents.claude_code_output import read_claude_code
from agenteval.agents.programs import Program
from agenteval.errors import InvalidInput
from agenteval.records import Arm, EventRow, Overlay
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


# --- how it is started


@pytest.fixture
def start(make_task):
    count = iter(range(9))

    def launch(model=None, overlay=None, version="2.1.332", keys="", **changes):
        name = f"t{next(count)}"
        text = f'id = "{name}"\n{keys}\n[[checks]]\nkind = "command"\nrun = "true"\n'
        arm = Arm(agent_spec="claude-code", overlay=overlay)
        task = make_task(name, task_dot_toml=text)
        job = Job(task, 1, 0, arm, endpoint=Endpoint("http://gate", "k", model))
        agent = ClaudeCode("", Program(("/opt/claude",), version=version))
        for name, value in changes.items():
            setattr(agent, name, value)
        return agent.launch(job, VIEW)

    return launch


def test_the_whole_command(start):
    found = start()
    assert found.argv[:2] == ["sh", "-c"]
    assert found.argv[3:] == [
        "sh", "/agent/prompt.md", "/opt/claude", "-p", "--output-format", "stream-json", "--verbose",
        "--no-session-persistence", "--permission-mode", "acceptEdits", "--permission-prompts", "none",
        "--model", "claude-sonnet-4-5", "--setting-sources", "project", "--strict-mcp-config",
        "--allowedTools", "Bash,Skill",
    ]  # fmt: skip
    assert found.env == {
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CONFIG_DIR": "/home/agent/.claude",
        "ANTHROPIC_BASE_URL": "http://gate",
        "ANTHROPIC_API_KEY": "k",
    }
    assert not found.files


@pytest.mark.parametrize(
    ("version", "knows"),
    [("2.1.197", False), ("2.1.332", True), ("2.2.0", True), (None, False)],
)
def test_a_flag_goes_to_the_versions_that_know_it(start, version, knows):
    assert ("--permission-prompts" in start(version=version).argv) is knows


def test_limits_are_handed_on(start):
    words = " ".join(start(keys="max_turns = 7\nmax_cost_usd = 0.25").argv)
    assert "--max-turns 7 --max-budget-usd 0.25" in words


def test_what_a_variant_brings(start):
    overlay = Overlay(
        settings={"effortLevel": "low"},
        mcp={"docs": {"command": "x"}},
        plugin_dirs=["/p/tidy"],
        args=["--effort", "low"],
        env={"CLAUDE_CODE_MAX_RETRIES": "9"},
    )
    found = start(overlay=overlay)
    words = " ".join(found.argv)
    assert words.endswith(
        "--settings /agent/claude-settings.json --mcp-config /agent/claude-mcp.json"
        " --plugin-dir /p/tidy --allowedTools Bash,Skill,mcp__docs --effort low"
    )
    assert json.loads(found.files["claude-mcp.json"]) == {"mcpServers": {"docs": {"command": "x"}}}
    assert json.loads(found.files["claude-settings.json"]) == {"effortLevel": "low"}
    assert [str(path) for path in found.read_only] == ["/p/tidy"]
    assert "CLAUDE_CODE_MAX_RETRIES" not in found.env


def test_another_providers_model_serves_side_requests_too(start):
    env = start("qwen3-coder").env
    assert env["ANTHROPIC_DEFAULT_HAIKU_MODEL"] == "qwen3-coder"
    assert "ANTHROPIC_DEFAULT_HAIKU_MODEL" not in start("claude-opus-5").env


def test_the_operators_own_configuration(start):
    found = start(with_user_config=True)
    assert "CLAUDE_CONFIG_DIR" not in found.env
    argv = found.argv
    assert "--setting-sources" not in argv
    assert "--strict-mcp-config" not in argv


def test_it_needs_a_model_and_takes_no_argument(make_task):
    job = Job(make_task(), 1, 0, Arm(agent_spec="claude-code"))
    with pytest.raises(InvalidInput, match="needs a model"):
        ClaudeCode("", Program(("claude",))).launch(job, VIEW)
    with pytest.raises(InvalidInput, match="takes no argument 'fast'"):
        ClaudeCode("fast")


# --- what it prints

RECORDED = {  # finished, stop reason, tokens (fresh, read, written, out), denials, limit
    (True, "end_turn", (200, 0, 0, 40), 0, None): "allowed_bash background_children bypass_root_issandbox env_scrub",
    (True, "end_turn", (3500, 500, 200, 120), 0, None): "bare max_turns_tools ok_json ok_stream plugin_dir_missing setting_sources_empty stdin_empty_pipe",
    (True, "end_turn", (4800, 500, 200, 130), 0, None): "json_schema",
    (True, "end_turn", (100, 0, 0, 20), 0, None): "cut_noretry err500_once_then_ok_stream",
    (True, "end_turn", (200, 0, 0, 40), 1, None): "denied_default_host denied_dontask denied_prompts_none denied_prompts_none_stream write_outside",
    (True, "refusal", (200, 0, 0, 40), 0, None): "refusal",
    (False, None, None, None, None): "bash_sigkill bash_sigterm bash_sigterm_group bypass_root hang_sigkill hang_sigterm text unknown_flag",
    (False, None, None, 0, None): "bash_sigterm_stream",
    (False, "aborted_tools", (100, 0, 0, 20), 0, None): "bash_sigint_stream",
    (False, "aborted_streaming", (0, 0, 0, 0), 0, None): "hang_sigint",
    (False, "api_error_400", (0, 0, 0, 0), 0, None): "err400",
    (False, "api_error_401", (0, 0, 0, 0), 0, None): "err401 err401_stream",
    (False, "api_error_404", (0, 0, 0, 0), 0, None): "err404_model",
    (False, "api_error_429", (0, 0, 0, 0), 0, None): "err429_noretry",
    (False, "api_error_500", (0, 0, 0, 0), 0, None): "err500_default_retries err500_noretry err500_noretry_stream",
    (False, "api_error_529", (0, 0, 0, 0), 0, None): "err529_noretry",
    (False, "api_error", (0, 0, 0, 0), 0, None): "garbage hang_api_timeout no_key reset_noretry",
    (False, "api_error", (400, 0, 0, 80), 0, None): "length_stop",
    (False, "prompt_too_long", (0, 0, 0, 0), 0, None): "prompt_too_long",
    (False, "budget_exhausted", (20000, 0, 0, 2000), 0, "cost"): "max_budget max_budget_stream",
    (False, "max_turns", (20000, 0, 0, 2000), 0, "turns"): "max_turns max_turns_stream",
}  # fmt: skip


def outcome(report):
    tokens = tuple(report.usage.get(name) for name in BUCKETS)
    known = None if set(tokens) == {None} else tokens
    return report.finished, report.stop_reason, known, report.usage.get("denials"), report.limit


def test_every_recording(recordings):
    expected = {name: told for told, names in RECORDED.items() for name in names.split()}
    paths = sorted((recordings / "claude-code").glob("*.stdout"))
    assert {p.stem: outcome(read_claude_code(p.read_bytes())) for p in paths} == expected


def test_side_requests_count_and_the_cost_is_the_programs_own(recordings):
    paths = sorted((recordings.parent / "formats/claude-code").glob("p_output_json__*.json"))
    assert len(paths) == 7
    for path in paths:
        told, usage = json.loads(path.read_text()), read_claude_code(path.read_bytes()).usage
        models = told["modelUsage"].values()
        assert usage["reported_cost_usd"] == told["total_cost_usd"]
        assert usage["reported_cost_usd"] == pytest.approx(sum(m["costUSD"] for m in models))
        assert usage["input_tokens"] == sum(m["inputTokens"] for m in models)
        assert usage["input_tokens"] > told["usage"]["input_tokens"]


def lines(*objects):
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def assistant(*content, name="m1", parent=None, at=None):
    message = {"id": name, "model": "claude-x", "content": list(content)}
    return {
        "type": "assistant",
        "message": message,
        "parent_tool_use_id": parent,
        "timestamp": at,
    }


def use(name, tool, **given):
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def result_of(name, text, at=None, **more):
    part = {"type": "tool_result", "tool_use_id": name, "content": text, **more}
    return {"type": "user", "message": {"content": [part]}, "timestamp": at}


INIT = {"type": "system", "subtype": "init"}
DONE = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "stop_reason": "end_turn"}  # fmt: skip


def test_steps_of_a_run_with_a_sub_agent_a_skill_and_a_server():
    stdout = lines(
        INIT,
        assistant({"type": "text", "text": "Look."}, use("t1", "Bash", command="pytest -q"), at="2026-01-01T00:00:00Z"),
        result_of("t1", "Exit code 2\nboom", at="2026-01-01T00:00:01.500Z", is_error=True),
        assistant(use("t2", "Task", prompt="Dig."), name="m2"),
        result_of("t2", "started"),
        assistant({"type": "text", "text": "inner"}, use("t3", "Edit", file_path="/workspace/a.py"), name="s1", parent="t2"),
        result_of("t3", "ok"),
        assistant(use("t4", "Skill", skill="plug:tidy"), use("t5", "mcp__docs__find", q="x"), name="m3"),
        {"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 529},
        {"type": "system", "subtype": "permission_denied", "tool_name": "WebFetch"},
        DONE,
    )  # fmt: skip
    report = read_claude_code(stdout)
    assert report.answer == "Done."
    assert report.used == {"plug", "tidy", "plug:tidy", "docs"}
    assert report.usage == {
        "turns": 3, "tool_calls": 5, "tool_errors": 1, "harness_events": 1, "skills_loaded": 1, "mcp_calls": 1,
        "denials": 1, "asked_user": False,
    }  # fmt: skip
    rows = [
        EventRow(run_id="r", trial_id="t", seq=seq, **event)
        for seq, event in enumerate(report.events, 1)
    ]
    told = [(r.seq, r.kind, r.tool_kind, r.turn, r.parent, r.ok, r.exit_code) for r in rows]
    assert told == [
        (1, "message", None, 1, None, None, None),
        (2, "tool_call", "shell", 1, None, None, None),
        (3, "tool_result", "shell", 1, 2, False, 2),
        (4, "tool_call", "other", 2, None, None, None),
        (5, "tool_result", "other", 2, 4, True, None),
        (6, "message", None, None, 4, None, None),
        (7, "tool_call", "edit", None, 4, None, None),
        (8, "tool_result", "edit", None, 7, True, None),
        (9, "tool_call", "skill", 3, None, None, None),
        (10, "tool_call", "mcp", 3, None, None, None),
        (11, "error", None, None, None, None, None),
    ]
    assert rows[1].command == "pytest -q"
    assert rows[2].duration_s == 1.5
    assert rows[6].path == "/workspace/a.py"


def test_success_with_is_error_is_no_end():
    told = {"type": "result", "subtype": "success", "is_error": True, "result": "401", "terminal_reason": "api_error", "api_error_status": 401}  # fmt: skip
    report = read_claude_code(lines(INIT, told))
    assert (report.finished, report.stop_reason) == (False, "api_error_401")
    assert report.events[-1] == {"kind": "error", "text": "401"}


def test_a_question_to_the_user():
    stdout = lines(INIT, assistant(use("t1", "AskUserQuestion", questions=[])), DONE)
    assert read_claude_code(stdout).usage["asked_user"] is True


def test_nothing_is_counted_in_an_output_whose_middle_is_gone():
    cut = b"\n[... 123 bytes left out ...]\n"
    called = lines(INIT, assistant(use("t1", "Bash", command="ls")))
    report = read_claude_code(called + cut + lines({**DONE, "num_turns": 40}))
    assert report.finished
    assert report.usage == {"turns": 40}
    assert report.used is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["\ud800", "result", "assistant", "user", "system", "tool_use", "tool_result", "Skill", "Bash", "mcp__", "a"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "subtype", "message", "content", "id", "name", "input", "usage", "modelUsage", "is_error", "result",
             "tool_use_id", "parent_tool_use_id", "errors", "num_turns", "input_tokens", "timestamp", "skill", "text", "command"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(JSON.map(lambda v: json.dumps(v).encode()) | st.binary(max_size=20), max_size=5))
def test_no_output_can_raise(parts):
    report = read_claude_code(b"\n".join(parts))
    for seq, event in enumerate(report.events, 1):
        EventRow(run_id="r", trial_id="t", seq=seq, **event).model_dump_json()
    report.answer.encode()
    assert report.finished is False or b"result" in b"".join(parts)


def test_deep_and_huge_outputs():
    deep = b'{"type":"result","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    long = b'{"type":"result","num_turns":' + b"9" * 10_000 + b"}"
    torn = lines(DONE)[:-10]
    for stdout in (deep, long, torn, b"\xff\xfe\x00" * 1000, lines(DONE) * 2000):
        read_claude_code(stdout)
    assert not read_claude_code(deep + b"\n" + torn).finished


# --- real runs


@pytest.fixture
def claude(program):
    return program(ClaudeCode, required=True)


FIX = {
    "steps": [
        {"text": "Look.", "calls": [{"do": "read", "path": "/workspace/calc.py"}]},
        {"calls": [{"do": "edit", "path": "/workspace/calc.py", "old": "a - b", "new": "a + b"}]},
        {"calls": [{"do": "run", "command": "python3 -c 'import calc; print(calc.add(1, 2))'"}]},
        {
            "text": "Done.",
            "usage": {"input": 900, "output": 20, "cache_read": 50, "cache_write": 7},
        },
    ]
}


def test_it_edits_a_file_and_runs_a_command(claude, run):
    ran = run(claude, FIX, prompt="--help: fix add\n" + "x" * 200_000)
    assert ran.report.finished, ran.done.stderr
    assert (ran.report.answer, ran.report.stop_reason) == ("Done.", "end_turn")
    assert ran.changed == ["calc.py"]
    shell = [e for e in ran.report.events if e.get("tool_kind") == "shell"]
    assert (shell[1]["ok"], shell[1]["exit_code"], shell[1]["text"]) == (True, 0, "3")
    usage = ran.report.usage
    assert tuple(usage[name] for name in BUCKETS) == (1200, 50, 7, 80)
    assert (usage["turns"], usage["tool_calls"], usage["denials"]) == (4, 3, 0)


def test_what_it_may_not_do_is_a_denial(claude, run):
    write = {"name": "Write", "input": {"file_path": "/home/agent/x.txt", "content": "x"}}
    ran = run(claude, {"steps": [{"calls": [write]}, {"text": "It was denied."}]})
    assert ran.report.finished
    assert ran.report.usage["denials"] == 1
    assert not (ran.box.home / "x.txt").exists()


def test_an_error_and_a_limit_are_no_end(claude, run):
    error = {"error": {"status": 401, "message": "no"}}
    refused = run(claude, {"steps": [error]}, overlay=Overlay(env={"CLAUDE_CODE_MAX_RETRIES": "0"}))
    assert (refused.report.finished, refused.report.stop_reason) == (False, "api_error_401")
    again = {"steps": [{"calls": [{"do": "run", "command": f"echo {i}"}]} for i in range(9)]}
    limited = run(claude, again, keys="max_turns = 2")
    assert (limited.report.finished, limited.report.limit) == (False, "turns")
    assert limited.report.usage["turns"] == 2


def test_stopped_in_the_middle_of_a_command(claude, run):
    script = {"steps": [{"calls": [{"do": "run", "command": "echo hi; sleep 300"}]}]}
    ran = run(claude, script, stop_when=lambda told: b"sleep 300" in told)
    assert ran.done.stopped_by == "cancelled"
    assert (ran.report.finished, ran.report.stop_reason) == (False, None)
    assert ran.report.usage["tool_calls"] == 1


SERVER = """import json, sys
open("/workspace/started", "w").close()
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answers = {
        "initialize": {"protocolVersion": asked.get("params", {}).get("protocolVersion"), "capabilities": {"tools": {}},
                       "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": "look_up", "description": "d", "inputSchema": {"type": "object", "properties": {}}}]},
        "tools/call": {"content": [{"type": "text", "text": "found it"}]},
    }
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answers.get(asked["method"], {})}), flush=True)
"""


def test_servers_and_plugins_are_the_variants_alone(claude, run, tmp_path):
    plugin = tmp_path / "plug"
    (plugin / "skills/tidy").mkdir(parents=True)
    (plugin / ".claude-plugin").mkdir()
    (plugin / ".claude-plugin/plugin.json").write_text('{"name": "plug", "version": "1"}')
    (plugin / "skills/tidy/SKILL.md").write_text("---\nname: tidy\ndescription: d\n---\nTidy.\n")
    (plugin / "server.py").write_text(SERVER)
    server = {"command": "/usr/bin/python3", "args": [str(plugin / "server.py")]}
    project = {"mcpServers": {"theirs": {"command": "touch", "args": ["/workspace/theirs"]}}}
    lay = f"echo '{json.dumps(project)}' > .mcp.json"
    steps = [
        {"calls": [{"name": "mcp__my_docs__look_up", "input": {}}]},
        {"calls": [{"name": "Skill", "input": {"skill": "plug:tidy"}}]},
        {"text": "Done."},
    ]
    overlay = Overlay(mcp={"my_docs": server}, plugin_dirs=[str(plugin)])
    ran = run(claude, {"steps": steps}, overlay=overlay, lay=lay)
    assert ran.report.finished, ran.done.stderr
    assert ran.report.used == {"my_docs", "plug", "tidy", "plug:tidy"}
    assert (ran.report.usage["mcp_calls"], ran.report.usage["skills_loaded"]) == (1, 1)
    assert (ran.box.workspace / "started").exists()
    assert not (ran.box.workspace / "theirs").exists()
