"""What the agent is given and should not be, and what nobody tells it."""

import pytest

from agenteval.suite.authoring import (
    Leak,
    find_leaks,
    names_in,
    needed_names,
    texts_below,
    untold_names,
)

HIDDEN = """\
from shelf import read

def test_an_empty_file_gives_nothing():
    assert read(path, strict_mode=True) == ["nothing at all"]
"""
PATH = "tests/test_hidden_read.py"
CLEAN = {"shelf.py": "def read(path): ...\n", "prompt": "Mend it.", "setup": ""}


def leaks(**more):
    given = {**CLEAN, **{name.replace("__", "/"): text for name, text in more.items()}}
    return [leak.where for leak in find_leaks(given, {PATH: HIDDEN, "data.txt": "Mend it."})]


def test_a_clean_task_has_none():
    assert leaks() == []


@pytest.mark.parametrize(
    "text",
    [
        HIDDEN,
        "make test_an_empty_file_gives_nothing pass",
        'x\n    assert read(path, strict_mode=True) == ["nothing at all"]\n',
        "see test_hidden_read.py",
    ],
)
@pytest.mark.parametrize("place", ["prompt", "setup", "docs__plan"])
def test_a_test_its_name_and_its_assertions_are_found_wherever_they_stand(text, place):
    assert leaks(**{place: text}) == [place.replace("__", "/")]


def test_what_an_earlier_version_of_the_file_has_is_none():
    earlier = HIDDEN + "\n\ndef test_more():\n    pass\n"
    given = {**CLEAN, PATH: earlier, "notes.txt": "test_an_empty_file_gives_nothing"}
    assert find_leaks(given, {PATH: HIDDEN}) == []


def test_an_original_that_is_laid_back_is_none():
    given = {**CLEAN, PATH: HIDDEN, "notes.txt": "test_an_empty_file_gives_nothing"}
    assert find_leaks(given, {PATH: HIDDEN}) == []


def test_a_whole_hidden_file_at_another_path_is_a_leak():
    other = "tests/test_copy.py"
    assert find_leaks({**CLEAN, other: HIDDEN, PATH: "x = 1\n"}, {PATH: HIDDEN}) == [
        Leak(other, f"all of the hidden file {PATH}")
    ]


def test_tests_of_the_project_may_ask_for_one_thing_twice():
    more = HIDDEN + "\n\ndef test_that_two_lines_are_two():\n    assert read(path_of_two) == ['a', 'b']\n"  # fmt: skip
    given = {**CLEAN, "tests/test_read.py": "def test_that_two_lines_are_two(): ..."}
    assert find_leaks(given, {"tests/test_new.py": more}) == []
    assert find_leaks({**given, "plan.md": "test_that_two_lines_are_two"}, {"tests/test_new.py": more})  # fmt: skip


PATCH = """\
+++ b/shelf.py
+def read(path, strict_mode=False, limit=3):
+    found = []
"""


def test_names_that_only_the_reference_and_hidden_tests_have():
    start = names_in(CLEAN["shelf.py"])
    assert needed_names(start, PATCH, [HIDDEN]) == {"strict_mode"}
    assert untold_names("Mend it.", start, PATCH, [HIDDEN]) == ("strict_mode",)
    assert untold_names("Give it strict_mode.", start, PATCH, [HIDDEN]) == ()
    assert untold_names("Mend it.", start | {"strict_mode"}, PATCH, [HIDDEN]) == ()


def test_names_that_tests_define_themselves_are_their_own():
    tests = ["def limit(): ...\n\nlimit()\nfound = limit()\nprint(found.x)\n"]
    assert needed_names(frozenset(), PATCH, tests) == frozenset()


def test_texts_are_read_without_links_and_binary_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt").write_text("text")
    (tmp_path / "bin").write_bytes(b"\0\1")
    (tmp_path / "link").symlink_to("a/b.txt")
    assert texts_below(tmp_path) == {"a/b.txt": "text"}
