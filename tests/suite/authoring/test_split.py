"""Which part of a commit is its tests, and whether it can become a task."""

import pytest

from agenteval.suite.authoring import (
    CommitChange,
    FileChange,
    fitness,
    is_test_file,
    obstacle,
    split_change,
)


def change(*files, parents=("p" * 40,), subject="Mend the reader of empty files", body=""):
    return CommitChange("c" * 40, parents, "2024-01-01T00:00:00Z", subject, body, files)


def file(path, status="modified", added=2, removed=1, plain=True):
    return FileChange(path, status, added, removed, plain)


SOURCE, TEST = file("shelf/read.py"), file("tests/test_read.py")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("tests/data/a.json", True),
        ("conftest.py", True),
        ("pkg/thing_test.py", True),
        ("src/a.spec.ts", True),
        ("src/contest.py", False),
        ("src/latest/read.py", False),
        ("docs/testing.md", False),
    ],
)
def test_names_and_folders_say_what_a_test_is(path, expected):
    assert is_test_file(path) is expected


def test_globs_of_an_author_decide_alone():
    assert is_test_file("checks/read.py", ["checks/**"])
    assert not is_test_file("tests/test_a.py", ["checks/**"])


def test_the_parts_of_a_commit():
    gone = file("tests/test_old.py", "deleted")
    found = split_change([SOURCE, TEST, gone, file("CHANGES.md"), file("uv.lock"), file("a.go")])
    assert [f.path for f in found.hidden] == ["tests/test_read.py"]
    assert found.gone == (gone,)
    assert [f.path for f in found.source] == ["shelf/read.py", "a.go"]
    assert found.reference == ("shelf/read.py", "a.go", "CHANGES.md", "uv.lock")
    assert found.runnable == ("tests/test_read.py",)
    assert found.source_lines == 6


def test_files_that_only_a_glob_calls_tests_are_run_when_none_is_named_like_one():
    assert split_change([file("checks/read.js")], ["checks/**"]).runnable == ("checks/read.js",)
    assert split_change([file("test/data.js")]).runnable == ()


@pytest.mark.parametrize(
    ("files", "parents", "told"),
    [
        ([SOURCE, TEST], ("a", "b"), "merge"),
        ([SOURCE, TEST], (), "no parent"),
        ([SOURCE], ("a",), "no tests"),
        ([SOURCE, file("tests/test_a.py", "deleted")], ("a",), "only deletes tests"),
        ([TEST, file("README.md")], ("a",), "no source"),
        ([SOURCE, file("tests/data.json")], ("a",), "not in files that pytest or node runs"),
        ([SOURCE, TEST, file("test/a.test.js")], ("a",), "pytest and for node"),
        ([SOURCE, TEST, file("vendored", plain=False)], ("a",), "link or a submodule"),
    ],
)
def test_what_cannot_become_a_task_says_why(files, parents, told):
    made = change(*files, parents=parents)
    assert told in obstacle(made, split_change(made.files))
    assert fitness(made, split_change(made.files)).score == 0


def test_a_fit_commit_has_no_obstacle():
    made = change(SOURCE, TEST)
    assert obstacle(made, split_change(made.files)) is None


def score(*files, **message):
    made = change(*files, **message)
    return fitness(made, split_change(made.files)).score


def test_small_focused_and_told_commits_come_first():
    best = score(SOURCE, TEST)
    assert 0 < score(file("shelf/read.py", added=90), TEST) < best <= 1
    assert score(*(file(f"a{n}.py", added=0) for n in range(4)), TEST) < best
    assert score(SOURCE, TEST, subject="Mend") < best


def test_what_is_too_much_is_passed_over_with_its_size():
    for files, told in (
        ([file("a.py", added=500), TEST], "501 lines"),
        ([*(file(f"a{n}.py") for n in range(9)), TEST], "9 source files"),
        ([file("a.bin", added=None, removed=None), TEST], "no line of source"),
    ):
        made = change(*files)
        assert told in fitness(made, split_change(made.files)).reason
