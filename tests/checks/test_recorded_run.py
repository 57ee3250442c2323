"""How a check on single tests is carried out: its command, its files, its results."""

import threading

import pytest

from agenteval.checks import Grading, run_check
from agenteval.records import CHECK_KINDS
from agenteval.sandbox import Box, Plain

TEST = "def test_a():\n    assert 1\n"
# Stands in for a test runner: calls every function that a file defines.
RUNNER = """
import pathlib, re, sys
junit, *files = sys.argv[1:]
cases = ""
for file in files:
    scope = {}
    exec(pathlib.Path(file).read_text(), scope)
    for name in [n for n in scope if n.startswith("test")]:
        try:
            scope[name]()
            found = ""
        except AssertionError:
            found = "<failure/>"
        cases += f'<testcase classname="{file}" name="{name}">{found}</testcase>'
pathlib.Path(junit).parent.mkdir(parents=True, exist_ok=True)
pathlib.Path(junit).write_text(f"<testsuite>{cases}</testsuite>")
sys.exit(1)
"""
OWN = "python3 runner.py {junit} {files}"


@pytest.fixture
def graded(copy):
    """`graded("suite", {"test_a.py": TEST}, recorded=[...], run=OWN)`."""

    def carry_out(kind, files, *, recorded=None, sandbox=None, cancel=None, **keys):
        (copy / "runner.py").write_text(RUNNER)
        for name, text in files.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(text)
        top = copy.parent
        box = Box(copy, top / "home", top / "tmp", top / "inputs")
        box.create()
        grading = Grading(
            sandbox or Plain(), box, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, "", cancel,
            tuple(files), None if recorded is None else tuple(recorded),
        )  # fmt: skip
        return run_check(CHECK_KINDS[kind](**keys), grading)

    return carry_out


def test_pytest_is_the_default_for_python(graded, sandbox):
    verdict = graded("hidden-tests", {"t/test_a.py": TEST}, recorded=["t.test_a::test_a"], sandbox=sandbox)  # fmt: skip
    assert (verdict.passed, verdict.detail, verdict.tests, verdict.tampering) == (
        True, "1 of 1 passed", {"t.test_a::test_a": "passed"}, (),
    )  # fmt: skip
    assert verdict.exit_code == 1
    assert verdict.duration_s > 0
    assert b"1 failed, 1 passed" in verdict.output


def test_a_command_of_ones_own(graded):
    verdict = graded("suite", {"test_a.py": TEST}, recorded=["test_a.py::test_a"], run=OWN)
    assert verdict.passed, verdict


def test_names_with_spaces_and_dashes_are_quoted_and_relative_to_the_folder(graded):
    files = {"my tests/test_a.py": TEST, "-x/test_b.py": TEST, "it's/test_c.py": TEST}
    verdict = graded("suite", files, run="python3 ../runner.py {junit} {files}", cwd="my tests")
    assert verdict.passed, verdict
    assert set(verdict.tests) == {"test_a.py::test_a", "../-x/test_b.py::test_a", "../it's/test_c.py::test_a"}  # fmt: skip
    verdict = graded("suite", {"-x/test_b.py": TEST}, run=OWN)
    assert set(verdict.tests) == {"./-x/test_b.py::test_a"}


def test_places_are_filled_in_variables_too_and_the_shells_own_are_left(graded):
    run = "files='test_a.py'; python3 runner.py \"$OUT\" ${files}"
    ids = ["test_a.py::test_a"]
    verdict = graded("suite", {"test_a.py": TEST}, run=run, env={"OUT": "{junit}"}, recorded=ids)
    assert verdict.passed, verdict


def test_results_at_a_path_of_the_commands_choice(graded, copy):
    run = "python3 runner.py build/out.xml {files}"
    verdict = graded("suite", {"test_a.py": TEST}, run=run, junit="build/out.xml")
    assert verdict.passed, verdict
    stale = graded("suite", {"test_a.py": TEST}, run="true", junit="build/out.xml")
    assert (stale.passed, stale.tampering) == (None, ("verdict_forged",))
    assert "no results were written" in stale.detail


def test_a_link_at_that_path_is_not_removed_through_nor_read(graded, copy, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "out.xml").write_text("<testsuite/>")
    (copy / "build").symlink_to(outside)
    verdict = graded("suite", {"test_a.py": TEST}, run="true", junit="build/out.xml")
    assert verdict.passed is None
    assert (outside / "out.xml").exists()


def test_a_run_that_takes_too_long_gives_no_verdict(graded):
    verdict = graded("suite", {"test_a.py": TEST}, run="sleep 60 # {junit}", timeout_s=0.3)
    assert (verdict.passed, verdict.error_class) == (None, "check_timeout")
    assert verdict.detail.startswith("stopped by timeout")
    assert verdict.tampering == ()


def test_a_cancelled_run_gives_no_verdict(graded):
    cancel = threading.Event()
    cancel.set()
    verdict = graded("suite", {"test_a.py": TEST}, run="sleep 60 # {junit}", cancel=cancel)
    assert (verdict.passed, verdict.error_class) == (None, "check_no_verdict")


def test_a_run_that_crashes_says_so_and_shows_its_end(graded):
    verdict = graded("suite", {"test_a.py": TEST}, run="echo why >&2; exit 3 # {junit}")
    assert (verdict.passed, verdict.error_class, verdict.tampering) == (
        None,
        "check_no_verdict",
        (),
    )
    assert verdict.detail == "no results were written, and the tests ended with exit code 3\nwhy"


def test_nothing_to_run_fails(graded):
    assert graded("suite", {}).passed is False


def test_a_wrong_test_result_is_named(graded):
    files = {"test_a.py": TEST + "\n\ndef test_b():\n    assert 0\n"}
    ids = ["test_a.py::test_a", "test_a.py::test_b"]
    verdict = graded("hidden-tests", files, run=OWN, recorded=ids)
    assert (verdict.passed, verdict.error_class) == (False, None)
    assert verdict.detail == "1 of 2 passed; failed: test_b"
