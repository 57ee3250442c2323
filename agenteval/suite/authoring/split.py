"""Which part of a commit is its tests, which the fix, and whether that can be made a task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agenteval.records import matches
from agenteval.suite.authoring.change import CommitChange, FileChange
from agenteval.suite.runners import Runner, looks_like_test, runner_of

TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "unittests"})
_SUPPORT = frozenset({"conftest.py", "pytest.ini", ".pytest.ini"})
_PROSE = frozenset({".md", ".rst", ".txt", ".adoc", ".png", ".svg", ".jpg", ".gif", ".ipynb"})
_PROSE_NAMES = frozenset({"LICENSE", "AUTHORS", "CONTRIBUTORS", "CHANGES", "CHANGELOG", "NEWS", "TODO"})  # fmt: skip
_UPKEEP = frozenset({".gitignore", ".gitattributes", ".editorconfig", ".pre-commit-config.yaml"})
_UPKEEP_ENDINGS = (".lock", "-lock.json", "-lock.yaml")


@dataclass(frozen=True)
class Split:
    """The parts of a commit.

    Attributes
    ----------
    hidden
        Test files, and what they need, as the commit left them.
    gone
        Test files that it deleted.
    source
        Files that programs are made of.
    rest
        Documentation, lockfiles and the like, which belong to the reference all the same.
    by_glob
        Whether an author said which files are tests.
    """

    hidden: tuple[FileChange, ...]
    gone: tuple[FileChange, ...]
    source: tuple[FileChange, ...]
    rest: tuple[FileChange, ...]
    by_glob: bool = False

    @property
    def runnable(self) -> tuple[str, ...]:
        """Paths of the test files that a runner can be started with."""
        paths = [file.path for file in self.hidden if runner_of(file.path) is not None]
        named = [path for path in paths if looks_like_test(path)]
        return tuple(named or (paths if self.by_glob else ()))

    @property
    def runners(self) -> frozenset[Runner]:
        """Programs that run them."""
        return frozenset(runner for path in self.runnable if (runner := runner_of(path)))

    @property
    def reference(self) -> tuple[str, ...]:
        """Paths that the reference solution changes."""
        return tuple(file.path for file in (*self.source, *self.rest))

    @property
    def source_lines(self) -> int:
        """Lines of source that changed."""
        return sum(file.lines for file in self.source)


def is_test_file(path: str, globs: Sequence[str] = ()) -> bool:
    """Whether a file is part of a project's tests: by `globs` if there are any, else by its name and folder.

    >>> is_test_file("tests/data/a.json"), is_test_file("src/contest.py"), is_test_file("a_test.py")
    (True, False, True)
    """
    if globs:
        return any(matches(path, glob) for glob in globs)
    pure = PurePosixPath(path)
    return (
        looks_like_test(path)
        or pure.name in _SUPPORT
        or not TEST_FOLDERS.isdisjoint(pure.parts[:-1])
    )


def split_change(files: Iterable[FileChange], globs: Sequence[str] = ()) -> Split:
    """Divide what a commit changed.

    Parameters
    ----------
    globs
        What its test files are called, when names and folders do not say.
    """
    parts: dict[str, list[FileChange]] = {"hidden": [], "gone": [], "source": [], "rest": []}
    for file in files:
        if is_test_file(file.path, globs):
            parts["gone" if file.status == "deleted" else "hidden"].append(file)
        else:
            parts["rest" if is_upkeep(file.path) else "source"].append(file)
    return Split(**{name: tuple(found) for name, found in parts.items()}, by_glob=bool(globs))


def obstacle(change: CommitChange, split: Split) -> str | None:
    """Why a commit cannot become a task, as far as its files say; None when it may."""
    if len(change.parents) > 1:
        return "it is a merge"
    if not change.parents:
        return "it has no parent to start from"
    if not split.hidden:
        return "it only deletes tests" if split.gone else "it changes no tests"
    if not split.source:
        return "it changes no source, only tests and documents"
    if not split.runnable:
        return "its tests are not in files that pytest or node runs"
    if len(split.runners) > 1:
        return "its tests are for pytest and for node"
    odd = next((f.path for f in (*split.hidden, *split.source, *split.rest) if not f.plain), None)
    if odd is not None:
        return f"it changes a link or a submodule ({odd})"
    return None


def is_upkeep(path: str) -> bool:
    """Whether a file is documentation, a lockfile or the like, and no program."""
    pure = PurePosixPath(path)
    return (
        pure.suffix.lower() in _PROSE
        or pure.name.partition(".")[0] in _PROSE_NAMES
        or pure.name in _UPKEEP
        or pure.name.endswith(_UPKEEP_ENDINGS)
        or pure.parts[0] in (".github", "docs", "doc")
    )
