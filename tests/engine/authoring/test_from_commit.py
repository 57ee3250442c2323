"""A commit made into a task that its own tests prove, by really running them."""

import json

import pytest

from agenteval.engine.authoring import Unfit
from agenteval.errors import InvalidInput
from agenteval.suite import load_suite

ALIKE = "def read(text):\n    return text.split(chr(10))\n"
SAME = "from shelf import read\n\n\ndef test_two():\n    assert read('a') == ['a']\n"


def test_a_fix_becomes_a_task(workshop, fixed):
    shop = workshop()
    drafted = shop.make(fixed)
    folder = drafted.folder
    assert folder == shop.suite / "read-gives-a-line"
    assert not (folder / "repo/.git").exists()
    assert "if not text" not in (folder / "repo/shelf.py").read_text()
    assert "test_empty" not in (folder / "repo/tests/test_shelf.py").read_text()
    assert "test_empty" in (folder / "hidden/tests/test_shelf.py").read_text()
    patch = (folder / "solution.patch").read_text()
    assert "a/shelf.py" in patch
    assert "a/README.md" in patch
    assert "tests/" not in patch
    assert json.loads((folder / "tests.json").read_text()) == {
        "hidden-tests": ["tests.test_shelf::test_empty", "tests.test_shelf::test_two"],
        "existing-tests": ["tests.test_shelf::test_two"],
    }
    origin = json.loads((folder / "origin.json").read_text())
    assert (origin["commit"], origin["fail_to_pass"], origin["pass_to_pass"]) == (
        fixed, ["tests.test_shelf::test_empty"], ["tests.test_shelf::test_two"],
    )  # fmt: skip
    assert {f.solution: f.ok for f in drafted.findings} == {
        "untouched": True, "noop": True, "reference": True,
    }  # fmt: skip
    assert load_suite(shop.suite).task(folder.name).task.tags == ["draft"]


def test_what_gives_the_answer_away_is_marked_for_the_author_and_not_for_the_agent(workshop, fixed):
    drafted = workshop().make(fixed)
    assert {clue.text for clue in drafted.reading.clues} >= {"shelf.py", "read"}
    prompt = (drafted.folder / "prompt.md").read_text()
    assert prompt == "read('') gives a line.\n\nIn shelf.py an empty file has one line.\n"
    assert "[[shelf.py]]" in (drafted.folder / "notes.md").read_text()


def test_names_that_the_tests_ask_for_and_nobody_tells_are_listed(workshop, repository):
    sha = repository.commit(
        "feat: shelves can be counted",
        shelf_py="def count_all(text):\n    return len(text.split())\n",
        tests__test_count_py="import shelf\n\n\ndef test_it():\n    assert shelf.count_all('a b') == 2\n",
    )
    drafted = workshop().make(sha)
    assert drafted.reading.untold == ("count_all",)
    assert "`count_all`" in (drafted.folder / "notes.md").read_text()


def test_flaky_tests_and_those_that_fail_anyway_do_not_grade(workshop, repository, tmp_path):
    """One passes on every other run, counted outside of the workspace; one always fails."""
    counter = tmp_path / "runs"
    tests = (
        "from pathlib import Path\nfrom shelf import read\n\n\ndef test_empty():\n    assert read('') == []\n"
        f"\n\ndef test_flaky():\n    p = Path({str(counter)!r})\n    n = len(p.read_text()) if p.exists() else 0\n"
        "    p.write_text('x' * (n + 1))\n    assert n % 2 == 0\n"
        "\n\ndef test_broken():\n    assert read('') is None\n"
    )
    fix = "def read(text):\n    return text.split('\\n') if text else []\n"
    sha = repository.commit("Mend it", shelf_py=fix, tests__test_more_py=tests)
    # the reference runs first, then the start: the next two runs are odd and even again
    drafted = workshop().make(sha, repeat=3)
    assert drafted.proof.fail_to_pass == ("tests.test_more::test_empty",)
    assert set(drafted.proof.dropped) == {
        "tests.test_more::test_flaky", "tests.test_more::test_broken",
    }  # fmt: skip
    check = load_suite(drafted.folder).tasks[0].task.checks[0]
    assert set(check.ignored) == set(drafted.proof.dropped)


def test_options_of_the_project_that_need_a_plugin_are_left_out(workshop, repository):
    repository.commit("Configure", pytest_ini="[pytest]\naddopts = --no-such-plugin --import-mode=importlib\npythonpath = .\n")  # fmt: skip
    fix = "def read(text):\n    return text.split('\\n') if text else []\n"
    tests = "from shelf import read\n\n\ndef test_empty():\n    assert read('') == []\n"
    drafted = workshop().make(repository.commit("Mend it", shelf_py=fix, tests__test_more_py=tests))
    assert drafted.proof.fail_to_pass == ("tests.test_more::test_empty",)
    run = load_suite(drafted.folder).tasks[0].task.checks[0].run
    assert "-o addopts=--import-mode=importlib" in run


