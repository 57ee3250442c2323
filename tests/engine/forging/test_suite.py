"""The check `suite`: the project's own tests, as they were before the agent came."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("either_way")
BROKEN = "def add(a, b):\n    return a + b + 1\n"
GOOD = "def add(a, b):\n    return a + b\n"
OWN = "from calc import add\n\n\ndef test_add(two):\n    assert add(two, 2) == 4\n"
REPO = {
    "calc.py": GOOD,
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n",
    "tests/test_calc.py": OWN,
    "tests/test_known.py": "def test_known_to_fail():\n    assert False\n",
    "tests/unit/test_zero.py": "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
}
KEYS = """
requires = ["python3"]
tests = ["tests/**"]
env = { PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1" }
[[checks]]
name = "own"
kind = "suite"
[[checks]]
name = "done"
kind = "file-contains"
path = "notes.txt"
text = "done"
"""
DONE = {"notes.txt": "done\n"}


@pytest.fixture(scope="module")
def bench(make_workbench):
    reference = {**DONE, "tests/test_new.py": "def test_new():\n    pass\n"}
    return make_workbench(REPO, {}, reference, KEYS)


def own(result):
    return next(check for check in result.checks if check.name == "own")


def test_recorded_are_the_original_tests_that_the_reference_passes(bench):
    assert bench.recorded == {
        "own": ("tests.test_calc::test_add", "tests.unit.test_zero::test_zero")
    }
    assert own(bench.trial(name="reference")).passed


@pytest.mark.parametrize(
    "files",
    [
        {"tests/test_calc.py": None, "tests/unit/test_zero.py": None},
        {"tests/test_calc.py": "def test_add():\n    pass\n", "tests/unit/test_zero.py": "def test_zero():\n    pass\n"},
        {"tests/conftest.py": "import pytest\n@pytest.fixture\ndef two():\n    return 1\n", "tests/unit/test_zero.py": "def test_zero(): pass\n"},
    ],
    ids=["deletes the tests", "weakens the tests", "weakens a fixture"],
)  # fmt: skip
def test_the_original_files_win_when_the_agent(bench, files):
    result = bench.trial({**DONE, "calc.py": BROKEN, **files})
    assert own(result).passed is False
    assert own(result).detail == "0 of 2 passed; failed: test_add, test_zero"
    assert "tests_edited" in result.attempt.tampering


def test_good_code_passes_whatever_was_done_to_the_tests(bench):
    result = bench.trial(
        {**DONE, "tests/test_calc.py": None, "tests/conftest.py": "raise SystemExit\n"}
    )
    assert own(result).passed
    assert result.attempt.tampering == ["tests_edited"]


def test_a_folder_of_tests_made_a_link_is_a_folder_again(bench):
    result = bench.trial({**DONE, "elsewhere/keep": "", "tests": Path("elsewhere")})
    assert own(result).passed
    assert result.attempt.tampering == ["tests_edited"]


def test_tests_that_the_agent_adds_are_not_run(bench):
    added = {"tests/test_mine.py": "def test_mine():\n    assert False\n"}
    result = bench.trial({**DONE, **added})
    assert own(result).passed
    assert result.attempt.tampering == []
    assert b"test_mine" not in result.artifacts["checks/1.txt"]


def test_forging_is_seen_here_too(bench):
    result = bench.trial({**DONE, "calc.py": "import os\nos._exit(0)\n"})
    assert result.attempt.error_class == "check_no_verdict"
    assert "verdict_forged" in result.attempt.tampering
