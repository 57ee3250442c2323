"""`agenteval validate`: remarks beside pass and fail, and tasks that are known already."""

import pytest


def test_an_unchanged_task_is_not_tried_again_unless_asked(cli, suite):
    first = cli("validate", "--repeat", 1, "--json").json
    assert (first["ok"], first["tries"], first["remembered"]) == (True, 8, [])
    second = cli("validate", "--repeat", 1, "--json").json
    assert (second["ok"], second["tries"]) == (True, 0)
    assert second["remembered"] == ["farewell", "greeting"]
    assert cli("validate", "--repeat", 2, "--json").json["tries"] == 16
    assert cli("validate", "--repeat", 1, "--again", "--json").json["tries"] == 8
    (suite / "greeting/prompt.md").unlink(missing_ok=True)
    file = suite / "greeting/task.toml"
    file.write_text(file.read_text().replace("please mend it", "mend it, please"))
    third = cli("validate", "--repeat", 1)
    assert third.code == 0
    assert "2 tasks, 4 tries" in third.out
    assert "not tried again: farewell" in third.err


def test_a_task_that_is_no_real_test_is_never_remembered(cli, suite):
    (suite / "greeting/wrong/other.patch").write_bytes(
        (suite / "greeting/solution.patch").read_bytes()
    )
    for _ in range(2):
        done = cli("validate", "--repeat", 1, "--json")
        assert done.code == 1
        assert [r["solution"] for r in done.json["solutions"] if r["verdict"] == "WRONG"] == ["other"]  # fmt: skip


def test_leaks_idle_checks_and_time_are_told(cli, suite):
    folder = suite / "greeting"
    (folder / "hidden/test_that.py").write_text("def test_that_the_greeting_is_right(): ...\n")
    (folder / "repo/TODO").write_text("test_that_the_greeting_is_right fails\n")
    file = folder / "task.toml"
    text = file.read_text().replace('["expected.txt"]', '["expected.txt", "test_that.py"]')
    file.write_text(text + '[[checks]]\nkind = "command"\nname = "idle"\nrun = "true"\n')
    done = cli("validate", "--tasks", "greeting", "--repeat", 1)
    assert done.code == 1
    assert "greeting: LEAK: TODO holds 'test_that_the_greeting_is_right'" in done.out
    assert "the check idle passes everywhere" in done.out
    assert "1 task with a leak" in done.out
    found = cli("validate", "--tasks", "greeting", "--repeat", 1, "--json").json
    assert not found["ok"]
    (row,) = found["assessments"]
    assert (row["always_pass"], row["untold"], len(row["leaks"])) == (["idle"], [], 1)
    assert row["grade_s"] > 0


def test_a_skipped_task_is_listed_and_nothing_of_it_is_started(cli, suite):
    file = suite / "greeting/task.toml"
    file.write_text('skip = "needs a printer"\nsetup = ["exit 3"]\n' + file.read_text())
    done = cli("validate", "--repeat", 1)
    assert done.code == 0, done
    assert "greeting: not validated: skipped, needs a printer" in done.out
    found = cli("validate", "--repeat", 1, "--again", "--json").json
    assert found["skipped"] == {"greeting": "needs a printer"}
    assert {row["task"] for row in found["solutions"]} == {"farewell"}
    only = cli("validate", "--tasks", "greeting", "--repeat", 1)
    assert (only.code, "nothing was validated" in only.out) == (0, True)


def test_an_experiment_names_suite_and_tasks(cli, suite, tmp_path):
    file = tmp_path / "experiment.toml"
    file.write_text('suite = "evals"\ntasks = "farewell"\nagents = ["scripted:noop"]\n')
    found = cli("validate", file, "--repeat", 1, "--json").json
    assert {row["task"] for row in found["solutions"]} == {"farewell"}


@pytest.mark.parametrize(
    "options", [("--jobs", 0), ("--jobs", -3), ("--sandbox", "bwrap", "--no-sandbox")]
)
def test_nonsense_is_refused(cli, suite, options):
    done = cli("validate", suite, *options)
    assert done.code == 2
    assert options[0] in done.err


def test_protected_files_that_no_check_holds_are_told_and_fail_nothing(cli, suite):
    file = suite / "greeting/task.toml"
    text = 'protected = ["a/**", "b.txt"]\n' + file.read_text()
    file.write_text(text + '[[checks]]\nkind = "protected"\nglobs = ["a/"]\n')
    done = cli("validate", "--tasks", "greeting", "--repeat", 1)
    assert done.code == 0, done
    assert "held by no check of kind protected or files-changed: b.txt\n" in done.out
