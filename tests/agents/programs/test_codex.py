"""Codex: how it is started, how its output is read, and real runs of it."""

import io
import json
import os
import shutil
import tarfile
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.agents import Endpoint, Job
from agenteval.agents.codex import Codex, settings_flags
from agenteval.agents.codex_output import read_codex
from agenteval.agents.programs import Program
from agenteval.errors import InvalidInput
from agenteval.records import Arm, EventRow, Overlay
from agenteval.sandbox import Container, View, containers_work, find_runtime, image_id

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")
IMAGE = "localhost/agenteval/test-agents:1"
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


# --- how it is started


@pytest.fixture
def start(make_task):
    count = iter(range(9))

    def launch(model=None, overlay=None, view=VIEW):
        arm = Arm(agent_spec="codex", overlay=overlay)
        job = Job(
            make_task(f"t{next(count)}"), 1, 0, arm, endpoint=Endpoint("http://gate", "k", model)
        )
        return Codex("", Program(("/opt/codex",))).launch(job, view)

    return launch


def told(argv):
    """What the `-c` flags come to, the later ones having the last word."""
    merged = {}
    for flag, value in zip(argv, argv[1:], strict=False):
        if flag != "-c":
            continue
        (line,) = value.splitlines()
        for key, inner in flat(tomllib.loads(line)):
            merged[key] = inner
    return merged


def flat(table, before=""):
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def test_the_whole_command(start):
    found = start()
    assert found.argv[:2] == ["sh", "-c"]
    assert [w for w in found.argv[3:] if "=" not in w and w != "-c"] == [
        "sh", "/agent/prompt.md", "/opt/codex", "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--disable",
        "plugins", "--ignore-user-config", "--ignore-rules", "-s", "danger-full-access", "-C", "/workspace", "-",
    ]  # fmt: skip
    assert told(found.argv[3:]) == {
        "analytics.enabled": False,
        "check_for_update_on_startup": False,
        "shell_environment_policy.exclude": ["AGENTEVAL_MODEL_KEY"],
        "model": "gpt-5.1-codex",
        "model_provider": "agenteval",
        "model_providers.agenteval.name": "agenteval",
        "model_providers.agenteval.base_url": "http://gate/v1",
        "model_providers.agenteval.env_key": "AGENTEVAL_MODEL_KEY",
        "model_providers.agenteval.wire_api": "responses",
    }
    assert found.env == {
        "CODEX_HOME": "/home/agent/.codex",
        "TMPDIR": "/tmp",
        "AGENTEVAL_MODEL_KEY": "k",
    }


def test_its_home_never_lies_below_tmpdir(start):
    found = start(view=View("/tmp/x/ws", "/tmp/x/home", "/tmp", "/tmp/x/in"))
    assert found.env["CODEX_HOME"] == "/tmp/x/home/.codex"
    assert found.env["TMPDIR"] == "/tmp/x/home/tmp"


def test_what_a_variant_brings(start):
    overlay = Overlay(
        settings={
            "model_reasoning_effort": "high",
            "model_provider": "openai",
            "tools": {"web_search": False},
        },
        mcp={"my docs": {"command": "x", "args": ['a"b']}},
        args=["--enable", "x"],
    )
    found = start("gpt-9", overlay)
    assert found.argv[-3:] == ["--enable", "x", "-"]
    settings = told(found.argv[3:])
    assert settings["model_reasoning_effort"] == "high"
    assert settings["tools.web_search"] is False
    assert settings["mcp_servers.my docs.args"] == ['a"b']
    assert (settings["model"], settings["model_provider"]) == ("gpt-9", "agenteval")


def test_its_own_sandbox_is_refused(start):
    with pytest.raises(InvalidInput, match="its own sandbox"):
        start(overlay=Overlay(settings={"sandbox_mode": "workspace-write"}))


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="."), min_size=1, max_size=6)
VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
BARE = st.from_regex(r"[a-zA-Z0-9_-]{1,5}", fullmatch=True)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.dictionaries(BARE, VALUES, max_size=3))
def test_settings_come_out_as_they_went_in(given):
    merged = {}
    for value in settings_flags(given)[1::2]:
        for key, inner in flat(tomllib.loads(value)):
            merged[key] = inner
    assert merged == dict(flat(given))


def test_a_setting_that_toml_cannot_hold():
    with pytest.raises(InvalidInput, match="holds None"):
        settings_flags({"a": [None]})


# --- what it prints

