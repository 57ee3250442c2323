"""Reading a JUnit file that code under test may have written: nothing in it is trusted."""

from __future__ import annotations

import errno
import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Literal
from xml.parsers import expat

TestStatus = Literal["passed", "skipped", "failed", "error"]

MAX_BYTES = 64 << 20
MAX_TESTS = 200_000
MAX_NAME = 2000
_CHUNK = 1 << 20
_WORSE: tuple[TestStatus, ...] = ("passed", "skipped", "failed", "error")
_TAGS: Mapping[str, TestStatus] = {"skipped": "skipped", "failure": "failed", "error": "error"}


class JunitError(ValueError):
    """There is no JUnit file, or none that a test runner would write.

    Attributes
    ----------
    by_hand
        Whether no runner can have left it so: a link, a FIFO, a document type.
    """

    def __init__(self, problem: str, *, by_hand: bool = False) -> None:
        super().__init__(problem)
        self.by_hand = by_hand


def read_junit(folder: Path, path: str) -> dict[str, TestStatus]:
    """Read test id -> status of a JUnit file below `folder`.

    An id is `classname::name`. One that occurs again gets a number (`id (2)`), the worst outcome
    first, so that a second result can neither hide nor replace a failure.

    Raises
    ------
    JunitError
        When it is missing, not reached without a link, no regular file, too large, no XML, or
        declares a document type or an entity.
    """
    with _regular(folder, path) as file:
        reader = _Reader()
        read = 0
        try:
            while chunk := file.read(_CHUNK):
                read += len(chunk)
                if read > MAX_BYTES:
                    raise JunitError(f"the results are larger than {MAX_BYTES >> 20} MB")
                reader.parser.Parse(chunk, False)  # noqa: FBT003 - expat's own signature
            reader.parser.Parse(b"", True)  # noqa: FBT003
        except expat.ExpatError as error:
            raise JunitError(f"the results are no XML: {error}") from None
    return _numbered(reader.found)


def remove_below(folder: Path, path: str) -> None:
    """Remove a file below `folder`, links never followed; one that cannot be removed stays."""
    try:
        with _parent(folder, path) as (parent, name):
            os.unlink(name, dir_fd=parent)
    except OSError:
        return


class _Reader:
    """Takes the test cases out of an XML stream."""

    def __init__(self) -> None:
        self.found: list[tuple[str, TestStatus]] = []
        self._suites: list[str] = []
        self._case: str | None = None
        self._status: TestStatus = "passed"
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_: Any) -> None:
        raise JunitError("the results declare a document type", by_hand=True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testsuite":
            self._suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            owner = attributes.get("classname") or (self._suites[-1] if self._suites else "")
            self._case = f"{owner}::{attributes.get('name', '')}"[:MAX_NAME]
            self._status = "passed"
        elif self._case is not None and tag in _TAGS:
            self._status = _worst(self._status, _TAGS[tag])

    def _end(self, tag: str) -> None:
        if tag == "testsuite" and self._suites:
            self._suites.pop()
        elif tag == "testcase" and self._case is not None:
            if len(self.found) >= MAX_TESTS:
                raise JunitError(f"the results hold more than {MAX_TESTS} tests")
            self.found.append((self._case, self._status))
            self._case = None


def _worst(*statuses: TestStatus) -> TestStatus:
    return max(statuses, key=_WORSE.index)


def _numbered(found: list[tuple[str, TestStatus]]) -> dict[str, TestStatus]:
    by_id: dict[str, list[TestStatus]] = defaultdict(list)
    for test, status in found:
        by_id[test].append(status)
    numbered: dict[str, TestStatus] = {}
    for test, statuses in by_id.items():
        for number, status in enumerate(sorted(statuses, key=_WORSE.index, reverse=True), 1):
            numbered[test if number == 1 else f"{test} ({number})"] = status
    return numbered


@contextmanager
def _regular(folder: Path, path: str) -> Iterator[BinaryIO]:
    try:
        with _parent(folder, path) as (parent, name):
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    except FileNotFoundError:
        raise JunitError("no results were written") from None
    except OSError as error:
        by_hand = error.errno in (errno.ELOOP, errno.ENXIO, errno.ENOTDIR)
        raise JunitError(f"the results cannot be read: {error.strerror}", by_hand=by_hand) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise JunitError("the results are not a regular file", by_hand=True)
    with os.fdopen(descriptor, "rb") as file:
        yield file


@contextmanager
def _parent(folder: Path, path: str) -> Iterator[tuple[int, str]]:
    """The folder of a path, opened one part at a time so that no link is followed, and the name."""
    *folders, name = PurePosixPath(path).parts
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in folders:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor, name
    finally:
        os.close(descriptor)
