"""Tries to reach a network from a namespace that has none, counted by the kernel."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

# Per protocol family: the file of counters, and how a line of it tells packets without a route.
COUNTER = "OutNoRoutes"


class Unreachable:
    """The counters of a process's network namespace, which stay readable when all in it are dead.

    A connection or datagram to an address outside of the namespace has no route, and the kernel
    counts it, name servers included. One to the namespace's own loopback is none.

    Parameters
    ----------
    pid
        A process of the namespace, before its command starts.
    """

    def __init__(self, pid: int) -> None:
        self._files: list[tuple[int, Callable[[str], int]]] = []
        for name, read in (("snmp", _in_columns), ("snmp6", _in_lines)):
            # absent where the kernel has no such protocol
            with contextlib.suppress(OSError):
                self._files.append((os.open(f"/proc/{pid}/net/{name}", os.O_RDONLY), read))
        self._before = self._count()

    def tries(self) -> int | None:
        """Packets that found no route since this was made; None where nothing counts them."""
        return self._count() - self._before if self._files else None

    def close(self) -> None:
        """Let the namespace go."""
        while self._files:
            os.close(self._files.pop()[0])

    def _count(self) -> int:
        return sum(read(_text(descriptor)) for descriptor, read in self._files)


def _text(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while data := os.read(descriptor, 1 << 16):
        parts.append(data)
    return b"".join(parts).decode()


def _in_columns(text: str) -> int:
    """IPv4: a line of names, and below it one of numbers."""
    names, numbers = (line.split() for line in text.splitlines()[:2])
    return int(dict(zip(names, numbers, strict=True)).get(COUNTER, 0))


def _in_lines(text: str) -> int:
    """IPv6: a name and a number a line."""
    found = (line.split() for line in text.splitlines() if f"Ip6{COUNTER}" in line)
    return sum(int(number) for _, number in found)
