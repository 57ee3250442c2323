"""Overlay mounts: apart from their base, and gone with whoever made them or swept after them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agenteval.sandbox import (
    make_whiteout,
    mount_overlay,
    overlay_problem,
    unmount_below,
    unmount_leftovers,
)

CHILD = """
import os, sys
from pathlib import Path
from agenteval.sandbox import mount_overlay
top = Path(sys.argv[1])
mount_overlay(top / "base", top / "folder", top / "layer")
if sys.argv[2] == "killed":
    os._exit(0)
"""


@pytest.fixture
def top(tmp_path: Path):
    problem = overlay_problem(tmp_path)
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem
    top = tmp_path / "with space"
    (top / "base/sub").mkdir(parents=True)
    (top / "base/kept.txt").write_text("kept")
    (top / "base/sub/gone.txt").write_text("gone")
    (top / "folder").mkdir()
    yield top
    unmount_below(tmp_path)


def is_mounted(folder: Path) -> bool:
    return folder.stat().st_dev != folder.parent.stat().st_dev


def test_what_is_written_goes_to_the_layer(top):
    mount_overlay(top / "base", top / "folder", top / "layer")
    (top / "folder/kept.txt").write_text("other")
    (top / "folder/sub/gone.txt").unlink()
    (top / "folder/sub").rmdir()
    (top / "folder/new").mkdir()
    assert sorted(path.name for path in (top / "folder").iterdir()) == ["kept.txt", "new"]
    assert (top / "base/kept.txt").read_text() == "kept"
    assert (top / "base/sub/gone.txt").read_text() == "gone"
    assert (top / "layer/upper/kept.txt").read_text() == "other"


def test_a_layer_may_hold_changes_already(top):
    (top / "layer/upper").mkdir(parents=True)
    (top / "layer/upper/kept.txt").write_text("changed")
    make_whiteout(os.fsencode(top / "layer/upper/sub"))
    mount_overlay(top / "base", top / "folder", top / "layer")
    assert [path.name for path in (top / "folder").iterdir()] == ["kept.txt"]
    assert (top / "folder/kept.txt").read_text() == "changed"


def test_it_has_the_mode_of_the_base(top):
    (top / "base").chmod(0o750)
    mount_overlay(top / "base", top / "folder", top / "layer")
    assert (top / "folder").stat().st_mode & 0o777 == 0o750


def test_unmounting(top):
    mount_overlay(top / "base", top / "folder", top / "layer")
    unmount_below(top / "base")
    assert is_mounted(top / "folder")
    with (top / "folder/kept.txt").open():
        unmount_below(top)
        assert not is_mounted(top / "folder"), "also while somebody has it open"


def test_a_forked_process_takes_nothing_away(top):
    mount_overlay(top / "base", top / "folder", top / "layer")
    child = os.fork()
    if child == 0:
        unmount_below(top)
        os._exit(0)
    os.waitpid(child, 0)
    assert is_mounted(top / "folder")


@pytest.mark.parametrize("end", ["killed", "by itself"])
def test_leftovers(top, end):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", CHILD, str(top), end], check=True, env=env)
    assert is_mounted(top / "folder") == (end == "killed")
    unmount_below(top)
    assert is_mounted(top / "folder") == (end == "killed"), "it is not ours"
    unmount_leftovers(top / "base")
    assert is_mounted(top / "folder") == (end == "killed")
    unmount_leftovers(top)
    assert not is_mounted(top / "folder")


@pytest.mark.parametrize("name", ["a,b", "a:b", "a\\b", 'a"b', "a\nb"])
def test_paths_that_options_cannot_hold(tmp_path, name):
    assert "mount options" in overlay_problem(tmp_path / name)
