"""Which programs a sandboxed command finds, and which folders of the host that needs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

SYSTEM_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
PACKAGE = Path(__file__).resolve().parents[1]


def interpreter_prefixes() -> list[Path]:
    """Folders that hold this Python and its packages (the venv and what it is based on)."""
    found = {
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(sys.prefix).resolve(),
        Path(sys.base_prefix).resolve(),
    }
    found |= {Path(os.path.realpath(sys.executable)).parents[1]}
    return sorted(path for path in found if not in_system(path))


def in_system(path: Path) -> bool:
    """Whether a path is below the read-only system folders that are always shown."""
    return any(path.is_relative_to(root) for root in SYSTEM)


def search_path(programs: Iterable[str] = ()) -> str:
    """PATH of sandboxed commands: this interpreter's programs, the system's, then those named."""
    folders = [str(Path(sys.prefix) / "bin"), *SYSTEM_PATH]
    found = (find_program(name) for name in programs)
    return os.pathsep.join(dict.fromkeys([*folders, *(str(p.parent) for p in found if p)]))


def find_program(name: str) -> Path | None:
    """Where a program that a task `requires` is, on the sandbox's PATH or the operator's."""
    found = shutil.which(name, path=search_path()) or shutil.which(name)
    return Path(found).absolute() if found else None


def missing_programs(names: Iterable[str]) -> list[str]:
    """Those of `names` that this machine lacks."""
    return [name for name in names if find_program(name) is None]


def program_folders(names: Iterable[str]) -> list[Path]:
    """Folders to show so that the programs run: the install prefix of each that is not the system's.

    A program in a `bin` folder brings that folder's parent, unless this is the operator's HOME,
    its .local or the root, which must stay hidden; then only the file itself is shown.
    """
    folders = set()
    for name in names:
        found = find_program(name)
        for path in {found, found.resolve()} if found else set():
            if in_system(path) or any(path.is_relative_to(p) for p in interpreter_prefixes()):
                continue
            prefix = path.parent.parent
            home = Path.home()
            hidden = {home, home / ".local", home.parent, Path("/home"), Path("/")}
            folders.add(prefix if path.parent.name == "bin" and prefix not in hidden else path)
    return sorted(folders)
