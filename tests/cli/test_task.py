"""`agenteval task`: making tasks from nothing, from commits and from failures, on the command line."""

import os
import pty
import subprocess
import sys

import pytest

from agenteval.cli.task import COMMANDS
from agenteval.records import bundled
from agenteval.suite import load_suite

THREE_PARTS = ("error: ", "Where: ", "Fix: ")
SHELF = "def read(text):\n    return text.split('\\n')\n"
FIXED = "def read(text):\n    return text.split('\\n') if text else []\n"
TEST = "from shelf import read\n\n\ndef test_empty():\n    assert read('') == []\n"


def git(folder, *arguments):
    names = {f"GIT_{role}_{key}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}  # fmt: skip
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **names}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder, message, **files):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "Begin", shelf=SHELF)
    commit(folder, "Note", notes="x = 1\n")
    commit(folder, "Mend `read` of empty files", shelf=FIXED, test_shelf=TEST)
    return folder


def assert_mistake(done, *words):
    assert done.code == 2, done.err
    assert all(part in done.err for part in THREE_PARTS), done.err
    assert "Traceback" not in done.err
    assert all(word in done.err for word in words), done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(cli, name):
    done = cli("task", name, "--help")
    assert done.code == 0
    assert f"Example: agenteval task {name}" in done.out


def test_new_says_what_is_missing_and_the_task_loads(cli, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app/main.py").write_text("x = 1\n")
    done = cli("task", "new", "one", "--category", "feature", "--repo", "app", "--json")
    assert done.code == 0, done
    assert any("solution.patch" in line for line in done.json["missing"])
    rows = cli("list", "tasks", "evals", "--json").json
    assert [(row["id"], row["category"], row["language"]) for row in rows] == [
        ("one", "feature", "python")
    ]
    assert_mistake(cli("task", "new", "one"), "already", "evals/one")


def test_new_refuses_what_it_does_not_know(cli, tmp_path):
    assert_mistake(cli("task", "new", "one", "--category", "bug"), "bugfix")
    assert_mistake(cli("task", "new", "one", "--kind", "joke"), "pressure")
    assert_mistake(cli("task", "new", "one", "--prompt-file", "missing.md"), "missing.md")
    assert_mistake(cli("task", "new", "a/b"), "a/b")
    assert not (tmp_path / "evals").exists()


def test_new_asks_on_a_terminal(tmp_path):
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agenteval", "task", "new", "one"],
        cwd=tmp_path, stdin=slave, stdout=subprocess.PIPE, stderr=slave,
    )  # fmt: skip
    os.close(slave)
    for answer in ("A title", "bog", "debug", "", "Mend it.", ""):
        os.write(master, answer.encode() + b"\n")
    out, _ = process.communicate(timeout=120)
    os.close(master)
    assert process.returncode == 0, out
    text = (tmp_path / "evals/one/task.toml").read_text()
    assert 'title = "A title"' in text
    assert 'category = "debug"' in text
    assert (tmp_path / "evals/one/prompt.md").read_text() == "Mend it."


def test_solve_saves_and_validates(cli, suite):
    (suite / "greeting/solution.patch").unlink()
    done = cli("task", "solve", "greeting", "--command", "echo hello world > app.txt", "--json")
    assert done.code == 0, done
    assert done.json["validated"] is True
    assert "+hello world" in (suite / "greeting/solution.patch").read_text()


def test_solve_loses_nothing(cli, suite, tmp_path):
    before = (suite / "greeting/solution.patch").read_bytes()
    done = cli("task", "solve", "greeting", "--command", "echo x > app.txt; exit 4")
    assert done.code == 1
    assert (suite / "greeting/solution.patch").read_bytes() == before
    kept = tmp_path / ".agenteval/solutions/greeting.unfinished-1.patch"
    assert b"+x" in kept.read_bytes()
    assert (tmp_path / ".agenteval/.gitignore").read_text() == "*\n"
    assert cli("task", "solve", "greeting", "--command", "true").code == 1
    assert (suite / "greeting/solution.patch").read_bytes() == before
    wrong = cli("task", "solve", "greeting", "--command", "echo x > app.txt")
    assert wrong.code == 1
    assert "reference: should pass, came to fail" in wrong.err
    assert (tmp_path / ".agenteval/solutions/greeting.before-1.patch").read_bytes() == before
    assert_mistake(cli("task", "solve", "gone", "--command", "true"), "gone")


def test_from_commit_makes_a_task_that_runs(cli, project):
    done = cli("task", "from-commit", project, "HEAD", "--repeat", 1)
    assert done.code == 0, done
    assert "fail before and pass after: 1 test" in done.out
    assert "[[read]]" in done.out
    assert "wrote evals/mend-read-of-empty-files" in done.out
    ran = cli("run", "--agent", "scripted:reference", "--json")
    assert ran.code == 0, ran
    shown = cli("sql", "select passed from trials", "--json")
    assert shown.json == [{"passed": True}]