def test_hooks_for_an_old_pytest_are_left_out(workshop, repository):
    hook = "def pytest_ignore_collect(path, config, gone):\n    return False\n"
    repository.commit("Configure", conftest_py=hook)
    sha = repository.commit(
        "Limit it",
        shelf_py="LIMIT = 3\n",
        tests__test_limit_py="import shelf\n\n\ndef test_it():\n    assert shelf.LIMIT == 3\n",
    )
    drafted = workshop().make(sha)
    assert drafted.proof.fail_to_pass == ("tests.test_limit::test_it",)
    run = load_suite(drafted.folder).tasks[0].task.checks[0].run
    assert "--noconftest" in run


def test_a_fix_in_javascript(workshop, repository, node):
    test = "import test from 'node:test';\nimport assert from 'node:assert';\nimport { half } from '../half.mjs';\ntest('halves', () => assert.equal(half(4), 2));\n"
    more = test + "test('halves of nothing are nothing', () => assert.equal(half(0), 0));\n"
    before = {"half_mjs": "export const half = (n) => n / 2 || 1;\n"}
    repository.commit("Halves", **{**before, "test__half.test_mjs": test})
    after = {"half_mjs": "export const half = (n) => n / 2;\n"}
    sha = repository.commit("Mend half of 0", **{**after, "test__half.test_mjs": more})
    drafted = workshop().make(sha)
    assert len(drafted.proof.fail_to_pass) == 1
    assert "nothing" in drafted.proof.fail_to_pass[0]
    assert len(drafted.proof.pass_to_pass) == 1
    assert load_suite(drafted.folder).tasks[0].task.language == "javascript"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"shelf_py": ALIKE, "tests__test_shelf_py": SAME} , "fails before and passes after"),
        ({"shelf_py": "def other(): ...\n", "tests__test_shelf_py": SAME}, "none of its tests passes"),
        ({"shelf_py": ALIKE, "tests__test_shelf_py": "import missing_module\n"}, "none of its tests passes"),
    ],
)  # fmt: skip
def test_a_commit_whose_tests_prove_nothing_is_refused(workshop, repository, files, told):
    shop = workshop()
    sha = repository.commit("Change it", **files)
    with pytest.raises(Unfit, match=told) as caught:
        shop.make(sha)
    assert caught.value.where == sha
    assert caught.value.fix
    assert not shop.suite.exists()


def test_an_id_that_is_taken_and_a_commit_without_tests_run_nothing(workshop, repository, fixed):
    shop = workshop()
    (shop.suite / "mine").mkdir(parents=True)
    with pytest.raises(InvalidInput, match="already"):
        shop.make(fixed, task_id="mine")
    sha = repository.commit("Only source", shelf_py="x = 1\n")
    with pytest.raises(Unfit, match="changes no tests"):
        shop.make(sha)
    assert [path.name for path in shop.suite.iterdir()] == ["mine"]


def test_what_the_project_depends_on_is_installed_by_setup(workshop, repository):
    tests = (
        "import needed\nimport shelf\n\n\ndef test_it():\n    assert shelf.LIMIT == needed.LIMIT\n"
    )
    sha = repository.commit("Limit it", shelf_py="LIMIT = 3\n", tests__test_limit_py=tests)
    shop = workshop()
    with pytest.raises(Unfit, match="none of its tests passes"):
        shop.make(sha)
    drafted = shop.make(sha, setup="echo LIMIT = 3 > needed.py")
    assert drafted.proof.fail_to_pass == ("tests.test_limit::test_it",)
    environment = load_suite(drafted.folder).tasks[0].task.environment
    assert (environment.build, environment.network) == (["echo LIMIT = 3 > needed.py"], True)


def test_a_venv_that_setup_makes_runs_the_tests(workshop, repository):
    """Its python says so in a variable, which the test asks for."""
    tests = "import os\nimport shelf\n\n\ndef test_it():\n    assert shelf.LIMIT == int(os.environ['OF_VENV'])\n"
    sha = repository.commit("Limit it", shelf_py="LIMIT = 3\n", tests__test_limit_py=tests)
    python = '#!/bin/sh\nOF_VENV=3 exec python3 "$@"\n'
    setup = f"mkdir -p .venv/bin && echo '*' > .venv/.gitignore && printf '%s' '{python}' > .venv/bin/python && chmod +x .venv/bin/python"
    shop = workshop()
    drafted = shop.make(sha, setup=setup)
    assert drafted.proof.fail_to_pass == ("tests.test_limit::test_it",)
    checks = load_suite(drafted.folder).tasks[0].task.checks
    assert [check.run.partition(" -q")[0] for check in checks] == [".venv/bin/python -m pytest"]
    own = "python3 -m pytest --junitxml={junit} {files}"
    with pytest.raises(Unfit, match="none of its tests passes"):
        shop.make(sha, setup=setup, runner=own, task_id="own")


