"""The checks `files-changed` and `protected`."""

import pytest

from agenteval.checks import Changes, Work

BEFORE = {"src/a.py": "1\n", "db/001.sql": "x\n", "poetry.lock": "y\n"}


@pytest.mark.parametrize(
    ("keys", "passed", "why"),
    [
        ({"only": ["src/**"]}, True, ""),
        ({"only": ["db/**"]}, False, "changed outside of `only`: src/a.py, src/b.py"),
        ({"must": ["src/b.py"]}, True, ""),
        ({"must": ["tests/**"]}, False, "nothing changed that matches tests/**"),
        ({"max_files": 2}, True, ""),
        ({"max_files": 1}, False, "2 files changed, at most 1"),
        ({"max_lines": 4}, True, ""),
        ({"max_lines": 3}, False, "4 lines changed, at most 3"),
        ({"only": ["src/**"], "max_files": 0}, False, "2 files changed, at most 0"),
    ],
)
def test_files_changed(run, patched, keys, passed, why):
    work = patched(BEFORE, {"src/a.py": "2\n", "src/b.py": "3\n4\n"})
    verdict = run("files-changed", work=work, **keys)
    assert verdict.passed is passed
    assert why in verdict.detail


def test_what_a_patch_cannot_hold_is_a_change_too(run):
    work = Work(changes=Changes(left_out=("pipe",)))
    assert run("files-changed", only=["src/**"], work=work).passed is False
    assert run("files-changed", max_files=0, work=work).passed is False


@pytest.mark.parametrize(
    ("after", "passed"),
    [
        ({"src/a.py": "2\n"}, True),
        ({"db/001.sql": "edited\n"}, False),
        ({"db/001.sql": None}, False),
        ({"db/002.sql": "a new migration\n"}, True),
        ({"db/001.sql": "x\n"}, True),  # the same bytes, written again
    ],
)
def test_protected_files_come_out_as_they_went_in(run, patched, after, passed):
    verdict = run("protected", globs=["db/", "*.lock"], work=patched(BEFORE, after))
    assert verdict.passed is passed
    assert verdict.detail == ("untouched" if passed else "touched: db/001.sql")


def test_new_protected_files_count_where_asked_for(run, patched):
    work = patched(BEFORE, {"db/002.sql": "new\n"})
    assert run("protected", globs=["db/"], additions=True, work=work).passed is False
