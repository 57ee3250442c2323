"""The path a newcomer walks: list, validate, try, run, status, show, grep, sql, report."""

import shutil

import pytest

from agenteval.engine.metering import traffic_artifact
from agenteval.gateway import Exchange, Traffic
from agenteval.gateway.wire.protocol import ToolCall, Usage
from agenteval.records import StoreFolder

RUN = (
    "run",
    "--agent",
    "scripted:reference",
    "--agent",
    "scripted:noop",
    "--repeat",
    2,
    "--run-id",
    "first",
)


def test_validate_says_whether_every_task_is_real(cli, suite):
    done = cli("validate", "--repeat", 2, "--json")
    assert done.code == 0
    report = done.json
    assert report["ok"]
    assert {row["solution"] for row in report["solutions"]} == {
        "untouched",
        "noop",
        "other",
        "reference",
    }


def test_validate_catches_a_task_that_a_wrong_solution_passes(cli, suite):
    (suite / "greeting/task.toml").write_text(
        (suite / "greeting/task.toml")
        .read_text()
        .replace("cmp app.txt expected.txt", "! grep -q helo app.txt")
    )
    done = cli("validate", "--repeat", 1)
    assert done.code == 1
    assert "WRONG" in done.out
    assert "other" in done.err


def test_try_shows_diff_checks_and_outcome(cli, suite):
    done = cli("try", "greeting", "--agent", "scripted:wrong:other")
    assert done.code == 0
    assert "+goodbye world" in done.out
    assert "FAIL" in done.out
    assert "fail; ended by agent" in done.out


def test_try_streams_what_a_command_prints(cli, suite):
    done = cli("try", "greeting", "--agent", "command:echo working; sed -i s/helo/hello/ app.txt")
    assert "working" in done.out
    assert "--- pass" in done.out


def test_run_status_show_grep_sql(cli, suite):
    done = cli(*RUN)
    assert done.code == 0
    assert "scripted:reference" in done.out
    assert "8 trials" in done.err
    again = cli(*RUN, "--json")
    assert (again.json["held_before"], again.json["written"]) == (8, 0)

    status = cli("status", "--json").json
    assert (status["state"], status["done"], status["status"]) == (
        "complete",
        8,
        {"fail": 4, "pass": 4},
    )

    rows = cli(
        "sql",
        "select trial_id, arm, passed from trials where task_id = $task order by arm",
        "-p",
        "task=greeting",
        "--json",
    ).json
    assert [row["passed"] for row in rows] == [False, False, True, True]
    lost, won = rows[0]["trial_id"], rows[-1]["trial_id"]
    assert "+hello world" in cli("show", won, "--diff").out
    assert "FAIL" in cli("show", lost[:8]).out

    hits = cli("grep", "hello", "--in", "patch", "--json").json
    assert {hit["arm"] for hit in hits} == {"scripted:reference"}
    assert len(hits) == 4


def test_show_requests(cli, suite, tmp_path):
    cli(*RUN)
    trial = cli("sql", "select run_id, trial_id from trials limit 1", "--json").json[0]
    assert "no request" in cli("show", trial["trial_id"], "--requests").out
    exchange = Exchange(
        seq=1, started=1.0, wire="chat", kind="main", model="m-1", usage=Usage(12, None, 0, 7),
        status=429, planted="429", error="planted: 429", calls=(ToolCall("shell", "c1", {}),),
    )  # fmt: skip
    store = StoreFolder(tmp_path / ".agenteval/store")
    shutil.rmtree(store.parquet)  # else what is sealed would be read
    folder = store.run(trial["run_id"])
    for name, data in traffic_artifact(Traffic(exchanges=(exchange,)), only_way=True).items():
        (folder.attempt(trial["trial_id"], 1) / name).write_bytes(data)
    (row,) = cli("show", trial["trial_id"], "--json").json["requests"]
    assert (row["kind"], row["http_status"], row["tools_called"]) == ("main", 429, ["shell"])
    assert (row["cache_read_tokens"], row["cache_write_tokens"], row["cost_usd"]) == (None, 0, None)
    shown = cli("show", trial["trial_id"], "--requests").out
    for part in ("m-1", "429", "12 ? 0 7", "shell", "planted: 429"):
        assert part in shown
    assert cli("grep", "m-1", "--in", "traffic", "--json").json


