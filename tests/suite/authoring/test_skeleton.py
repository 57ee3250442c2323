"""A new task loads, cannot pass, says what is missing, and never lies over another."""

import os
import socket
from pathlib import Path

import pytest

from agenteval.errors import InvalidInput
from agenteval.suite import load_suite
from agenteval.suite.authoring import (
    FILL_IN,
    NewTask,
    check_new,
    check_suite,
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


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("suite.py", "this is a file"),
        ("suite.py/evals", "this is a file"),
        ("nowhere", "link to nothing"),
        ("nowhere/evals", "link to nothing"),
        ("x" * 300, "too long"),
        ("/proc/evals", "cannot be made"),
        ("/proc/evals/deeper", "cannot be made"),
    ],
)
def test_a_suite_that_cannot_be_made_is_refused_and_nothing_is_left(tmp_path, place, told):
    (tmp_path / "suite.py").write_text("")
    (tmp_path / "nowhere").symlink_to("gone")
    before = sorted(tmp_path.iterdir())
    for refused in (
        lambda: check_suite(tmp_path / place),
        lambda: new_task(tmp_path / place, NewTask("one")),
        lambda: place_task(tmp_path / place, "one", lambda folder: None),
    ):
        with pytest.raises(InvalidInput, match=told) as caught:
            refused()
        assert caught.value.where
        assert caught.value.fix
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="no mode of a folder stops root")
@pytest.mark.parametrize("mode", [0o500, 0o300, 0])
def test_a_suite_that_cannot_be_written_or_read_is_refused(tmp_path, mode):
    (tmp_path / "evals").mkdir(mode=mode)
    with pytest.raises(InvalidInput, match="Permission denied"):
        check_suite(tmp_path / "evals")


def test_a_suite_that_can_be_made_is_not_made_yet(tmp_path):
    check_suite(tmp_path / "deep/evals")
    assert list(tmp_path.iterdir()) == []


def test_a_tasks_own_folder_is_no_suite(tmp_path):
    begun = new_task(tmp_path, NewTask("one"))
    with pytest.raises(InvalidInput, match="no suite") as caught:
        new_task(begun.folder, NewTask("two"))
    assert str(tmp_path) in caught.value.fix
    assert not (begun.folder / "two").exists()


def test_no_folder_comes_to_hide_the_bundled_suite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="bundled"):
        new_task(Path("bundled"), NewTask("one"))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "bundled").mkdir()  # somebody's own, which means that folder everywhere
    assert new_task(Path("bundled"), NewTask("one")).folder.is_dir()


@pytest.mark.parametrize("name", ["variants", "Variants", "suite.toml", "task.json", "quarantine.toml"])  # fmt: skip
def test_an_id_must_not_be_a_name_with_another_meaning(tmp_path, name):
    with pytest.raises(InvalidInput, match="something else"):
        new_task(tmp_path, NewTask(name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["../secret", "/etc/hostname", "../../secret"])
def test_a_link_out_of_the_starting_repository_is_refused(tmp_path, target):
    repo = tmp_path / "project"
    (repo / "lib").mkdir(parents=True)
    (repo / "app.py").write_text("x = 1\n")
    (repo / "lib/inside").symlink_to("../app.py")
    assert new_task(tmp_path / "evals", NewTask("good", repo=repo)).folder.is_dir()
    (repo / "lib/outside").symlink_to(f"../{target}" if target.startswith(".") else target)
    with pytest.raises(InvalidInput, match="leads out") as caught:
        new_task(tmp_path / "evals", NewTask("one", repo=repo))
    assert "lib/outside" in caught.value.where
    assert [path.name for path in (tmp_path / "evals").iterdir()] == ["good"]


def test_a_socket_in_the_starting_repository_is_refused(tmp_path, monkeypatch):
    (tmp_path / "p").mkdir()
    (tmp_path / "p/app.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "p")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        with pytest.raises(InvalidInput, match="socket"):
            new_task(tmp_path / "evals", NewTask("one", repo=tmp_path / "p"))
