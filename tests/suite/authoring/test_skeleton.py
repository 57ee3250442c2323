"""A new task loads, cannot pass, says what is missing, and never lies over another."""

import pytest

from agenteval.errors import InvalidInput
from agenteval.suite import load_suite
from agenteval.suite.authoring import (
    FILL_IN,
    NewTask,
    check_new,
    new_task,
    place_task,
    task_document,
)


@pytest.mark.parametrize("kind", ["task", "pressure", "injection"])
def test_a_skeleton_loads_and_names_what_is_missing(tmp_path, kind):
    begun = new_task(tmp_path / "evals", NewTask("one", kind=kind))
    loaded = load_suite(tmp_path / "evals").tasks[0]
    assert (loaded.id, loaded.task.kind) == ("one", kind)
    assert FILL_IN in loaded.prompt
    assert FILL_IN in loaded.task.title
    assert {line.partition(":")[0] for line in begun.missing} >= {
        "task.toml", "prompt.md", "repo/", "solution.patch", "wrong/*.patch",
    }  # fmt: skip
    assert task_document(begun.folder)["category"] == "bugfix"


def test_what_is_given_is_not_asked_for_again(tmp_path):
    repo = tmp_path / "project"
    (repo / ".git").mkdir(parents=True)
    (repo / "__pycache__").mkdir()
    (repo / "app.py").write_text("x = 1\n")
    begun = new_task(
        tmp_path / "evals",
        NewTask("one", "A title", "feature", "hard", "python", prompt="Do it.\n", repo=repo),
    )
    loaded = load_suite(begun.folder).tasks[0]
    assert (loaded.prompt, loaded.task.category, loaded.task.difficulty) == (
        "Do it.", "feature", "hard",
    )  # fmt: skip
    assert [path.name for path in (begun.folder / "repo").iterdir()] == ["app.py"]
    assert not any("title" in line or "prompt" in line or "repo/" in line for line in begun.missing)


def test_nothing_is_overwritten(tmp_path):
    new_task(tmp_path, NewTask("one", prompt="mine"))
    for name in ("one", "ONE"):
        with pytest.raises(InvalidInput, match="already"):
            new_task(tmp_path, NewTask(name, prompt="other"))
    assert (tmp_path / "one/prompt.md").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


@pytest.mark.parametrize("name", ["", ".x", "a/b", "../a", "a b", "x" * 101])
def test_an_id_must_be_a_folders_name(tmp_path, name):
    with pytest.raises(InvalidInput):
        check_new(tmp_path, name)


def test_a_suite_inside_the_starting_repository_is_refused(tmp_path):
    (tmp_path / "app.py").write_text("x = 1\n")
    with pytest.raises(InvalidInput, match="with its answers"):
        new_task(tmp_path / "evals", NewTask("one", repo=tmp_path))
    assert not (tmp_path / "evals").exists()


def test_a_starting_repository_without_files_is_refused(tmp_path):
    (tmp_path / "empty/.git").mkdir(parents=True)
    for folder in ("empty", "missing"):
        with pytest.raises(InvalidInput, match="no files"):
            new_task(tmp_path / "evals", NewTask("one", repo=tmp_path / folder))


def test_a_task_that_cannot_be_written_leaves_nothing(tmp_path):
    def fill(folder):
        (folder / "half").write_text("x")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        place_task(tmp_path / "evals", "one", fill)
    assert list((tmp_path / "evals").iterdir()) == []


def test_a_suite_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "suite.py").write_text("")
    with pytest.raises(InvalidInput, match="is a file"):
        check_new(tmp_path / "suite.py", "one")