RECORDED = {  # finished, stop reason, tokens (fresh, read, written, out), denials, limit
    (True, "completed", (200, 0, 0, 40), 0, None): "apply_patch_shell exclude_tmp readonly_write",
    (True, "completed", (200, 0, 0, 40), 1, None): "escalation_request",
    (True, "completed", (3500, 500, 0, 120), 0, None): "danger_full_access ok_json output_last_message",
    (True, "completed", (100, 0, 0, 20), 0, None): "err500_once_retry1",
    (False, None, None, 0, None): "cmd_sigint cmd_sigkill cmd_sigterm cmd_sigterm_nosandbox hang_sigint hang_sigterm",
    (False, None, None, None, None): "ok_text unknown_flag",
    (False, "api_error_401", None, 0, None): "err401",
    (False, "api_error_429", None, 0, None): "err429",
    (False, "context_exceeded", None, 0, None): "context_exceeded",
    (False, "turn_failed", None, 0, None): "cut err400 err500 err500_default_retries no_key reset",
}  # fmt: skip


def outcome(report):
    tokens = tuple(report.usage.get(name) for name in BUCKETS)
    known = None if set(tokens) == {None} else tokens
    return report.finished, report.stop_reason, known, report.usage.get("denials"), report.limit


def test_every_recording(recordings):
    expected = {name: told for told, names in RECORDED.items() for name in names.split()}
    found = {
        path.stem: outcome(read_codex(path.read_bytes(), path.with_suffix(".stderr").read_bytes()))
        for path in (recordings / "codex").glob("*.stdout")
    }
    assert found == expected


def lines(*objects):
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def item(kind, name, *, done=True, **fields):
    state = "completed" if done else "started"
    return {"type": f"item.{state}", "item": {"id": name, "type": kind, **fields}}


BEGIN = {"type": "thread.started", "thread_id": "t"}
USAGE = {"input_tokens": 100, "cached_input_tokens": 30, "cache_write_input_tokens": 10, "output_tokens": 7, "reasoning_output_tokens": 5}  # fmt: skip
END = {"type": "turn.completed", "usage": USAGE}


def test_steps_of_a_run():
    changes = [{"path": "/workspace/a.py", "kind": "update"}, {"path": "b.py", "kind": "add"}]
    report = read_codex(
        lines(
            BEGIN,
            item("error", "i0", message="Model metadata for `x` not found."),
            item("agent_message", "i1", text="Look."),
            item("command_execution", "i2", done=False, command="/bin/bash -lc 'pytest -q'"),
            item("command_execution", "i2", command="/bin/bash -lc 'pytest -q'", aggregated_output="boom", exit_code=1, status="failed"),
            item("file_change", "i3", changes=changes, status="completed"),
            item("mcp_tool_call", "i4", server="docs", tool="find", status="completed"),
            item("command_execution", "i5", command="rm x", status="declined"),
            {"type": "error", "message": "Reconnecting... 1/5 (oops)"},
            item("agent_message", "i6", text="Done."),
            END,
        )
    )  # fmt: skip
    assert (report.answer, report.finished, report.stop_reason) == ("Done.", True, "completed")
    assert report.used == {"docs"}
    assert report.usage == {
        "tool_calls": 4, "tool_errors": 2, "mcp_calls": 1, "harness_events": 1, "denials": 1, "asked_user": False,
        "input_tokens": 60, "cache_read_tokens": 30, "cache_write_tokens": 10, "output_tokens": 7,
    }  # fmt: skip
    seen = [
        (e["kind"], e.get("tool_kind"), e.get("command") or e.get("path"), e.get("ok"))
        for e in report.events
    ]
    assert seen == [
        ("message", None, None, None),
        ("tool_call", "shell", "pytest -q", None),
        ("tool_result", "shell", None, False),
        ("tool_call", "edit", "/workspace/a.py", None),
        ("tool_call", "edit", "b.py", None),
        ("tool_result", "edit", None, True),
        ("tool_call", "mcp", None, None),
        ("tool_result", "mcp", None, True),
        ("tool_call", "shell", "rm x", None),
        ("tool_result", "shell", None, False),
        ("error", None, None, None),
        ("message", None, None, None),
    ]
    assert report.events[2]["exit_code"] == 1


def test_a_failed_turn_is_no_end_and_its_error_is_told_once():
    message = "unexpected status 401 Unauthorized: no"
    failed = {"type": "turn.failed", "error": {"message": message}}
    report = read_codex(lines(BEGIN, {"type": "error", "message": message}, failed))
    assert (report.finished, report.stop_reason) == (False, "api_error_401")
    assert report.events == [{"kind": "error", "text": message}]


def test_what_is_told_on_standard_error_alone():
    stderr = b"error=approval policy is Never; reject command \xe2\x80\x94 you cannot ask for escalated permissions if the\nerror=request_user_input is unavailable in Default mode\n"
    usage = read_codex(lines(BEGIN, END), stderr).usage
    assert (usage["denials"], usage["asked_user"]) == (1, True)


