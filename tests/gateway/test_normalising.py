"""What replay does not compare, and what it does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.errors import InvalidInput
from agenteval.gateway import Normaliser, read_rules

SAME = [
    ("toolu_01AbCdEfGh", "toolu_09zZyYxXwW"),
    ("call_Ab12f34567", "call_9876543xyz"),
    ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
    ("fco_123e4567-e89b-12d3-a456-426614174000", "fco_00000000-0000-0000-0000-000000000000"),
    ("Chunk ID: 39ac1a\nWall time: 0.3 seconds", "Chunk ID: 282e03\nWall time: 0.4 seconds"),
    ("Process Group PGID: 17980", "Process Group PGID: 3"),
    ("Background PIDs: 17980, 4", "Background PIDs: 3"),
    ("on 2026-03-01", "on 2027-11-30"),
    ("2026-03-01T10:00:00.123Z", "2027-11-30 09:59:59+02:00"),
    ("Today's date is Mon, Mar 2 2026.", "Today's date is Tuesday, December 31, 2030."),
    ("Today is 3/2/2026", "Today is 12/31/2030"),
    ("created_at 1772368496", "created_at 1999999999"),
    ("(1772368496123)", "(1999999999001)"),
    ("passed in 0.31s", "passed in 12.5 s"),
    ("/tmp/pytest-of-root/x.py", "/tmp/abc/x.py"),
    ("open tmpab12cd34", "open tmpzz99yy88"),
    ("http://127.0.0.1:4711/t/Ab-c_d/v1", "http://localhost:80/t/other/v1"),
    ("<object at 0x7f00deadbeef>", "<object at 0x7fffcafe0000>"),
    ("commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "commit 0000000000000000000000000000000000000000"),
]  # fmt: skip
DIFFERENT = [
    ("exit code 1", "exit code 2"),
    ("app.py", "test.py"),
    ("3 passed", "2 passed"),
    ("x = 1234567", "x = 1234568"),
    ("line 12:30", "line 12:31"),
    ("in May", "in June"),
    ("def test_normalising_a(", "def test_normalising_b("),
    ("call_the_function_a", "call_the_function_b"),
    ("/work/src/a.py", "/work/src/b.py"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_of_one_kind(one, other):
    assert Normaliser().text(one) == Normaliser().text(other) != one


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_of_different_kinds(one, other):
    assert Normaliser().text(one) != Normaliser().text(other)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_twice_is_as_once(text):
    normaliser = Normaliser({"/work": "workspace"})
    once = normaliser.text(text)
    assert normaliser.text(once) == once


def test_longer_places_come_first_and_keys_stay():
    normaliser = Normaliser({"/box": "box", "/box/work": "workspace"})
    told = {"/box": ["/box/work/a", 3, None, {"at": "/box/x"}]}
    assert normaliser.value(told) == {"/box": ["<workspace>/a", 3, None, {"at": "<box>/x"}]}


@pytest.mark.parametrize("text", ["[[rule]]\npattern = '('\nreplacement = ''\n", "[[rule]]\npattern = 'a'\n", "rules = 3\n", "rule = 3\n", "[["])  # fmt: skip
def test_rules_that_are_none_are_refused(tmp_path, text):
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match="The rules cannot be read"):
        read_rules(file)


def test_a_file_without_rules_has_none(tmp_path):
    (tmp_path / "rules.toml").write_text("")
    assert read_rules(tmp_path / "rules.toml") == ()


def test_a_part_is_one_text_whatever_the_order_of_its_keys():
    normaliser = Normaliser({"/box": "box"})
    one = normaliser.part({"b": "/box/x", "a": 1})
    assert one == normaliser.part({"a": 1, "b": "/box/x"}) == '{"a": 1, "b": "<box>/x"}'


def test_a_folder_of_the_trial_is_no_beginning_of_another_name():
    """Temporary files of Python lie in it, with such names."""
    texts = {
        Normaliser({"/tmp": "tmp"}).text(f"/tmp/tmp{name}/x") for name in ("k7eu9_nv", "cg3pyv7u")
    }
    assert texts == {"<tmp>/<temp>/x"}
