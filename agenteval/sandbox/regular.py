"""Reading a file that an untrusted process left behind."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """Read at most `limit_bytes` of a regular file, in no case through a link.

    Raises
    ------
    OSError
        When it is missing or a link, folder, FIFO, socket or device; it never waits for any.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path.name} is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit_bytes)
    finally:
        os.close(descriptor)
