"""Boxes of real folders, and the two sandboxes."""

import os
import select
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agenteval.sandbox import Box, Bubblewrap, Plain, Sandbox, bwrap_works


def need_bwrap() -> None:
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    assert problem is None, problem


@pytest.fixture
def bwrap() -> Bubblewrap:
    need_bwrap()
    return Bubblewrap()


@pytest.fixture(params=["bwrap", "plain"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "plain":
        return Plain()
    need_bwrap()
    return Bubblewrap()


@pytest.fixture
def make_box(tmp_path: Path) -> Callable[..., Box]:
    def make(**changes) -> Box:
        folder = tmp_path / "box"
        parts = {
            name: folder / part
            for name, part in (
                ("workspace", "ws"),
                ("home", "home"),
                ("tmp", "tmp"),
                ("inputs", "in"),
            )
        }
        box = Box(**parts | changes)
        box.create()
        return box

    return make


@pytest.fixture
def box(make_box: Callable[..., Box]) -> Box:
    return make_box()


def processes_with(marker: str) -> list[int]:
    """Living processes of this machine whose command line holds `marker`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rpartition(") ")[2][:1]
            except OSError:
                continue
            if marker.encode() in line and state not in "ZX":
                found.append(int(entry.name))
    return found


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    """A number of seconds to sleep that no other process has."""
    text = f"{86400 + os.getpid()}.{abs(hash(str(tmp_path))) % 10**9}"
    yield text
    for pid in processes_with(text):
        os.kill(pid, 9)


@pytest.fixture
def alive(marker: str) -> Callable[[], list[int]]:
    """The living processes that carry the marker."""
    return lambda: processes_with(marker)


@pytest.fixture
def wait_dead() -> Callable[[list[int]], None]:
    """Wait until these processes have ended."""

    def wait(pids: list[int]) -> None:
        for pid in pids:
            try:
                descriptor = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            ended = poll.poll(120_000)
            os.close(descriptor)
            assert ended, f"process {pid} lives on"

    return wait
