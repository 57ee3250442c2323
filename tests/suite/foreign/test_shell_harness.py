"""A shell harness: config.sh is read and never executed, tasks share its project and commands."""

import pytest

from agenteval.errors import ForeignFormatError
from agenteval.suite import load_suite
from agenteval.suite.foreign import shell_values as values_module

CONFIG = """\
# what is specific to the project
PROJECT_DIR="../shop"      # beside this folder
SETUP_CMD='echo built >.built'
TEST_CMD="python3 tests/check_old.py"
TESTS_DIR=tests
HIDDEN_TESTS_DIR="tests/eval"
HIDDEN_TEST_CMD="python3 tests/eval/check.py && test -f .built"
LINT_CMD="grep -L eval"
LINT_FILES='\\.py$'
PROTECTED_PATHS='^migrations/|^lock\\.txt$'
"""
SHOP = {
    "shop.py": "def off(total, percent):\n    return total - percent\n",
    "tests/check_old.py": "import sys\nsys.path.insert(0, '.')\nfrom shop import off\nassert off(100, 0) == 100\n",
    "migrations/1.sql": "create table a (b);\n",
    "lock.txt": "a==1\n",
}  # fmt: skip
HIDDEN = "import sys\nsys.path.insert(0, '.')\nfrom shop import off\nassert off(1250, 20) == 1000\n"
MENDED = "def off(total, percent):\n    return total - total * percent // 100\n"


def harness(made, tmp_path, config=CONFIG):
    made.repository(tmp_path / "shop", SHOP)
    return made.write(
        tmp_path / "theirs",
        {
            "config.sh": config,
            "run.sh": "exit 9\n",
            "tasks/percent-coupons/prompt.md": "20% off takes 20 pence off. Mend it.\n",
            "tasks/percent-coupons/tests/check.py": HIDDEN,
        },
    )


def test_a_task_is_a_real_test_once_it_has_a_reference(tmp_path, convert, come_to, made):
    folder = convert("shell-harness", harness(made, tmp_path)).folders[0]
    made.write(folder, {"solution.patch": made.difference(tmp_path / "shop", {"shop.py": MENDED})})
    broken = made.difference(tmp_path / "shop", {"shop.py": MENDED.replace("return", "return 1 if not percent else"), "tests/check_old.py": "pass\n"})  # fmt: skip
    made.write(folder, {"wrong/edits-the-old-test.patch": broken})
    assert come_to("percent-coupons") == {
        "untouched": "fail",
        "noop": "fail",
        "edits-the-old-test": "fail",
        "reference": "pass",
    }


def test_values_come_over(tmp_path, convert, made):
    done = convert("shell-harness", harness(made, tmp_path))
    loaded = load_suite(done.folders[0]).tasks[0]
    hidden, own, lint = loaded.task.checks
    assert loaded.source == tmp_path / "evals/../../shop" or loaded.source.resolve() == tmp_path / "shop"  # fmt: skip
    assert (hidden.run, own.run) == ("python3 tests/eval/check.py && test -f .built", "python3 tests/check_old.py")  # fmt: skip
    assert (lint.run, lint.files, lint.failing) == ("grep -L eval", r"\.py$", False)
    assert loaded.task.protected == ["migrations/**", "lock.txt"]
    assert loaded.task.environment.build == ["echo built >.built"]
    assert loaded.hidden == ("tests/check_old.py", "tests/eval/check.py")
    told = {note.key for note in done.tasks[0].notes}
    assert told == {"category", "PROJECT_DIR", "SETUP_CMD", "HIDDEN_TEST_CMD", "TEST_CMD", "TESTS_DIR"}  # fmt: skip


def test_an_expression_that_globs_cannot_say_becomes_files(tmp_path, convert, made):
    config = CONFIG.replace("'^migrations/|^lock\\.txt$'", "'(lock|migr).*[lt]$'")
    done = convert("shell-harness", harness(made, tmp_path, config))
    assert load_suite(done.folders[0]).tasks[0].task.protected == ["lock.txt", "migrations/1.sql"]
    assert "PROTECTED_PATHS" in {note.key for note in done.tasks[0].notes}


def test_it_starts_from_what_is_committed(tmp_path, convert, made):
    theirs = harness(made, tmp_path)
    made.write(tmp_path / "shop", {"tests/check_old.py": "assert False\n"})
    folder = convert("shell-harness", theirs).folders[0]
    assert (folder / "hidden/tests/check_old.py").read_text() == SHOP["tests/check_old.py"]
    head = made.git(tmp_path / "shop", "rev-parse", "HEAD").strip()
    assert load_suite(folder).tasks[0].task.source.rev == head


def test_the_original_project_cannot_be_reached(tmp_path, convert, made):
    config = CONFIG.replace("'echo built >.built'", "'cp \"$PROJECT/.env\" .'")
    task = convert("shell-harness", harness(made, tmp_path, config)).tasks[0]
    assert task.skipped.startswith("SETUP_CMD: ")
    assert "$PROJECT" in task.skipped


def test_config_is_never_executed(tmp_path, convert, made):
    touched = tmp_path / "touched"
    config = CONFIG + f"touch {touched}\nEXTRA=1\n"
    done = convert("shell-harness", harness(made, tmp_path, config))
    assert not touched.exists()
    told = {note.key for note in done.tasks[0].notes if note.what == "dropped"}
    assert told == {"config.sh, line 11", "EXTRA"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=plain # why", "plain"),
        ("export A='a \"b\" $PROJECT'", 'a "b" $PROJECT'),
        ('A="a \\"b\\" \\$x"', 'a "b" $x'),
        ("A='a'\"b\"c\\ d", "abc d"),
        ("A='one\ntwo'", "one\ntwo"),
        ("A=1\nA=2", "2"),
        ("B=1; A=2", "2"),
        ("A=", ""),
    ],
)
def test_values_are_read_as_a_shell_reads_them(text, value):
    assert values_module.shell_values(text).values["A"] == value


@pytest.mark.parametrize("text", ['A="$HOME/x"', "A=$(date)", 'A="`date`"', "A=$X", "A='open"])
def test_what_only_a_shell_could_tell_is_refused(tmp_path, convert, text, made):
    with pytest.raises(ForeignFormatError) as caught:
        convert("shell-harness", harness(made, tmp_path, CONFIG + text + "\n"))
    assert "config.sh, field A" in caught.value.where


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('PROJECT_DIR="../shop"', 'PROJECT_DIR=""', "PROJECT_DIR"),
        ('PROJECT_DIR="../shop"', "PROJECT_DIR=../gone", "PROJECT_DIR"),
        ('"tests/eval"', '"../eval"', "HIDDEN_TESTS_DIR"),
        ("TESTS_DIR=tests", "TESTS_DIR=spec", "TESTS_DIR"),
        ("LINT_FILES='\\.py$'", "LINT_FILES='('", "LINT_FILES"),
        ('HIDDEN_TEST_CMD="python3 tests/eval/check.py && test -f .built"', "", "HIDDEN_TEST_CMD"),
    ],
)
def test_a_malformed_one_is_named(tmp_path, convert, old, new, field, made):
    with pytest.raises(ForeignFormatError) as caught:
        convert("shell-harness", harness(made, tmp_path, CONFIG.replace(old, new, 1)))
    assert f"field {field}" in caught.value.where
    assert not (tmp_path / "evals").exists()
