"""Without a limit on disk: no command takes what all of them share."""

import os
from pathlib import Path

import pytest

from agenteval.sandbox import Bounds, gauges
from agenteval.sandbox.gauges import SpareGauge
from agenteval.sandbox.group import Group
from agenteval.sandbox.meter import Meter

MB = 1 << 20


@pytest.fixture
def gauge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On a disk on which 8 MB were free, and on which so much is free now."""

    def make(free_now: int) -> SpareGauge:
        monkeypatch.setattr(gauges, "_free_bytes", lambda folder: 8 * MB)
        made = SpareGauge([tmp_path])
        monkeypatch.setattr(gauges, "_free_bytes", lambda folder: free_now)
        return made

    return make


@pytest.mark.parametrize(
    ("free_now", "own", "hit"),
    [
        (4 * MB, 4 * MB, None),  # half is still there
        (3 * MB, 5 * MB, "disk_limit"),
        (3 * MB, 2 * MB, "disk_limit"),
        (3 * MB, 1 * MB, None),  # others took it
        (0, 1 * MB, None),
        (0, 8 * MB, "disk_limit"),
    ],
)
def test_a_quarter_of_what_was_free_is_too_much_once_half_is_gone(
    gauge, tmp_path, free_now, own, hit
):
    (tmp_path / "file").write_bytes(os.urandom(own))
    assert gauge(free_now).hit(tuple) == hit


def test_who_comes_to_a_full_disk_is_not_to_blame(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(os.urandom(MB))
    monkeypatch.setattr(gauges, "_free_bytes", lambda folder: 8192)
    late = SpareGauge([tmp_path])
    monkeypatch.setattr(gauges, "_free_bytes", lambda folder: 0)
    assert late.hit(tuple) is None


@pytest.mark.parametrize(("limit", "spare"), [(None, True), (100, False)])
def test_a_limit_that_a_task_names_takes_its_place(tmp_path, limit, spare):
    with Group(()) as group:
        meter = Meter(Bounds(disk_mb=limit), [tmp_path], group)
    assert any(isinstance(gauge, SpareGauge) for _, gauge in meter._due) == spare
