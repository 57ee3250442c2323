"""`--variant`, suites that are Python modules, and warnings about output that can be forged."""

import os
import shutil
import subprocess

import pytest

from agenteval.agents import make_agent
from agenteval.errors import MissingProgram

TASK = """
title = "Mend it"
prompt = "Mend app.txt."

[[checks]]
kind = "command"
name = "fixed"
run = "grep -q fixed app.txt"
"""
MODULE = """
from agenteval.agents import AgentReport, Launch
from agenteval.suite import SuiteDefinition, TaskDefinition


class Own:
    name = "own"

    def version(self):
        return None

    def inputs(self):
        return {}

    def launch(self, job, view):
        return Launch(["sh", "-c", "echo fixed > app.txt"])

    def report(self, job, output):
        return AgentReport("done", finished=output.exit_code == 0)


suite = SuiteDefinition(
    name="kit",
    tasks=[
        TaskDefinition(
            id="one", prompt="Mend it.", repo="one/repo",
            checks=[{"kind": "command", "run": "grep -q fixed app.txt"}],
        )
    ],
)
AGENT
"""


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "evals"
    (folder / "one/repo").mkdir(parents=True)
    (folder / "one/repo/app.txt").write_text("broken\n")
    (folder / "one/task.toml").write_text(TASK)
    (folder / "variants").mkdir()
    (folder / "variants/plan.toml").write_text(
        'description = "A plan first."\nfiles = { "PLAN.md" = "plan.md" }\n'
    )
    (folder / "variants/plan.md").write_text("Plan.\n")
    return folder


PROGRAM = "command:test -f PLAN.md && echo fixed > app.txt || true"


def test_arms_with_and_without_a_variant(cli, suite):
    done = cli("run", "evals", "--agent", PROGRAM, "--variant", "none", "--variant", "plan", "--run-id", "r", "--no-sandbox")  # fmt: skip
    assert done.code == 0, done.err
    rows = cli("sql", "select arm, variant, status from trials order by arm", "--json").json
    assert rows == [
        {"arm": "none", "variant": None, "status": "fail"},
        {"arm": "plan", "variant": "plan", "status": "pass"},
    ]


def test_variants_are_listed(cli, suite):
    (row,) = cli("list", "variants", "evals", "--json").json
    assert (row["variant"], row["description"], row["sets"], row["hands over"]) == (
        "plan",
        "A plan first.",
        ["files"],
        [],
    )


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("plna", "There is no variant 'plna'"),
        ("v=git:HEAD:.claude", "no git repository"),
        ("v=HEAD", "no form"),
    ],
)
def test_a_variant_that_there_is_not(cli, suite, name, what):
    done = cli("run", "evals", "--agent", "scripted:noop", "--variant", name)
    assert done.code == 2
    assert what in done.err
    assert "Fix: " in done.err


def test_a_variants_own_variables_are_handed_over(cli, suite, monkeypatch):
    monkeypatch.setenv("PLAN_ACCESS", "a-long-secret-value-31415")
    (suite / "variants/plan.toml").write_text('pass_env = ["PLAN_ACCESS"]\n')
    told = 'command:echo "got $PLAN_ACCESS" > "$AGENTEVAL_ANSWER"'
    done = cli("try", "one", "--suite", "evals", "--agent", told, "--variant", "plan", "--no-sandbox")  # fmt: skip
    assert "got [PLAN_ACCESS]" in done.out
    assert "31415" not in done.out + done.err


def test_try_refuses_what_a_run_would(cli, suite):
    check = '[[checks]]\nkind = "max-turns"\nmax = 3\nname = "short"\n'
    (suite / "one/task.toml").write_text(TASK + check)
    done = cli("try", "one", "--suite", "evals", "--agent", "command:true", "--no-sandbox")
    assert done.code == 2
    assert "nobody meters the arm command:true" in done.err