def test_from_commit_takes_the_issue_an_id_and_globs(cli, project, tmp_path):
    (tmp_path / "issue.md").write_text("Empty files have a line.\n")
    done = cli(
        "task", "from-commit", project, "HEAD", "--issue", "issue.md", "--id", "empty",
        "--tests", "test_*.py", "--suite", "mine", "--repeat", 1, "--json",
        "--runner", "python3 -m pytest --junitxml={junit} {files}",
    )  # fmt: skip
    assert done.code == 0, done
    assert done.json["fail_to_pass"] == ["test_shelf::test_empty"]
    assert (tmp_path / "mine/empty/prompt.md").read_text() == "Empty files have a line.\n"
    assert "{junit}" in (tmp_path / "mine/empty/task.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["project", "HEAD~1"], "changes no tests"),
        (["project", "HEAD~2"], "no parent"),
        (["project", "nonsense"], "no commit"),
        (["nowhere", "HEAD"], "no git repository"),
        (["project", "HEAD", "--runner", "make test"], "{junit}"),
        (["project", "HEAD", "--repeat", "0"], "--repeat"),
        (["project", "HEAD", "--timeout", "0"], "--timeout"),
        (["project", "HEAD", "--issue", "gone.md"], "gone.md"),
        (["project", "HEAD", "--tests", "shelf.py"], "no source"),
    ],
)
def test_from_commit_says_why_not(cli, project, tmp_path, arguments, told):
    if "HEAD" in arguments and "--tests" in arguments:
        arguments = [*arguments, "--tests", "test_shelf.py"]
    assert_mistake(cli("task", "from-commit", *arguments), told)
    assert not (tmp_path / "evals").exists()


def test_mine_makes_the_best_and_says_why_not_the_others(cli, project, tmp_path):
    dry = cli("task", "mine", project, "--dry-run")
    assert dry.code == 0, dry
    assert "a candidate" in dry.out
    assert "1 it changes no tests" in dry.out
    assert not (tmp_path / "evals").exists()
    done = cli("task", "mine", project, "--max", 2, "--repeat", 1, "--json")
    assert done.code == 0, done
    rows = {row["subject"]: row for row in done.json["commits"]}
    assert done.json["made"] == 1
    assert rows["Mend `read` of empty files"]["task"] == "mend-read-of-empty-files"
    assert rows["Note"]["verdict"] == "it changes no tests"
    assert rows["Begin"]["verdict"] == "it has no parent to start from"
    assert (tmp_path / "evals/mend-read-of-empty-files/tests.json").exists()


def test_mine_with_nothing_to_make(cli, project):
    assert_mistake(cli("task", "mine", project, "--until", "1999-01-01"), "--since")
    assert_mistake(cli("task", "mine", project, "--max", 0), "--max")
    done = cli("task", "mine", project, "--rev", "HEAD~1")
    assert done.code == 1
    assert "0 tasks made" in done.out


def test_a_failure_at_a_bundled_task_becomes_a_task_of_ones_own(cli, tmp_path):
    chosen = ("bundled", "--tasks", "gym-switch-billing", "--agent", "scripted:noop")
    assert cli("run", *chosen, "--run-id", "r1").code == 0
    (row,) = cli("sql", "select trial_id from trials", "--json").json
    done = cli("task", "from-failure", "r1", row["trial_id"])
    assert done.code == 0, done
    assert not (bundled("tasks") / "gym-switch-billing-seen").exists()
    (folder,) = tmp_path.rglob("gym-switch-billing-seen")
    assert folder.parent.name == "evals"
    (task,) = load_suite(folder, unrecorded=True).tasks
    assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" in task.task.env


def test_from_failure_makes_a_task_of_what_was_seen(cli, suite):
    assert cli("run", "--agent", "scripted:wrong:other", "--agent", "scripted:reference", "--run-id", "r1").code == 0  # fmt: skip
    rows = cli("sql", "select trial_id, task_id, passed from trials order by task_id, passed", "--json").json  # fmt: skip
    failed = next(row for row in rows if row["task_id"] == "greeting" and not row["passed"])
    passed = next(row for row in rows if row["passed"])
    done = cli("task", "from-failure", "r1", failed["trial_id"], "--json")
    assert done.code == 0, done
    assert (done.json["task_id"], done.json["failing"]) == ("greeting-seen", ["greeting"])
    folder = suite / "greeting-seen"
    assert "+goodbye world" in (folder / "wrong/observed.patch").read_text()
    assert cli("validate", "--tasks", "greeting-seen", "--repeat", 1).code == 0
    again = cli("task", "from-failure", "r1", failed["trial_id"][:6])
    assert "what you must decide" in again.out
    assert (suite / "greeting-seen-2").is_dir()
    assert_mistake(cli("task", "from-failure", "r1", passed["trial_id"]), "passed")
    assert_mistake(cli("task", "from-failure", "r2", failed["trial_id"]), "r2")
    assert_mistake(cli("task", "from-failure", "r1", "zzz"), "zzz")
