"""A user's mistake: three parts on stderr, exit code 2, nothing written, no traceback."""

import json

import pytest

THREE_PARTS = ("error: ", "Where: ", "Fix: ")


def assert_mistake(done, *words):
    assert done.code == 2, done.err
    assert all(part in done.err for part in THREE_PARTS), done.err
    assert "Traceback" not in done.err
    assert all(word in done.err for word in words), done.err
    assert done.out == ""


def run(cli):
    return cli("run", "--agent", "scripted:noop")


def edit(suite, old, new, task="greeting"):
    path = suite / task / "task.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_unknown_key(cli, suite, tmp_path):
    edit(suite, 'category = "bugfix"', 'categroy = "bugfix"')
    assert_mistake(run(cli), "categroy", "category", "task.toml")
    assert not (tmp_path / ".agenteval").exists()


def test_missing_hidden_file(cli, suite):
    (suite / "greeting/hidden/expected.txt").unlink()
    assert_mistake(run(cli), "expected.txt")


def test_empty_suite(cli, tmp_path):
    (tmp_path / "evals").mkdir()
    assert_mistake(run(cli), "evals")


def test_no_suite_at_all(cli):
    assert_mistake(run(cli), "agenteval init")


def test_empty_prompt(cli, suite):
    edit(suite, "The greeting in app.txt has a typo, please mend it.", " ")
    assert_mistake(run(cli), "prompt")


def test_starting_repository_not_on_disk(cli, suite):
    (suite / "greeting/repo/app.txt").unlink()
    (suite / "greeting/repo").rmdir()
    assert_mistake(run(cli), "repo")


def test_duplicate_id(cli, suite):
    (suite / "farewell").rename(suite / "Greeting")
    edit(suite, '"farewell"', '"Greeting"', "Greeting")
    assert_mistake(run(cli), "reeting")


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd"])
def test_path_that_leaves_the_folder(cli, suite, path):
    edit(suite, 'hidden = ["expected.txt"]', f'hidden = ["{path}"]')
    assert_mistake(run(cli), path)


def test_malformed_import_writes_nothing(cli, tmp_path):
    records = [
        {"task_id": 0, "trial": 0, "reward": 1.0, "info": {}, "traj": []},
        {"task_id": 1, "trial": 0, "reward": "much", "info": {}, "traj": []},
    ]
    (tmp_path / "bad.json").write_text(json.dumps(records))
    assert_mistake(cli("import", "tau-bench", "bad.json"), "bad.json", "reward")
    assert (
        not list((tmp_path / ".agenteval/store/runs").glob("*"))
        if (tmp_path / ".agenteval").exists()
        else True
    )
    done = cli("import", "tau-bench", "bad.json", "--skip-bad", "--json")
    assert done.code == 0
    assert (done.json["trials"], len(done.json["skipped"])) == (1, 1)


def test_import_of_an_unknown_format(cli, tmp_path):
    (tmp_path / "x.json").write_text("[]")
    assert_mistake(cli("import", "tow-bench", "x.json"), "tau-bench")


def test_missing_store(cli):
    assert_mistake(cli("status"), "store")


def test_unknown_trial(cli, suite):
    run(cli)
    assert_mistake(cli("show", "nosuchtrial"), "nosuchtrial")


def test_unknown_report_parameter(cli, suite):
    run(cli)
    assert_mistake(cli("report", "run_report", "-p", "levle=0.9"), "levle", "level")


def test_mistyped_report_parameter(cli, suite):
    run(cli)
    assert_mistake(cli("report", "run_report", "-p", "level=high"), "level")


def test_unknown_report(cli, suite):
    run(cli)
    assert_mistake(cli("report", "rum_report"), "run_report")


@pytest.mark.parametrize(
    "agent",
    [
        "scripted:chance:2",
        "scripted:nothing",
        "nobody",
        "command:",
        "command:run {promt}",
        "command:./no-such-agent {prompt_file}",
        "command:sh -c 'echo {prompt}'",
        "command:cat <<E\n{prompt}\nE",
    ],
)
def test_agents_that_do_not_exist(cli, suite, agent):
    assert_mistake(cli("run", "--agent", agent), "--agent")


@pytest.mark.parametrize(
    "options",
    [
        ("--repeat", 0),
        ("--concurrency", 0),
        ("--run-id", "../x"),
        ("--sandbox", "none"),
        ("--tasks", "nothing-like-it"),
    ],
)
def test_options_that_cannot_mean_what_they_say(cli, suite, options):
    assert_mistake(cli("run", "--agent", "scripted:noop", *options))


def test_sql_mistake_is_told_plainly(cli, suite):
    run(cli)
    assert_mistake(cli("sql", "select nonsense from trials"), "nonsense")


def test_grep_with_a_broken_pattern(cli, suite):
    run(cli)
    assert_mistake(cli("grep", "("))
