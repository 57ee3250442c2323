"""`agenteval validate` writes tests.json, and only it takes a task without one."""

import json

import pytest

TASK = """
prompt = "Mend app.txt."
env = { PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1" }
[[checks]]
name = "hidden"
kind = "hidden-tests"
"""
TEST = "def test_fixed():\n    assert open('app.txt').read() == 'fixed\\n'\n"
PATCH = "--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-broken\n+fixed\n"


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "evals"
    for name, text in {
        "task.toml": TASK,
        "repo/app.txt": "broken\n",
        "hidden/test_app.py": TEST,
        "solution.patch": PATCH,
    }.items():
        path = folder / "one" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_it_records_what_is_missing_and_then_the_task_runs(cli, suite):
    refused = cli("list", "tasks", suite)
    assert refused.code == 2
    assert "agenteval validate --record" in refused.err
    done = cli("validate", suite, "--repeat", 1)
    assert done.code == 0, done
    assert "one: 1 test ids recorded in tests.json" in done.err
    assert json.loads((suite / "one/tests.json").read_text()) == {
        "hidden": ["test_app::test_fixed"]
    }
    assert cli("list", "tasks", suite).code == 0


def test_what_is_there_is_kept_unless_asked(cli, suite):
    (suite / "one/tests.json").write_text('{"hidden": ["test_app::test_old"]}')
    kept = cli("validate", suite, "--repeat", 1)
    assert kept.code == 1
    assert "missing: test_old; not recorded: test_fixed" in kept.err
    assert "test_old" in (suite / "one/tests.json").read_text()
    assert cli("validate", suite, "--repeat", 1, "--record").code == 0
    assert "test_fixed" in (suite / "one/tests.json").read_text()


def test_what_cannot_be_recorded_is_told_and_fails(cli, suite):
    (suite / "one/hidden/test_app.py").write_text(TEST + "\n\ndef test_b():\n    assert 0\n")
    done = cli("validate", suite, "--repeat", 1, "--json")
    assert done.code == 1
    assert [row["solution"] for row in done.json["solutions"]] == ["recording"]
    assert "failed: test_b" in done.err
    assert not (suite / "one/tests.json").exists()


def test_ids_that_vanish_are_named(cli, suite):
    (suite / "one/tests.json").write_text('{"hidden": ["test_app::test_old"]}')
    done = cli("validate", suite, "--repeat", 1, "--record", "--json")
    assert done.json["vanished"] == {"one": {"hidden": ["test_app::test_old"]}}
    assert "one: no longer recorded for hidden: test_app::test_old" in done.err


@pytest.mark.parametrize(("flags", "code"), [([], 2), (["--record"], 0)])
def test_ids_of_another_check_are_only_dropped_when_asked(cli, suite, flags, code):
    """One check has no ids yet; the other one's list holds a test that does not run here."""
    second = '[[checks]]\nname = "second"\nkind = "hidden-tests"\nfiles = ["test_app.py"]\n'
    (suite / "one/task.toml").write_text(TASK + second)
    before = json.dumps({"hidden": ["test_app::test_lost", "test_app::test_fixed"]})
    (suite / "one/tests.json").write_text(before)
    done = cli("validate", suite, "--repeat", 1, *flags)
    assert (done.code, "test_lost" in done.err) == (code, True)
    assert ((suite / "one/tests.json").read_text() == before) == bool(code)
