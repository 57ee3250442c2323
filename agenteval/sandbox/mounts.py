"""What of the machine a bubblewrap box shows, and in which order it is mounted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from agenteval.sandbox.box import Box, View
from agenteval.sandbox.process import run_process
from agenteval.sandbox.programs import PACKAGE, SYSTEM, interpreter_prefixes, program_folders

# Of /etc only what programs need to run; keys and the operator's configuration stay outside. Each
# entry costs every start a quarter of a millisecond.
ETC = (
    "alternatives", "fonts", "group", "hosts", "ld.so.cache", "localtime", "mime.types", "nsswitch.conf", "os-release",
    "passwd", "pki/tls/certs", "protocols", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "java-*-openjdk",
)  # fmt: skip
SHARED_MEMORY = 256 << 20
Mount = tuple[str, ...]


def box_mounts(box: Box, inside: View) -> list[str]:
    """Bubblewrap arguments for the files of a box, on top of `system_mounts`.

    What lies deeper is mounted later. So a program below /tmp stays visible under the private
    TMPDIR, and a hidden folder inside a shown one is masked while a declared file inside the
    hidden one is not.
    """
    shown = [*program_folders(box.programs), *box.read_only]
    mounts: list[Mount] = [("--ro-bind", str(path), str(path)) for path in _prefixes()]
    mounts += [("--ro-bind", str(path), str(path)) for path in shown]
    mounts += [
        ("--bind", str(box.home), inside.home),
        ("--bind", str(box.tmp), inside.tmp),
        ("--ro-bind", str(box.inputs), inside.inputs),
        ("--bind", str(box.workspace), inside.workspace),
    ]
    masked = _masked([*box.hidden, PACKAGE], shown)
    mounts += [("--tmpfs", path) for path in masked]
    # what is kept in memory must not be a place to write to: no limit on disk would count it
    closed = [("--remount-ro", path) for path in (*masked, "/dev", "/")]
    _clear_ways(box, inside, [mount[-1] for mount in mounts])
    return _flat([*sorted(mounts, key=_depth), *closed])


def _clear_ways(box: Box, inside: View, targets: Iterable[str]) -> None:
    """Take links off the ways to what is mounted below the writable folders.

    A command that ran in the box before may have left some, and bubblewrap, which makes what is
    missing on the way, would follow them out of the box.
    """
    tops = ((inside.tmp, box.tmp), (inside.home, box.home), (inside.workspace, box.workspace))
    for target in targets:
        for top, folder in tops:
            if not target.startswith(f"{top}/"):
                continue
            here = folder
            for part in target.removeprefix(f"{top}/").split("/"):
                here /= part
                last = here == folder / target.removeprefix(f"{top}/")
                if here.is_symlink() or (not last and here.exists() and not here.is_dir()):
                    here.unlink()


@cache
def system_mounts(*, network: bool) -> tuple[str, ...]:
    """Bubblewrap arguments for a read-only system, without any home."""
    names = [*ETC, "resolv.conf"] if network else ETC
    etc = sorted(path for name in names for path in Path("/etc").glob(name) if path.exists())
    roots = [Path("/", name) for name in ("bin", "sbin", "lib", "lib32", "lib64")]
    mounts = [
        ("--ro-bind", "/usr", "/usr"),
        *map(_as_it_is, [*filter(os.path.lexists, roots), *etc]),
    ]
    # the kernel asks for no capability where root writes below /proc/sys: it must be read-only
    proc = [("--proc", "/proc"), *([("--remount-ro", "/proc")] if os.geteuid() == 0 else [])]
    size = ("--size", str(SHARED_MEMORY)) if _knows_sizes() else ()
    shared = ("--perms", "1777", *size, "--tmpfs", "/dev/shm")
    return tuple(_flat([*mounts, *proc, ("--dev", "/dev"), shared]))


def _knows_sizes() -> bool:
    """Whether bubblewrap is new enough (0.7) to bound what is kept in memory."""
    told = run_process(["bwrap", "--help"], env={"PATH": os.environ.get("PATH", os.defpath)})
    return b"--size" in told.stdout


def _as_it_is(path: Path) -> Mount:
    """A link into /usr as a link, anything else as a read-only mount."""
    if path.is_symlink() and path.resolve().is_relative_to("/usr"):
        return ("--symlink", str(path.readlink()), str(path))
    return ("--ro-bind", str(path), str(path))


@cache
def _prefixes() -> tuple[Path, ...]:
    return tuple(interpreter_prefixes())


def _masked(hidden: Iterable[Path], shown: Sequence[Path]) -> list[str]:
    """Those of `hidden` that would be seen."""
    tops = [*SYSTEM, *(os.path.realpath(path) for path in (*shown, *_prefixes()))]
    folders = {os.path.realpath(path) for path in hidden}
    return [
        folder
        for folder in sorted(folders)
        if any(folder == top or folder.startswith(f"{top}/") for top in tops)
        and Path(folder).is_dir()
    ]


def _depth(mount: Mount) -> int:
    return mount[-1].count("/")


def _flat(mounts: Iterable[Mount]) -> list[str]:
    return [part for mount in mounts for part in mount]
