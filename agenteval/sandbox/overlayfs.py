"""Overlay mounts: a folder that shows another one, and keeps what is written to it elsewhere.

They are made in the engine's own mount namespace, so every sandbox can use them. An engine that is
killed leaves them behind; they are taken away with the scratch folder they lie in.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import re
import stat
import tempfile
from functools import cache
from pathlib import Path

MS_NOSUID, MS_NODEV = 2, 4
MNT_DETACH, UMOUNT_NOFOLLOW = 2, 8
# What is never followed cannot lead out of the base; nothing here outlives a power failure, so
# nothing is worth waiting for the disk at the end.
OPTIONS = ("redirect_dir=nofollow", "metacopy=off", "index=off", "volatile")
_UNTOLD = re.compile(r'[,:\\"\n]')  # what the kernel would take for its own in an option
_mounted: dict[Path, int] = {}  # and the process that made it


def mount_overlay(base: Path, folder: Path, layer: Path) -> None:
    """Show `base` in the empty `folder`; what is written there goes below `layer`.

    Parameters
    ----------
    layer
        Folder for `upper`, which may hold changes already, and the kernel's own `work`; on the
        same file system as `base`.

    Raises
    ------
    OSError
        When this cannot be had.
    """
    upper, work = layer / "upper", layer / "work"
    upper.mkdir(parents=True, exist_ok=True)
    work.mkdir()
    upper.chmod(stat.S_IMODE(base.stat().st_mode))
    told = (f"lowerdir={base}", f"upperdir={upper}", f"workdir={work}", *OPTIONS)
    _check(
        _libc().mount(
            b"overlay", os.fsencode(folder), b"overlay", MS_NOSUID | MS_NODEV,
            os.fsencode(",".join(told)),
        )
    )  # fmt: skip
    _mounted[folder] = os.getpid()


def make_whiteout(path: bytes) -> None:
    """Make a place in the `upper` of a layer that is not mounted yet hide what the base has there."""
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(0, 0))


def unmount_below(folder: Path) -> None:
    """Take away the mounts that this process made at or below a folder."""
    for mounted in [path for path in tuple(_mounted) if path.is_relative_to(folder)]:
        if _mounted.pop(mounted, None) == os.getpid():
            _unmount(mounted)


atexit.register(unmount_below, Path("/"))


def unmount_leftovers(folder: Path) -> None:
    """Take away all mounts below a folder, whoever made them."""
    for mounted in reversed(_mounts_below(folder)):
        _unmount(mounted)


def overlay_problem(folder: Path) -> str | None:
    """None when overlay mounts work between folders below `folder`, else the reason why not.

    Tried for real: a file of a base is replaced, another one deleted, and the base looked at.
    """
    if _UNTOLD.search(str(folder)):
        return f"the path {folder} has characters that mount options cannot hold"
    return _problem(folder)


@cache
def _problem(parent: Path) -> str | None:
    with tempfile.TemporaryDirectory(prefix="overlay-", dir=parent) as name:
        top = Path(name)
        base, folder = top / "base", top / "folder"
        try:
            (base / "sub").mkdir(parents=True)
            (base / "kept").write_text("kept")
            (base / "sub/gone").write_text("gone")
            folder.mkdir()
            before = (base / "kept").stat()
            mount_overlay(base, folder, top / "layer")
            inode = (folder / "kept").stat().st_ino
            (folder / "kept").write_text("other")
            (folder / "sub/gone").unlink()
            found = [(base / "kept").read_text(), (base / "sub/gone").read_text()]
            seen = [(folder / "kept").read_text(), (folder / "sub/gone").exists()]
        except OSError as error:
            return f"overlay mounts: {error.strerror}"
        finally:
            unmount_below(top)
    if (found, seen) != (["kept", "gone"], ["other", False]):
        return "overlay mounts do not keep the base apart"
    return None if inode == before.st_ino else "overlay mounts number files anew"


def _mounts_below(folder: Path) -> list[Path]:
    points = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_bytes().split(b"\n"):
            fields = line.split(b" ")
            if len(fields) > 4:
                point = re.sub(rb"\\(\d{3})", lambda octal: bytes([int(octal[1], 8)]), fields[4])
                points.append(Path(os.fsdecode(point)))
    return [point for point in points if point.is_relative_to(folder)]


def _unmount(folder: Path) -> None:
    # at once for whoever looks from now on; who still has it open keeps it until then
    with contextlib.suppress(OSError):
        _check(_libc().umount2(os.fsencode(folder), MNT_DETACH | UMOUNT_NOFOLLOW))


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


@cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.mount.argtypes = [*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p]
    library.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]
    return library
