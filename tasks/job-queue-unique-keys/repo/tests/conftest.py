import pytest

from errand import Queue


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(tmp_path, clock):
    with Queue(tmp_path / "jobs.db", clock=clock) as queue:
        yield queue