def test_run_json_is_one_document_and_nothing_else(cli, suite):
    done = cli(*RUN, "--json")
    assert done.json["planned"] == 8
    assert {row["arm"] for row in done.json["scoreboard"]} == {
        "scripted:reference",
        "scripted:noop",
    }


def test_dry_run_runs_and_writes_nothing(cli, suite, tmp_path):
    done = cli(*RUN, "--dry-run")
    assert done.code == 0
    assert "nothing was run" in done.err
    assert not (tmp_path / ".agenteval").exists()


def test_a_run_is_not_resumed_under_another_plan(cli, suite):
    cli(*RUN)
    done = cli("run", "--agent", "scripted:noop", "--run-id", "first")
    assert done.code == 2
    assert "arms were" in done.err


def test_list(cli, suite):
    cli(*RUN)
    assert {row["id"] for row in cli("list", "--json").json} == {"greeting", "farewell"}
    agents = {row["agent"] for row in cli("list", "agents", "--json").json}
    assert {"command", "module", "scripted", "claude-code", "codex", "mini-swe-agent"} <= agents
    assert [row["run_id"] for row in cli("list", "runs", "--json").json] == ["first"]
    assert len(cli("list", "arms", "--run", "first", "--json").json) == 2
    assert "run_report" in {row["report"] for row in cli("list", "reports", "--json").json}


def test_report_of_the_newest_run(cli, suite, tmp_path):
    cli(*RUN)
    done = cli("report", "--markdown", tmp_path / "out.md", "--html", tmp_path / "out.html")
    assert done.code == 0, done.err
    assert "scripted:reference" in (tmp_path / "out.md").read_text()
    assert "<html" in (tmp_path / "out.html").read_text()


def test_without_isolation_every_record_says_so(cli, suite):
    done = cli("run", "--agent", "scripted:noop", "--no-sandbox", "--json")
    assert done.code == 0
    assert cli("sql", "select distinct sandbox from trials", "--json").json == [
        {"sandbox": "plain"}
    ]


@pytest.mark.parametrize("what", ["task", "suite", "trials", "checks"])
def test_schema(cli, what):
    assert cli("schema", what, "--json").json


def test_init_writes_a_suite_that_loads(cli, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'x'\n[tool.pytest.ini_options]\n[tool.ruff]\n"
    )
    done = cli("init", "--json")
    assert done.code == 0
    assert "pytest" in done.json["test"]
    assert cli("list", "--json").code == 0
    assert cli("init").code == 2


def edit(suite, task, old, new):
    path = suite / task / "task.toml"
    path.write_text(path.read_text().replace(old, new))


def test_a_run_of_broken_machinery_is_loud_and_not_a_success(cli, suite, tmp_path):
    for task in ("greeting", "farewell"):
        edit(suite, task, "[[checks]]", 'setup = ["echo no such mirror >&2; exit 3"]\n[[checks]]')
    done = cli("run", "--agent", "scripted:reference", "--run-id", "broken")
    assert done.code == 1
    assert "2 of 2 trials failed in the machinery" in done.err
    assert "no such mirror" in done.err
    page = cli("report", "--run", "broken", "--markdown", tmp_path / "broken.md")
    assert page.code == 0, page.err
    assert "setup_failed" in (tmp_path / "broken.md").read_text()


def test_a_run_whose_rest_would_be_skipped_again_is_complete(cli, suite):
    edit(suite, "greeting", "[[checks]]", 'requires = ["no-such-program"]\n[[checks]]')
    assert cli("run", "--agent", "scripted:reference").code == 0
    status = cli("status", "--json").json
    assert (status["state"], status["left_out"]) == ("complete", {"requires_missing": 1})


def test_a_program_that_cannot_start_is_named(cli, suite):
    done = cli("run", "--agent", "command:no-such-program-here", "--agent", "scripted:noop")
    assert "ended with exit code 127" in done.err


def test_an_interrupted_plan_says_how_to_go_on(cli, suite):
    cli("run", "--agent", "scripted:noop", "--run-id", "whole")
    command = cli("status", "whole", "--json").json["command"]
    assert command == "agenteval run --agent scripted:noop --run-id whole"
