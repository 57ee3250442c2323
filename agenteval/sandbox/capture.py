"""Keeping the head and the tail of a stream of any length in bounded memory."""

from __future__ import annotations

import re
from collections import deque

CUT = re.compile(rb"\n\[\.\.\. \d+ bytes left out \.\.\.\]\n")


class Capture:
    r"""Head and tail of a byte stream.

    Parameters
    ----------
    keep_bytes
        Bytes kept in all, half of them from the head.

    Examples
    --------
    >>> capture = Capture(8)
    >>> for piece in (b"abcd", b"efgh", b"ijkl"):
    ...     capture.add(piece)
    >>> capture.value()
    b'abcd\n[... 4 bytes left out ...]\nijkl'
    """

    def __init__(self, keep_bytes: int) -> None:
        self.total = 0
        self._head_room = self._tail_room = max(1, keep_bytes // 2)
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(data)
        if self._head_room:
            part, data = data[: self._head_room], data[self._head_room :]
            self._head.append(part)
            self._head_room -= len(part)
        if not data:
            return
        self._tail.append(data)
        self._tail_bytes += len(data)
        while self._tail_bytes - len(self._tail[0]) >= self._tail_room:
            self._tail_bytes -= len(self._tail.popleft())

    def value(self) -> bytes:
        """What was kept, with a marker where bytes were left out."""
        head, tail = b"".join(self._head), b"".join(self._tail)[-self._tail_room :]
        left_out = self.total - len(head) - len(tail)
        if left_out <= 0:
            return head + tail
        return head + f"\n[... {left_out} bytes left out ...]\n".encode() + tail
