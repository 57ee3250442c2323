"""Without a limit on disk: no command takes what all of them share."""

import os
from pathlib import Path

import pytest

from agenteval.sandbox import Bounds, gauges
from agenteval.sandbox.gauges import DiskGauge, SpareGauge, nameless_bytes
from agenteval.sandbox.group import Group
from agenteval.sandbox.meter import Meter

MB = 1 << 20


@pytest.fixture
def gauge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On a disk on which 8 MB were free, and on which so much is free now."""

    def make(free_now: int) -> SpareGauge:
        monkeypatch.setattr(gauges, "_free", lambda folders: (8 * MB, 0))
        made = SpareGauge([tmp_path])
        monkeypatch.setattr(gauges, "_free", lambda folders: (free_now, 0))
        return made

    return make


@pytest.mark.parametrize(
    ("free_now", "own", "hit"),
    [
        (4 * MB, 4 * MB, None),  # half is still there
        (3 * MB, 5 * MB, "disk_limit"),
        (3 * MB, 2 * MB, "disk_limit"),
        (3 * MB, 1 * MB, None),  # others took it
        (2 * MB, MB // 2 + 8192, None),  # nor was it this one among several
        (1 * MB, MB // 2 + 8192, "disk_limit"),
        (0, MB // 4, None),
        (0, 8 * MB, "disk_limit"),
    ],
)
def test_a_quarter_of_what_was_free_is_too_much_once_half_is_gone(
    gauge, tmp_path, free_now, own, hit
):
    (tmp_path / "file").write_bytes(os.urandom(own))
    assert gauge(free_now).hit(tuple) == hit


def test_no_command_makes_more_files_than_can_be_looked_at(tmp_path, monkeypatch):
    """However many the disk can hold, and only if they are its own."""
    monkeypatch.setattr(SpareGauge, "MOST_FILES", 50)
    monkeypatch.setattr(gauges, "_free", lambda folders: (8 * MB, 10**6))
    gauge = SpareGauge([tmp_path])
    monkeypatch.setattr(gauges, "_free", lambda folders: (8 * MB, 10**6 - 60))
    assert gauge.hit(tuple) is None
    for number in range(60):
        (tmp_path / str(number)).touch()
    assert gauge.hit(tuple) == "disk_limit"


def test_who_comes_to_a_full_disk_is_not_to_blame(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(os.urandom(MB))
    monkeypatch.setattr(gauges, "_free", lambda folders: (8192, 10))
    late = SpareGauge([tmp_path])
    monkeypatch.setattr(gauges, "_free", lambda folders: (0, 0))
    assert late.hit(tuple) is None


@pytest.mark.parametrize("limit", [None, 100])
def test_it_holds_whatever_limit_a_task_names(tmp_path, limit):
    with Group(()) as group:
        meter = Meter(Bounds(disk_mb=limit), [tmp_path], group)
    assert any(isinstance(gauge, SpareGauge) for _, gauge in meter._due)


@pytest.mark.parametrize(("own", "hit"), [(300, "disk_limit"), (100, None)])
def test_files_without_contents_take_room_too(tmp_path, monkeypatch, own, hit):
    monkeypatch.setattr(gauges, "_free", lambda folders: (8 * MB, 1000))
    made = SpareGauge([tmp_path])
    for number in range(own):
        (tmp_path / str(number)).touch()
    monkeypatch.setattr(gauges, "_free", lambda folders: (8 * MB, 400))
    assert made.hit(tuple) == hit


def test_open_files_that_no_folder_names_count(tmp_path):
    with (tmp_path / "gone").open("wb", buffering=0) as file:
        (tmp_path / "gone").unlink()
        file.write(os.urandom(3 * MB))
        assert 3 * MB <= nameless_bytes([os.getpid(), os.getpid()], [tmp_path]) < 4 * MB
        assert DiskGauge([tmp_path], 2).hit(lambda: [os.getpid()]) == "disk_limit"
        assert DiskGauge([tmp_path], 9).hit(lambda: [os.getpid()]) is None
