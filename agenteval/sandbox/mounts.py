"""What of the machine a bubblewrap box shows, and in which order it is mounted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from agenteval.sandbox.box import Box, View
from agenteval.sandbox.programs import PACKAGE, SYSTEM, interpreter_prefixes, program_folders

# Of /etc only what programs need to run; keys and the operator's configuration stay outside.
ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "debian_version", "fonts", "group", "hosts",
    "java-17-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf",
    "os-release", "passwd", "pki/tls/certs", "protocols", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf",
    "timezone",
)  # fmt: skip
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
    mounts += [("--tmpfs", path) for path in _masked([*box.hidden, PACKAGE], shown)]
    return _flat(sorted(mounts, key=_depth))


@cache
def system_mounts(*, network: bool) -> tuple[str, ...]:
    """Bubblewrap arguments for a read-only system, without any home."""
    mounts: list[Mount] = [("--ro-bind", "/usr", "/usr")]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            mounts.append(("--symlink", str(path.readlink()), str(path)))
        elif path.is_dir():
            mounts.append(("--ro-bind", str(path), str(path)))
    for name in (*ETC, "resolv.conf") if network else ETC:
        if Path("/etc", name).exists():
            mounts.append(("--ro-bind", f"/etc/{name}", f"/etc/{name}"))
    return tuple(_flat([*mounts, ("--proc", "/proc"), ("--dev", "/dev")]))


@cache
def _prefixes() -> tuple[Path, ...]:
    return tuple(interpreter_prefixes())


def _masked(hidden: Iterable[Path], shown: Sequence[Path]) -> list[str]:
    """Those of `hidden` that would be seen."""
    tops = [os.path.realpath(path) for path in (*SYSTEM, *shown, *_prefixes())]
    folders = {os.path.realpath(path) for path in hidden}
    return [
        folder
        for folder in sorted(folders)
        if any(folder == top or folder.startswith(f"{top}/") for top in tops)
        and os.path.isdir(folder)
    ]


def _depth(mount: Mount) -> int:
    return mount[-1].count("/")


def _flat(mounts: Iterable[Mount]) -> list[str]:
    return [part for mount in mounts for part in mount]