class TestModule:
    def test_it_runs_like_any_suite(self, cli, suite):
        (suite / "suite.py").write_text(MODULE.replace("AGENT", ""))
        done = cli("run", "evals/suite.py", "--agent", "scripted:noop", "--run-id", "r", "--no-sandbox")  # fmt: skip
        assert done.code == 0, done.err
        assert cli("sql", "select suite, status from trials", "--json").json == [
            {"suite": "kit", "status": "fail"}
        ]
        assert cli("list", "tasks", "evals/suite.py", "--json").json[0]["id"] == "one"

    def test_its_own_agent_runs_it(self, cli, suite):
        (suite / "suite.py").write_text(MODULE.replace("AGENT", "agent = Own()"))
        done = cli("run", "evals/suite.py", "--run-id", "r", "--no-sandbox")
        assert done.code == 0, done.err
        assert cli("sql", "select agent, status from trials", "--json").json == [
            {"agent": "module", "status": "pass"}
        ]

    def test_without_any_agent_one_must_be_named(self, cli, suite):
        (suite / "suite.py").write_text(MODULE.replace("AGENT", ""))
        assert "No agent is named" in cli("run", "evals/suite.py").err

    def test_its_own_agent_is_not_several_arms(self, cli, suite):
        (suite / "suite.py").write_text(MODULE.replace("AGENT", "agent = Own()"))
        done = cli("run", "evals/suite.py", "--variant", "none", "--variant", "plan")
        assert done.code == 2
        assert "all variants would run through it" in done.err

    def test_a_run_of_it_can_be_graded_again(self, cli, suite):
        (suite / "suite.py").write_text(MODULE.replace("AGENT", "agent = Own()"))
        cli("run", "evals/suite.py", "--run-id", "r", "--no-sandbox")
        done = cli("regrade", "r", "--no-sandbox")
        assert done.code == 0, done.err


def test_output_that_can_be_forged_is_said(cli, suite):
    check = (
        '[[checks]]\nkind = "command"\nname = "prints"\nrun = "sh run.sh"\nstdout_contains = "ok"\n'
    )
    (suite / "one/task.toml").write_text(TASK + check)
    told = "one: prints: code of the workspace runs there and can print what the check looks for"
    done = cli("list", "tasks", "evals", "--json")
    assert f"warning: {told}" in done.err
    assert done.json[0]["forgeable_checks"] == ["prints"]
    shutil.rmtree(suite / "variants")
    assert told in cli("validate", "evals", "--repeat", "1", "--no-sandbox").err


def test_variants_of_the_repository_here_are_crossed_with_agents(cli, suite):
    (suite.parent / ".claude").mkdir()
    (suite.parent / ".claude/RULES.md").write_text("old\n")
    own = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", ".claude"],
        [*own, "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=suite.parent, check=True)
    (suite.parent / ".claude/RULES.md").write_text("new\n")
    follows = "command:grep -rq new .claude && echo fixed > app.txt || true"
    done = cli(
        *("run", "evals", "--run-id", "r", "--no-sandbox", "--agent", follows, "--agent", "scripted:noop"),
        *("--variant", "old=git:main:.claude", "--variant", "new=worktree:.claude", "--variant", "none"),
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = cli("sql", "select agent, variant, status from trials order by all", "--json").json
    assert [(row["agent"], row["variant"], row["status"]) for row in rows] == [
        ("command", "new", "pass"), ("command", "old", "fail"), ("command", None, "fail"),
        ("scripted", "new", "fail"), ("scripted", "old", "fail"), ("scripted", None, "fail"),
    ]  # fmt: skip


@pytest.fixture
def codex():
    try:
        make_agent("codex")
    except MissingProgram as error:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))
    return "codex"


@pytest.fixture
def claudes_rules(suite):
    """A repository whose instructions are for Claude Code, at two states."""
    (suite.parent / ".claude").mkdir()
    (suite.parent / ".claude/CLAUDE.md").write_text("old\n")
    own = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", ".claude"],
        [*own, "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=suite.parent, check=True)
    (suite.parent / ".claude/CLAUDE.md").write_text("new\n")


STATES = ("--variant", "old=git:main:.claude", "--variant", "new=worktree:.claude")


def test_arms_that_differ_by_nothing_their_agent_reads_are_refused(cli, claudes_rules, codex, tmp_path):  # fmt: skip
    done = cli("run", "evals", "--agent", codex, "--model", "scripted:reference", "--store", "kept", *STATES)  # fmt: skip
    assert done.code == 2
    assert "The arms of codex differ only by variants of which none gives it anything: old holds .claude/CLAUDE.md; new holds" in done.err  # fmt: skip
    assert "Fix: " in done.err
    assert not (tmp_path / "kept").exists()


def test_a_variant_that_gives_its_agent_nothing_is_warned_of(cli, claudes_rules, codex):
    told = ("--model", "scripted:reference", "--store", "kept", "--run-id", "r", "--dry-run")
    done = cli("run", "evals", "--agent", codex, *told, *STATES[2:])
    assert done.code == 0, done.err
    assert "warning: the variant new gives codex nothing: it holds .claude/CLAUDE.md" in done.err
    for agent in ("scripted:noop", "command:true"):
        done = cli("run", "evals", "--agent", agent, "--store", "kept", "--dry-run", *STATES)
        assert (done.code, "gives" in done.err) == (0, False), done.err
