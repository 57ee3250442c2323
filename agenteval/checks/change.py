"""The checks on which files changed: `files-changed` and `protected`."""

from __future__ import annotations

from collections.abc import Iterable

from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.work import Changes
from agenteval.records import FilesChangedCheck, ProtectedCheck, matches

SHOWN = 5


def check_files_changed(check: FilesChangedCheck, grading: Grading) -> Verdict:
    """Compare the change with its bounds; all that are broken are told."""
    changes = grading.work.changes
    paths = [*(file.path for file in changes.files), *changes.left_out]
    lines = sum(len(file.added) + len(file.removed) for file in changes.files)
    told = []
    if check.only:
        outside = [path for path in paths if not _any(path, check.only)]
        told += [f"changed outside of `only`: {_shown(outside)}"] if outside else []
    missing = [glob for glob in check.must if not any(matches(path, glob) for path in paths)]
    told += [f"nothing changed that matches {_shown(missing)}"] if missing else []
    if check.max_files is not None and len(paths) > check.max_files:
        told.append(f"{len(paths)} files changed, at most {check.max_files}")
    if check.max_lines is not None and lines > check.max_lines:
        told.append(f"{lines} lines changed, at most {check.max_lines}")
    return Verdict(
        passed=not told, detail="; ".join(told) or f"{len(paths)} files, {lines} lines changed"
    )


def check_protected(check: ProtectedCheck, grading: Grading) -> Verdict:
    """See that the files came out as they went in."""
    touched = protected_edits(grading.work.changes, check.globs, additions=check.additions)
    told = f"touched: {_shown(touched)}" if touched else "untouched"
    return Verdict(passed=not touched, detail=told)


def protected_edits(
    changes: Changes, globs: Iterable[str], *, additions: bool = False
) -> list[str]:
    """Paths among `globs` whose bytes the change edits or deletes.

    Parameters
    ----------
    additions
        Whether files that were not there before count too.
    """
    listed = list(globs)
    return [
        file.path
        for file in changes.files
        if file.touched and (additions or file.before is not None) and _any(file.path, listed)
    ]


def _any(path: str, globs: Iterable[str]) -> bool:
    return any(matches(path, glob) for glob in globs)


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
