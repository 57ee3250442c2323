"""mini-swe-agent: how it is started, how its trajectories are read, and real runs of it."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.agents import Endpoint, Job, Output
from agenteval.agents.mini_swe_agent import MiniSweAgent
from agenteval.agents.mini_swe_agent_trajectory import read_trajectory
from agenteval.agents.programs import Program
from agenteval.errors import InvalidInput
from agenteval.records import Arm, EventRow, Overlay
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")
PROGRAM = Program(("/opt/mini/bin/mini",), version="2.4.6")
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


# --- how it is started


@pytest.fixture
def start(make_task):
    def launch(keys="", prompt="Fix it.", model=None, arm_model=None, overlay=None, agent=None):
        text = f'id = "one"\n{keys}\n[[checks]]\nkind = "command"\nrun = "true"\n'
        task = make_task(prompt=prompt, task_dot_toml=text)
        arm = Arm(agent_spec="mini-swe-agent", model=arm_model, overlay=overlay)
        job = Job(task, 1, 0, arm, endpoint=Endpoint("http://gate/t/1", "dummy", model))
        return (agent or MiniSweAgent("", PROGRAM)).launch(job, VIEW)

    return launch


def test_the_whole_command(start):
    found = start()
    assert found.argv == [
        "sh", "/agent/start.sh", "/agent", "/opt/mini/bin/mini", "-m", "openai/gpt-5.1",
        "-y", "--exit-immediately", "-c", "mini.yaml", "-c", "/agent/agenteval.yaml", "-l", "0",
    ]  # fmt: skip
    assert json.loads(found.files["agenteval.yaml"]) == {
        "model": {"model_kwargs": {"api_base": "http://gate/t/1/v1"}},
        "environment": {"cwd": "/workspace"},
        "agent": {"step_limit": 0},
        "run": {"task": "Fix it."},
    }
    assert found.env == {
        "MSWEA_CONFIGURED": "true",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": "/home/agent/mini-swe-agent",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "OPENAI_API_KEY": "dummy",
    }


def test_limits_are_passed_on(start):
    found = start("max_turns = 7\nmax_cost_usd = 0.5")
    assert json.loads(found.files["agenteval.yaml"])["agent"] == {"step_limit": 7}
    assert found.argv[found.argv.index("-l") + 1] == "0.5"
    assert MiniSweAgent.passes_on == {"turns", "cost"}


@pytest.mark.parametrize(
    ("model", "arm_model", "name", "base", "key"),
    [
        ("gpt-9", "openai/gpt-9", "openai/gpt-9", "http://gate/t/1/v1", "OPENAI_API_KEY"),
        ("qwen/q3", "local/qwen/q3", "openai/qwen/q3", "http://gate/t/1/v1", "OPENAI_API_KEY"),
        ("c-4", "anthropic/c-4", "anthropic/c-4", "http://gate/t/1", "ANTHROPIC_API_KEY"),
        (None, "scripted:reference", "openai/gpt-5.1", "http://gate/t/1/v1", "OPENAI_API_KEY"),
    ],
)
def test_a_model_is_asked_in_its_providers_format(start, model, arm_model, name, base, key):
    found = start(model=model, arm_model=arm_model)
    told = json.loads(found.files["agenteval.yaml"])["model"]["model_kwargs"]["api_base"]
    assert (found.argv[5], told, found.env[key]) == (name, base, "dummy")
    assert len([name for name in found.env if name.endswith("_API_KEY")]) == 1


def test_a_variants_settings_arguments_and_variables(start):
    found = start(
        overlay=Overlay(
            settings={"environment": {"timeout": 90}},
            args=["--cost-limit", "2"],
            env={"MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "1"},
        )
    )
    configs = [b for a, b in zip(found.argv, found.argv[1:], strict=False) if a == "-c"]
    assert configs == ["mini.yaml", "/agent/variant.yaml", "/agent/agenteval.yaml"]
    assert json.loads(found.files["variant.yaml"]) == {"environment": {"timeout": 90}}
    assert found.argv[-2:] == ["--cost-limit", "2"]
    assert "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT" not in found.env  # the variant's holds


def test_the_program_of_an_image_goes_by_its_name(start):
    found = start(agent=MiniSweAgent("image"))
    assert (found.argv[3], found.read_only) == ("mini", ())


def test_it_needs_a_model(make_task):
    job = Job(make_task(), 1, 0, Arm(agent_spec="mini-swe-agent"))
    with pytest.raises(InvalidInput, match="needs a model"):
        MiniSweAgent("", PROGRAM).launch(job, VIEW)


# --- what its trajectories say


@pytest.fixture
def job(make_task):
    text = 'id = "j"\nmax_turns = 2\n[[checks]]\nkind = "command"\nrun = "true"\n'
    return Job(make_task("j", task_dot_toml=text), 1, 0, Arm(agent_spec="mini-swe-agent"))


@pytest.fixture
def report(job):
    agent = MiniSweAgent("", PROGRAM)
    return lambda data: agent.report(job, Output(0, b"", b"", data))


RECORDED = {  # name: stop reason, finished, turns, calls, failed calls, fresh, cached, out, cost
    "background_child": ("Submitted", True, 2, 2, 0, 200, 0, 40, 0.0012),
    "cmd_sigint": ("EOFError", False, 1, 1, 0, 100, 0, 20, 0.0006),
    "cmd_timeout": ("Submitted", True, 2, 2, 1, 200, 0, 40, 0.0012),
    "cost_limit": ("LimitsExceeded", True, 2, 2, 0, 20000, 0, 2000, 0.09),
    "err401": ("AuthenticationError", False, 1, 0, 0, None, None, None, None),
    "err500_1attempt": ("InternalServerError", False, 1, 0, 0, None, None, None, None),
    "net": None,
    "no_cost": ("RuntimeError", False, 1, 0, 0, None, None, None, None),
    "no_tool_call": ("RepeatedFormatError", True, 3, 0, 0, 300, 0, 60, 0.0018),
    "ok": ("Submitted", True, 3, 3, 0, 1200, 500, 90, 0.0051),
    "python_api": ("Submitted", True, 2, 2, 0, 200, 0, 40, None),
    "step_limit": ("LimitsExceeded", True, 2, 2, 0, 20000, 0, 2000, 0.09),
    "wall_limit": ("TimeExceeded", True, 10, 10, 0, 100000, 0, 10000, 0.45),
    # stopped in its first step, so it had written nothing
    "cmd_sigterm": None,
    "cmd_sigkill": None,
}
COLUMNS = ("turns", "tool_calls", "tool_errors", "input_tokens", "cache_read_tokens", "output_tokens", "reported_cost_usd")  # fmt: skip


def test_every_recording(recordings, report):
    folder = recordings / "mini-swe-agent"
    names = {path.name.partition(".")[0] for path in folder.iterdir()}
    assert names == set(RECORDED)
    for name, expected in RECORDED.items():
        path = folder / f"{name}.traj.json"
        found = report(path.read_bytes() if path.exists() else None)
        if expected is None:
            assert (found.finished, found.stop_reason, found.usage) == (False, None, {}), name
            continue
        stop_reason, finished, *values = expected
        assert (found.stop_reason, found.finished) == (stop_reason, finished), name
        told = [found.usage[column] for column in COLUMNS]
        assert told == [None if v is None else pytest.approx(v) for v in values], name
        assert found.usage["cache_write_tokens"] == (None if values[3] is None else 0)
        for seq, event in enumerate(found.events, 1):
            EventRow(run_id="r", trial_id="t", seq=seq, **event)


def test_the_events_of_a_recording(recordings, report):
    found = report((recordings / "mini-swe-agent/ok.traj.json").read_bytes())
    kinds = [(event["kind"], event.get("turn"), event.get("ok")) for event in found.events]
    assert kinds == [
        ("message", 1, None), ("tool_call", 1, None), ("tool_result", 1, True),
        ("message", 2, None), ("tool_call", 2, None), ("tool_result", 2, True),
        ("message", 3, None), ("tool_call", 3, None), ("tool_result", 3, None),
    ]  # fmt: skip
    call, result = found.events[4:6]
    assert call["command"] == "python3 -B -c 'import calc; print(calc.add(1,2))'"
    assert (result["parent"], result["exit_code"], result["text"]) == (5, 0, "3\n")
    assert found.answer == "Done."


def trajectory(*messages, **info):
    return json.dumps({"info": info, "messages": messages}).encode()


def answered(command=None, usage=None, cost=0.1, said="look", call="c1"):
    actions = [{"command": command, "tool_call_id": call}] if command else []
    response = {"usage": usage} if usage else {}
    extra = {"actions": actions, "response": response, "cost": cost, "timestamp": 100.0}
    return {"role": "assistant", "content": said, "extra": extra}


def ran(code=0, text="", call="c1", fault=""):
    extra = {"returncode": code, "raw_output": text, "exception_info": fault, "timestamp": 102.5}
    return {"role": "tool", "tool_call_id": call, "extra": extra}


def ended(status="Submitted", submission="", **extra):
    return {
        "role": "exit",
        "content": submission,
        "extra": {"exit_status": status, "submission": submission, **extra},
    }


def test_the_four_counts_do_not_overlap(report):
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 50,
        "cache_creation_input_tokens": 200,
        "prompt_tokens_details": {"cached_tokens": 300},
    }
    found = report(trajectory(answered("ls", usage), ran(), ended()))
    told = {name: found.usage[name] for name in found.usage if name.endswith("_tokens")}
    assert told == {
        "input_tokens": 500, "cache_read_tokens": 300, "cache_write_tokens": 200, "output_tokens": 50,
    }  # fmt: skip


def test_one_request_without_usage_makes_the_sum_unknown(report):
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    found = report(trajectory(answered("a", usage), ran(), answered("b", call="c2"), ended()))
    assert found.usage["input_tokens"] is None


def test_one_request_without_a_price_makes_the_cost_unknown(report):
    stats = {"instance_cost": 0.1}
    found = report(
        trajectory(answered("a"), ran(), answered("b", cost=0.0), ended(), model_stats=stats)
    )
    assert found.usage["reported_cost_usd"] is None
    found = report(trajectory(answered("a"), ran(), ended(), model_stats=stats))
    assert found.usage["reported_cost_usd"] == 0.1


def test_a_failed_command_is_an_error_of_a_tool(report):
    found = report(trajectory(answered("false"), ran(1, "no"), ended()))
    assert found.usage["tool_errors"] == 1
    assert found.events[2] == {
        "kind": "tool_result", "turn": 1, "tool": "bash", "tool_kind": "shell", "parent": 2,
        "ok": False, "exit_code": 1, "text": "no", "duration_s": 2.5,
    }  # fmt: skip


def test_without_the_last_message_it_was_cut_short(report):
    found = report(trajectory(answered("ls"), ran()))
    assert (found.finished, found.stop_reason) == (False, None)
    assert len(found.events) == 3


def test_what_it_handed_in_is_the_answer(report):
    assert report(trajectory(answered("x"), ended(submission="42\n"))).answer == "42\n"
    assert report(trajectory(answered("x", said="It is 42."), ended())).answer == "It is 42."


def test_a_long_trajectory_comes_packed(report):
    data = trajectory(answered("ls"), ended())
    assert report(gzip.compress(data)) == report(data)
    assert report(gzip.compress(data)[:-12]).finished is False
    assert report(b"\x1f\x8bgarbage").finished is False


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["role", "content", "extra", "actions", "command", "response", "usage", "cost", "timestamp",
             "prompt_tokens", "tool_call_id", "exit_status", "submission", "returncode", "choices"]
        ),
        inner | st.sampled_from(["assistant", "tool", "exit", "user", "Submitted"]),
        max_size=8,
    ),
    max_leaves=30,
)  # fmt: skip


@given(st.lists(JSON, max_size=6), JSON)
def test_no_trajectory_can_make_it_fail(messages, info):
    found = read_trajectory(json.dumps({"messages": messages, "info": info}).encode())
    for seq, event in enumerate(found.events, 1):
        EventRow(run_id="r", trial_id="t", seq=seq, **event)


@given(st.binary())
def test_no_bytes_can_make_it_fail(data):
    for each in (data, b"\x1f\x8b" + data):
        assert not read_trajectory(each).finished


# --- real runs


def bash(command, said="go"):
    return {"text": said, "calls": [{"name": "bash", "input": {"command": command}}]}


EDIT = bash("sed -i 's/a - b/a + b/' calc.py", "I will fix it.")
DONE = bash(SUBMIT, "Done.")


@pytest.fixture
def mini(program):
    return program(MiniSweAgent, required=True)


def test_it_edits_and_finishes(mini, run):
    ran = run(
        mini, {"steps": [EDIT, bash("python3 -B -c 'import calc; print(calc.add(1, 2))'"), DONE]}
    )
    assert (ran.report.finished, ran.report.stop_reason) == (True, "Submitted")
    assert ran.changed == ["calc.py"]
    assert [e["text"] for e in ran.report.events if e["kind"] == "tool_result"][1] == "3\n"
    assert ran.report.usage["turns"] == ran.session.seen["main_requests"] == 3
    assert ran.report.usage["input_tokens"] == 300


def test_it_answers(mini, run):
    ran = run(mini, {"steps": [bash(f"{SUBMIT}; echo 42")]}, prompt="What is six times seven?")
    assert ran.report.answer == "42\n"
    assert ran.changed == []
    assert "What is six times seven?" in json.dumps(ran.session.seen)


def test_its_step_limit_ends_it(mini, run):
    ran = run(mini, {"steps": [bash("echo hi")]}, keys="max_turns = 2")
    assert (ran.report.stop_reason, ran.report.usage["turns"]) == ("LimitsExceeded", 2)
    assert ran.report.events[-1] == {"kind": "limit", "text": "LimitsExceeded"}


def test_a_refused_key_is_a_crash(mini, run):
    ran = run(mini, {"steps": [{"error": {"status": 401, "message": "scripted 401"}}]})
    assert (ran.report.finished, ran.report.stop_reason) == (False, "AuthenticationError")
    assert "scripted 401" in ran.report.events[-1]["text"]
    assert ran.done.exit_code == 1


def test_stopped_in_a_command_it_keeps_what_it_had(mini, run):
    script = {"steps": [EDIT, bash("echo started > mark; sleep 600")]}
    ran = run(mini, script, stop_when=lambda told: b"sleep 600" in told)
    assert (ran.done.stopped_by, ran.report.finished) == ("cancelled", False)
    assert "calc.py" in ran.changed
    assert ran.report.usage["tool_calls"] == 1  # the first step was saved


def test_nothing_of_the_workspace_configures_it(mini, run, tmp_path):
    script = {"steps": [bash("printf 'agent: {step_limit: 1}' > mini.yaml; env; pwd"), DONE]}
    first = run(mini, script)
    told = next(e["text"] for e in first.report.events if e["kind"] == "tool_result")
    assert "AGENTEVAL_ANSWER" not in told
    assert told.rstrip().endswith("/workspace")
