"""`agenteval import-tasks`: tasks of other tools, converted on the command line."""

import json

import pytest

from agenteval.suite.foreign import TASK_FORMATS

THREE_PARTS = ("error: ", "Where: ", "Fix: ")
SUITE = """\
cases:
  - id: {id}
    prompt: Write ok into out.txt.
    trials: 2
    checks: [{{file_contains: {{path: out.txt, text: ok}}}}]
"""


@pytest.fixture
def chat(tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "one.yaml").write_text(SUITE.format(id="one"))
    return folder


@pytest.fixture
def harbor(tmp_path):
    """A Harbor task without an image, and another whose solution does nothing."""
    for name, solution in (("say-ok", "echo ok >/app/out.txt"), ("give-up", "exit 3")):
        folder = tmp_path / "harbor" / name
        for path, text in {
            "task.toml": "[verifier]\ntimeout_sec = 20\n",
            "instruction.md": "Write ok into /app/out.txt.\n",
            "tests/test.sh": "#!/bin/sh\ngrep -qx ok /app/out.txt\necho $((1 - $?)) >/logs/verifier/reward.txt\n",
            "solution/solve.sh": f"#!/bin/sh\n{solution}\n",
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    return tmp_path / "harbor"


def assert_mistake(done, *words):
    assert done.code == 2, done.err
    assert all(part in done.err for part in THREE_PARTS), done.err
    assert "Traceback" not in done.err
    assert all(word in done.err for word in words), done.err


def test_it_says_what_is_dropped_and_writes_tasks(cli, chat, tmp_path):
    done = cli("import-tasks", "chatcli", "theirs")
    assert done.code == 0, done
    assert "dropped: trials: repeats belong to a run: give it --repeat 2" in done.out
    assert "1 task written to evals" in done.out
    assert [row["id"] for row in cli("list", "tasks", "evals", "--json").json] == ["one"]
    ran = cli("run", "evals", "--agent", "command:echo ok >out.txt", "--json")
    assert ran.code == 0, ran
    assert cli("sql", "select passed from trials", "--json").json == [{"passed": True}]


def test_dry_run_writes_nothing(cli, chat, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    done = cli(
        "import-tasks", "chatcli", "theirs/one.yaml", "--dry-run", "--to", "new/suite", "--json"
    )
    assert done.code == 0, done
    assert done.json["written"] == []
    assert done.json["tasks"][0]["task_id"] == "one"
    assert {"key", "what", "why"} == done.json["tasks"][0]["notes"][0].keys()
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_nothing_is_overwritten(cli, chat, tmp_path):
    assert cli("import-tasks", "chatcli", "theirs", "--to", "mine").code == 0
    kept = (tmp_path / "mine/one/task.toml").read_bytes()
    (chat / "other.yaml").write_text(SUITE.format(id="two"))
    (chat / "one.yaml").write_text("name: x\n" + SUITE.format(id="one").replace("ok", "no"))
    assert cli("import-tasks", "chatcli", "theirs", "--to", "mine").code == 0  # x-one, other-two
    (chat / "other.yaml").unlink()
    assert_mistake(cli("import-tasks", "chatcli", "theirs", "--to", "mine"), "'one' already")
    assert (tmp_path / "mine/one/task.toml").read_bytes() == kept
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["one", "other-two", "x-one"]  # fmt: skip


def test_all_or_nothing_unless_bad_ones_may_be_skipped(cli, chat, tmp_path):
    (chat / "bad.yaml").write_text(SUITE.format(id="bad").replace("trials", "tirals"))
    assert_mistake(cli("import-tasks", "chatcli", "theirs"), "bad.yaml, case bad, field tirals")
    assert not (tmp_path / "evals").exists()
    done = cli("import-tasks", "chatcli", "theirs", "--skip-bad")
    assert done.code == 0, done
    assert "left out: theirs/bad.yaml, case bad, field tirals" in done.err
    assert (tmp_path / "evals/one-one/task.toml").is_file()


def test_solutions_are_run_in_the_sandbox(cli, harbor, tmp_path):
    done = cli("import-tasks", "harbor", "harbor", "--solve", "--json")
    assert done.code == 1, done
    assert done.json["solved"]["say-ok"] is None
    assert "changed nothing" in done.json["solved"]["give-up"]
    assert "+ok" in (tmp_path / "evals/say-ok/solution.patch").read_text()
    assert not (tmp_path / "evals/give-up/solution.patch").exists()
    assert cli("validate", "--tasks", "say-ok", "--repeat", 1).code == 0
    told = cli("import-tasks", "terminal-bench", "harbor/say-ok", "--solve", "--to", "again")
    assert told.code == 0
    assert "say-ok: solved" in told.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["harbour", "theirs"], "use 'harbor'"),
        (["tap", "theirs"], ", ".join(TASK_FORMATS)),
        (["chatcli", "gone"], "gone"),
        (["chatcli", "theirs", "--to", "theirs/one.yaml"], "this is a file"),
        (["harbor", "theirs"], "holds no task of harbor"),
        (["swe-bench", "theirs"], "holds no task of swe-bench"),
        (["neuralinverse", "theirs"], "holds no task of neuralinverse"),
        (["shell-harness", "theirs"], "config.sh"),
    ],
)
def test_mistakes_are_told_in_three_parts(cli, chat, tmp_path, arguments, told):
    assert_mistake(cli("import-tasks", *arguments), told)
    assert not (tmp_path / "evals").exists()


def test_a_suites_own_defaults_hold(cli, chat, tmp_path):
    """They are read when a task is tried out, so that it loads afterwards as well."""
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/suite.toml").write_text("[defaults]\nnonsense = 1\n")
    assert_mistake(cli("import-tasks", "chatcli", "theirs"), "nonsense")
    (tmp_path / "evals/suite.toml").write_text("[defaults]\nlanguage = 'shell'\n")
    assert json.loads(cli("import-tasks", "chatcli", "theirs", "--json").out)["left_out"] == []
    assert cli("list", "tasks", "evals", "--json").json[0]["language"] == "shell"
