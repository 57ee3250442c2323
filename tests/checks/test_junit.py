"""Reading JUnit files that nobody vouches for."""

import os

import pytest

from agenteval.checks import junit
from agenteval.checks.junit import JunitError, read_junit, remove_below

BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<testsuites><testcase classname="&b;" name="n"/></testsuites>'
)


def case(name, inside="", owner="tests.test_a"):
    return f'<testcase classname="{owner}" name="{name}">{inside}</testcase>'


def write(folder, *cases):
    (folder / "r.xml").write_text(
        f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
    )
    return read_junit(folder, "r.xml")


def test_each_outcome(tmp_path):
    found = write(
        tmp_path,
        case("a"),
        case("b", "<failure>no</failure>"),
        case("c", "<error/>"),
        case("d", '<skipped type="pytest.xfail"/>'),
        case("e", "<system-out>&lt;failure/&gt;</system-out><properties/>"),
    )
    assert found == {
        "tests.test_a::a": "passed",
        "tests.test_a::b": "failed",
        "tests.test_a::c": "error",
        "tests.test_a::d": "skipped",
        "tests.test_a::e": "passed",
    }


def test_the_worst_outcome_of_a_test_counts(tmp_path):
    found = write(tmp_path, case("a", "<skipped/><failure/>"), case("b", "<error/><failure/>"))
    assert list(found.values()) == ["failed", "error"]


def test_a_second_result_neither_hides_nor_replaces_a_failure(tmp_path):
    for order in ([case("a"), case("a", "<failure/>")], [case("a", "<failure/>"), case("a")]):
        found = write(tmp_path, *order)
        assert found == {"tests.test_a::a": "failed", "tests.test_a::a (2)": "passed"}


def test_a_case_without_a_class_belongs_to_its_suite(tmp_path):
    (tmp_path / "r.xml").write_text(
        '<testsuites><testsuite name="outer"><testsuite name="inner"><testcase name="a"/></testsuite>'
        '<testcase name="b"/></testsuite><testcase name="c"/></testsuites>'
    )
    assert list(read_junit(tmp_path, "r.xml")) == ["inner::a", "outer::b", "::c"]


@pytest.mark.parametrize(
    ("text", "by_hand"),
    [
        ("", False),
        ("<testsuites><testcase", False),  # cut off, as a crash leaves it
        ("exit 0", False),
        (BOMB, True),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', True),
    ],
)
def test_what_is_no_result(tmp_path, text, by_hand):
    (tmp_path / "r.xml").write_text(text)
    with pytest.raises(JunitError) as caught:
        read_junit(tmp_path, "r.xml")
    assert caught.value.by_hand is by_hand


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(JunitError, match="no results were written") as caught:
        read_junit(tmp_path, "r.xml")
    assert not caught.value.by_hand


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "link above"])
def test_what_no_runner_would_leave_is_never_followed(tmp_path, kind):
    good, box = tmp_path / "good", tmp_path / "box"
    good.mkdir()
    box.mkdir()
    write(good, case("a"))
    path = "sub/r.xml" if kind == "link above" else "r.xml"
    if kind == "link":
        (box / path).symlink_to(good / "r.xml")
    elif kind == "fifo":
        os.mkfifo(box / path)
    elif kind == "folder":
        (box / path).mkdir()
    else:
        (box / "sub").symlink_to(good)
    with pytest.raises(JunitError) as caught:
        read_junit(box, path)
    assert caught.value.by_hand
    remove_below(box, path)
    assert (good / "r.xml").exists()


def test_a_file_is_removed_below_real_folders(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/r.xml").write_text("x")
    remove_below(tmp_path, "a/r.xml")
    assert not (tmp_path / "a/r.xml").exists()
    remove_below(tmp_path, "not/there.xml")


def test_what_is_read_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(junit, "MAX_TESTS", 3)
    assert len(write(tmp_path, *map(case, "abc"))) == 3
    with pytest.raises(JunitError, match="more than 3 tests"):
        write(tmp_path, *map(case, "abcd"))
    monkeypatch.setattr(junit, "MAX_BYTES", 50)
    with pytest.raises(JunitError, match="larger"):
        write(tmp_path, case("a"))


def test_a_very_long_name_is_cut(tmp_path):
    (name,) = write(tmp_path, case("x" * 10_000))
    assert len(name) == junit.MAX_NAME
