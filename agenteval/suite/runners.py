"""Which files are tests, by their names, and which program runs them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Literal

from agenteval.records import HiddenTestsCheck, RecordedCheck, matches

Runner = Literal["pytest", "node"]

_NODE_ENDINGS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
_FOREIGN = frozenset({"node_modules", "site-packages", ".venv", "venv"})
_TEST_NAME = re.compile(
    r"(test_.*|.*_test|tests?)\.py|(.*[._-](test|spec)|test-.*|test)\.[mc]?[jt]sx?"
)


def looks_like_test(path: str) -> bool:
    """Whether a file is named like one that holds tests, in Python or JavaScript.

    >>> [looks_like_test(p) for p in ("tests/test_a.py", "test/a.test.js", "tests/conftest.py")]
    [True, True, False]
    """
    return _TEST_NAME.fullmatch(PurePosixPath(path).name) is not None


def runner_of(path: str) -> Runner | None:
    """The program that runs a test file; None for a language whose tests cannot be recorded here.

    >>> runner_of("a_test.py"), runner_of("a.test.mjs"), runner_of("a_test.go")
    ('pytest', 'node', None)
    """
    ending = PurePosixPath(path).suffix
    return "pytest" if ending == ".py" else "node" if ending in _NODE_ENDINGS else None


def files_to_run(
    check: RecordedCheck, hidden: Iterable[str], start: Iterable[str], tests: Iterable[str]
) -> tuple[str, ...]:
    """Test files that a check runs: hidden ones, or those the project had at the start.

    Installed dependencies bring tests of their own, which are not the project's.

    Parameters
    ----------
    hidden
        Paths of the task's hidden files.
    start
        Paths of the starting repository.
    tests
        The task's globs of the project's own test files.
    """
    if isinstance(check, HiddenTestsCheck):
        return tuple(check.files) or tuple(filter(looks_like_test, hidden))
    globs = list(tests)
    own = (
        path
        for path in filter(looks_like_test, start)
        if any(matches(path, glob) for glob in globs)
        and _FOREIGN.isdisjoint(PurePosixPath(path).parts)
    )
    return tuple(sorted(own))
