"""Scratch folders: gone at the end, whoever ended."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from agenteval.engine import scratch, scratch_folder
from agenteval.engine.scratch import remove, sweep

ENV = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
ENGINE = """
import sys
from pathlib import Path
from agenteval.engine import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "trials").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def engine(tmp_path: Path):
    """Another engine at work, and its folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENGINE, str(tmp_path)],
        env=ENV,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_it_is_removed_at_the_end_also_after_an_error(tmp_path):
    def work() -> None:
        with scratch_folder(tmp_path) as folder:
            (folder / "deep/er").mkdir(parents=True)
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_kept_one_stays_and_is_never_swept(tmp_path):
    with scratch_folder(tmp_path / "new/parent", keep=True) as folder:
        (folder / "file").touch()
    assert sweep(tmp_path / "new/parent") == []
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_that_of_a_living_engine_is_left_alone(engine, tmp_path):
    _, folder = engine
    with scratch_folder(tmp_path):
        assert (folder / "trials").is_dir()
    assert sweep(tmp_path) == []
    assert folder.exists()


def test_that_of_a_killed_engine_is_swept(engine, tmp_path):
    process, folder = engine
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert folder.exists()
    assert sweep(tmp_path) == [folder]
    assert list(tmp_path.iterdir()) == []


def test_one_that_was_killed_before_it_was_locked_is_swept(tmp_path):
    folder = Path(tempfile.mkdtemp(prefix="agenteval-", dir=tmp_path))
    kept = Path(tempfile.mkdtemp(prefix="agenteval-", dir=tmp_path))
    (kept / "trials").mkdir()
    sweep(tmp_path)
    assert (folder.exists(), kept.exists()) == (False, True)


def test_one_whose_removal_was_cut_short_still_has_its_lock(tmp_path, monkeypatch):
    """Else nobody would know that it is to be removed."""

    def cut_short(path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scratch, "remove", cut_short)
    with pytest.raises(KeyboardInterrupt), scratch_folder(tmp_path) as folder:
        (folder / "bases").mkdir()
    monkeypatch.undo()
    assert (folder / "lock").exists()
    assert sweep(tmp_path) == [folder]


def test_folders_of_others_are_none_of_its_business(tmp_path):
    (tmp_path / "agenteval-notes").mkdir()
    (tmp_path / "agenteval-file").touch()
    (tmp_path / "agenteval-link").symlink_to(tmp_path / "agenteval-notes")
    assert sweep(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 3


def test_many_engines_that_start_at_once_do_not_sweep_each_other(tmp_path):
    alive: list[bool] = []

    def work() -> None:
        for _ in range(40):
            with scratch_folder(tmp_path) as folder:
                alive.append((folder / "lock").exists())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alive == [True] * 160
    assert list(tmp_path.iterdir()) == []


class TestRemove:
    def test_what_is_not_there(self, tmp_path):
        remove(tmp_path / "gone")

    def test_a_link_in_it_is_not_followed(self, tmp_path):
        (tmp_path / "precious").mkdir()
        (tmp_path / "precious/file").touch()
        (tmp_path / "tree").mkdir()
        (tmp_path / "tree/link").symlink_to(tmp_path / "precious")
        remove(tmp_path / "tree")
        assert (tmp_path / "precious/file").exists()

    def test_deeper_than_a_path_can_be(self, tmp_path):
        top = tmp_path / "tree"
        top.mkdir()
        folder = os.open(top, os.O_RDONLY)
        for _ in range(1500):
            os.mkdir("deep", dir_fd=folder)
            inner = os.open("deep", os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(folder)
        remove(top)
        assert not top.exists()