def test_nothing_is_counted_in_an_output_whose_middle_is_gone():
    stdout = lines(BEGIN) + b"\n[... 123 bytes left out ...]\n" + lines(END)
    report = read_codex(stdout)
    assert report.finished
    assert set(report.usage) == set(BUCKETS)
    assert report.used is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["\ud800", "item.completed", "item.started", "turn.completed", "turn.failed", "error", "command_execution",
                       "file_change", "mcp_tool_call", "agent_message", "declined", "a"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "item", "id", "command", "changes", "path", "server", "tool", "text", "usage", "message",
                         "exit_code", "status", "error", "aggregated_output", "input_tokens", "cached_input_tokens"]),
        inner,
        max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(JSON.map(lambda v: json.dumps(v).encode()) | st.binary(max_size=20), max_size=5))
def test_no_output_can_raise(parts):
    stdout = b"\n".join(parts)
    report = read_codex(stdout, stdout)
    for seq, event in enumerate(report.events, 1):
        EventRow(run_id="r", trial_id="t", seq=seq, **event).model_dump_json()
    report.answer.encode()
    assert report.finished is False or b"turn.completed" in stdout


# --- real runs


@pytest.fixture
def codex(program):
    return program(Codex, required=True)


FIX = {
    "steps": [
        {
            "text": "I fix it.",
            "calls": [{"do": "edit", "path": "/workspace/calc.py", "old": "a - b", "new": "a + b"}],
        },
        {"calls": [{"do": "run", "command": "env | grep -c AGENTEVAL_MODEL_KEY; exit 3"}]},
        {"text": "Done.", "usage": {"input": 900, "output": 20, "cache_read": 50}},
    ]
}


def test_it_edits_a_file_and_runs_a_command(codex, run):
    ran = run(codex, FIX, prompt="--help: fix add\n" + "x" * 200_000)
    assert ran.report.finished, ran.done.stderr
    assert ran.report.answer == "Done."
    assert ran.changed == ["calc.py"]
    result = ran.report.events[-2]
    assert (result["ok"], result["exit_code"], result["text"]) == (False, 3, "0\n")
    usage = ran.report.usage
    assert tuple(usage[name] for name in BUCKETS) == (1100, 50, 0, 60)
    assert (usage["tool_calls"], usage["tool_errors"]) == (2, 1)


def test_an_error_is_no_end(codex, run):
    none = {"model_providers": {"agenteval": {"request_max_retries": 0, "stream_max_retries": 0}}}
    error = {"error": {"status": 401, "message": "no"}}
    ran = run(codex, {"steps": [error]}, overlay=Overlay(settings=none))
    assert (ran.report.finished, ran.report.stop_reason) == (False, "api_error_401")
    assert ran.report.usage["harness_events"] == 0


def test_stopped_in_the_middle_of_a_command(codex, run):
    script = {"steps": [{"calls": [{"do": "run", "command": "echo hi; sleep 300"}]}]}
    ran = run(codex, script, stop_when=lambda told: b"sleep 300" in told)
    assert ran.done.stopped_by == "cancelled"
    assert (ran.report.finished, ran.report.stop_reason) == (False, None)
    assert ran.report.usage["tool_calls"] == 1


def test_the_projects_own_servers_are_not_started(codex, run):
    lay = 'mkdir .codex; printf \'[mcp_servers.x]\\ncommand="touch"\\nargs=["/workspace/theirs"]\\n\' > .codex/config.toml'
    server = {"command": "touch", "args": ["/workspace/ours"]}
    ran = run(codex, {"steps": [{"text": "Done."}]}, lay=lay, overlay=Overlay(mcp={"ours": server}))
    assert ran.report.finished, ran.done.stderr
    assert (ran.box.workspace / "ours").exists()
    assert not (ran.box.workspace / "theirs").exists()


@pytest.fixture
def busybox():
    """A container of one static program, without node, a shell of GNU or a C library."""
    program, problem = shutil.which("busybox"), containers_work()
    if program is None or problem:
        reason = problem or "busybox-static is not installed"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    runtime = find_runtime()
    if image_id(runtime, IMAGE) is None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            archive.add(program, "bin/busybox")
            for name in ("sh", "mkdir", "sed"):
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                archive.addfile(link)
        made = runtime.call("import", "-", IMAGE, stdin=data.getvalue())
        assert made.exit_code == 0, made.stderr
    return Container(IMAGE)


def test_the_hosts_program_runs_in_a_tasks_container(codex, run, busybox):
    command = {"do": "run", "command": "sed -i 's/a - b/a + b/' calc.py"}
    ran = run(codex, {"steps": [{"calls": [command]}, {"text": "Done."}]}, sandbox=busybox)
    assert ran.report.finished, ran.done.stderr
    assert ran.changed == ["calc.py"]
