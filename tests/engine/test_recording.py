"""Recording the ids that the reference solution passes."""

import pytest

from agenteval.engine import needs_recording, record_tests
from agenteval.sandbox import choose_sandbox
from agenteval.suite import load_suite, write_recorded

ENV = 'env = { PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1" }\n'
CHECK = '[[checks]]\nname = "hidden"\nkind = "hidden-tests"\n'
GOOD = "def test_fixed():\n    assert open('app.txt').read() == 'fixed\\n'\n"
PATCH = "--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-broken\n+fixed\n"


@pytest.fixture
def task(tmp_path):
    """A task on disk; gives a function that loads it."""

    def make(hidden=GOOD, checks=CHECK, keys=ENV, patch=PATCH):
        for name, text in {
            "task.toml": keys + checks,
            "prompt.md": "Mend it.",
            "repo/app.txt": "broken\n",
            "hidden/test_app.py": hidden,
            "solution.patch": patch,
        }.items():
            path = tmp_path / "suite/one" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return load_suite(tmp_path / "suite", unrecorded=True).tasks[0]

    return make


def record(task, **keys):
    return record_tests([task], sandbox=choose_sandbox(), **keys)


def test_what_the_reference_passes_is_recorded(task):
    made = task()
    assert needs_recording(made)
    (done,) = record(made)
    assert (done.tests, done.problem) == ({"hidden": ("test_app::test_fixed",)}, None)
    write_recorded(made.folder, done.tests)
    assert not needs_recording(load_suite(made.folder).tasks[0])


def test_old_ids_have_no_say(task):
    made = task()
    write_recorded(made.folder, {"hidden": ["test_app::test_old"]})
    (done,) = record(load_suite(made.folder).tasks[0], repeat=1)
    assert done.tests == {"hidden": ("test_app::test_fixed",)}


def test_tasks_without_such_checks_are_left_out(task):
    assert record(task(checks='[[checks]]\nkind = "command"\nrun = "true"\n')) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"hidden": GOOD + "\ndef test_b():\n    assert 0\n"}, "hidden: 1 of 2 passed; failed: test_b"),
        ({"hidden": GOOD + "\nimport pytest\n@pytest.mark.skip\ndef test_b(): pass\n"}, "skipped: test_b"),
        ({"hidden": GOOD + "\nimport uuid, pytest\n@pytest.mark.parametrize('x', [str(uuid.uuid4())])\ndef test_b(x): pass\n"}, "differ from try to try: test_app::test_b["),
        ({"hidden": "import pytest\npytestmark = pytest.mark.xfail\n" + GOOD}, "a test that must fail came out green"),
        ({"hidden": GOOD + "raise OSError\n"}, "error: test_app"),
        ({"keys": ENV + 'requires = ["no-such-program"]\n'}, "not on PATH: no-such-program"),
        ({"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}, "hidden: 0 of 1 passed"),
        ({"checks": CHECK + 'run = "true # {junit}"\n'}, "no results were written"),
    ],
)  # fmt: skip
def test_what_cannot_be_recorded_says_why(task, changes, problem):
    (done,) = record(task(**changes))
    assert done.tests is None
    assert problem in done.problem


def test_an_own_test_that_the_reference_fails_is_left_out_and_named(task, tmp_path):
    folder = task().folder
    (folder / "task.toml").write_text(
        ENV + 'tests = ["test_*.py"]\n[[checks]]\nname = "own"\nkind = "suite"\n'
    )
    (folder / "repo/test_own.py").write_text(
        "def test_good(): pass\n\n\ndef test_known(): assert 0\n"
    )
    (done,) = record(load_suite(tmp_path / "suite", unrecorded=True).tasks[0], repeat=1)
    assert done.tests == {"own": ("test_own::test_good",)}
    assert "does not pass them: test_own::test_known" in done.problem