def test_a_setup_that_fails_is_told_with_what_it_said(workshop, fixed):
    with pytest.raises(Unfit, match=r"--setup fails: .* no such thing") as caught:
        workshop().make(fixed, setup="echo no such thing >&2; exit 3")
    assert caught.value.fix == "mend the command, or choose another commit"


def test_the_error_that_keeps_all_tests_from_passing_is_told(workshop, repository):
    tests = "import missing_thing\nimport shelf\n\n\ndef test_it():\n    assert shelf.LIMIT == 3\n"
    sha = repository.commit("Limit it", shelf_py="LIMIT = 3\n", tests__test_limit_py=tests)
    shop = workshop()
    with pytest.raises(Unfit) as caught:
        shop.make(sha)
    assert caught.value.what.endswith("ModuleNotFoundError: No module named 'missing_thing'")
    assert "--setup 'python3 -m venv .venv && .venv/bin/pip install pytest missing_thing'" in caught.value.fix  # fmt: skip
    with pytest.raises(Unfit) as caught:
        shop.make(sha, setup="true")
    assert "let --setup install missing_thing too" in caught.value.fix


def test_a_project_whose_files_say_how_it_is_set_up_has_that_proposed(workshop, repository):
    repository.commit("Depend", requirements_txt="missing_thing\n")
    tests = "import missing_thing\n\n\ndef test_it():\n    assert 1\n"
    sha = repository.commit("Limit it", shelf_py="LIMIT = 3\n", tests__test_limit_py=tests)
    with pytest.raises(Unfit) as caught:
        workshop().make(sha)
    assert "-r requirements.txt" in caught.value.fix
    assert "--runner" in caught.value.fix


def test_an_assertion_is_quoted_and_not_that_of_the_tests_laid_in(workshop, repository):
    tests = "import shelf\n\n\ndef test_it():\n    assert shelf.LIMIT == 4\n"
    sha = repository.commit("Limit it", shelf_py="LIMIT = 3\n", tests__test_limit_py=tests)
    with pytest.raises(Unfit) as caught:
        workshop().make(sha)
    assert caught.value.what.endswith("failed: test_it: assert 3 == 4")


def test_tests_that_hidden_files_give_too_are_none_of_the_projects_others(
    workshop, fixed, repository
):
    drafted = workshop().make(fixed)
    assert (drafted.proof.suite, drafted.proof.others) == (("tests.test_shelf::test_two",), ())
    assert "1 of the hidden tests and 0 of the project's others" in (drafted.folder / "notes.md").read_text()  # fmt: skip


def test_tests_that_never_end_without_the_fix_are_told(workshop, repository):
    """They kill their own process, as one does that eats all memory."""
    tests = "import os\nimport shelf\n\n\ndef test_it():\n    hasattr(shelf, 'LIMIT') or os.kill(os.getpid(), 9)\n"
    sha = repository.commit("Limit it", shelf_py="LIMIT = 3\n", tests__test_limit_py=tests)
    drafted = workshop().make(sha)
    assert not drafted.proof.ran_before
    assert "gave no results at all" in (drafted.folder / "notes.md").read_text()


def test_the_suites_defaults_hold_while_it_is_proven(workshop, repository):
    shop = workshop()
    shop.suite.mkdir()
    (shop.suite / "suite.toml").write_text('[defaults.env]\nSHELF_LIMIT = "7"\n')
    sha = repository.commit(
        "Limit it",
        shelf_py="import os\n\n\ndef limit():\n    return int(os.environ['SHELF_LIMIT'])\n",
        tests__test_limit_py="import shelf\n\n\ndef test_it():\n    assert shelf.limit() == 7\n",
    )
    assert shop.make(sha).proof.fail_to_pass == ("tests.test_limit::test_it",)


def test_a_submodule_is_refused_by_name_and_another_commit_advised(workshop, repository):
    inner = repository.folder / "vendor"
    repository.git("init", "-q", str(inner))
    for command in (["config", "user.email", "a@example.org"], ["config", "user.name", "A"]):
        repository.git("-C", str(inner), *command)
    repository.git("-C", str(inner), "commit", "-q", "--allow-empty", "-m", "Begin")
    sha = repository.commit("Take in", shelf_py=ALIKE, tests__test_shelf_py=SAME + "\n")
    with pytest.raises(Unfit) as caught:
        workshop().make(sha)
    assert caught.value.what == (
        f"Commit {sha[:10]} (Take in) cannot become a task: it changes a link or a submodule (vendor)"
    )
    assert "choose another commit" in caught.value.fix
