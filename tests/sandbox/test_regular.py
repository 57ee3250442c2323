"""Reading what an untrusted process left behind."""

import os
from pathlib import Path

import pytest

from agenteval.sandbox import read_regular


def test_a_file_is_read_up_to_the_limit(tmp_path):
    (tmp_path / "file").write_bytes(b"abcdef")
    assert read_regular(tmp_path / "file", 100) == b"abcdef"
    assert read_regular(tmp_path / "file", 3) == b"abc"


@pytest.mark.parametrize("kind", ["missing", "link", "folder", "fifo", "device"])
def test_nothing_else_is_and_nothing_waits(tmp_path, kind):
    path = tmp_path / "thing"
    if kind == "link":
        (tmp_path / "file").write_text("secret")
        path.symlink_to(tmp_path / "file")
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/null")
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match=r"thing|null"):
        read_regular(path, 10)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
