"""What a glob of a task file matches."""

from __future__ import annotations

from fnmatch import fnmatchcase


def matches(path: str, glob: str) -> bool:
    """Whether a path matches a glob; `dir/` and `dir/**` cover everything below.

    >>> matches("tests/unit/a.py", "tests/**"), matches("src/a.py", "*.py"), matches("a.py", "b.py")
    (True, True, False)
    """
    if glob.endswith("/"):
        glob += "**"
    return fnmatchcase(path, glob) or (glob.startswith("**/") and fnmatchcase(path, glob[3:]))
