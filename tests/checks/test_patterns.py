"""Patterns on text that an agent wrote: the same as `re` finds, and never for ever."""

import re
import threading

import pytest

from agenteval.checks import patterns
from agenteval.checks.patterns import NoVerdictError, search

EVIL, PROVOKED = r"^(a+)+$", "a" * 40 + "!"
TEXT = "First line\nrow{i} = 8080\n\tnaïve \U0001f600\x00\x1c end\r\nlast"


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "TIMEOUT_S", 0.3)


@pytest.mark.parametrize(
    "pattern",
    [
        "line$", "^row", r"row{i}", r"(?i)FIRST", r"\d{2,}", r"ï\w+", "\U0001f600", "\0", r"\x1c\s",
        r"(?s)line.*last", r"nothing", r"(l)(a)(s)t\Z", "", "a|b", r"\N{GREEK SMALL LETTER MU}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ignore_case", [False, True])
def test_it_finds_what_re_finds(pattern, ignore_case):
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0)
    expected = re.search(pattern, TEXT, flags)
    assert search(pattern, TEXT, ignore_case=ignore_case) == (expected and expected[0])


def test_half_a_surrogate_pair_and_a_long_match():
    assert search("a\ud800", "xa\ud800") == "a\ud800"
    assert search("x+", "x" * 5000) == "x" * patterns.SHOWN_CHARS


@pytest.mark.parametrize("kind", ["file-contains", "answer-contains", "command"])
def test_one_that_would_never_end_is_a_check_timeout(run, copy, soon, kind):
    (copy / "a.txt").write_text(PROVOKED)
    keys = {
        "file-contains": {"path": "a.txt", "pattern": EVIL},
        "answer-contains": {"answer": PROVOKED, "pattern": EVIL, "negate": True},
        "command": {"run": "cat a.txt", "stdout_matches": EVIL},
    }
    verdict = run(kind, **keys[kind])
    assert (verdict.passed, verdict.error_class, verdict.score) == (None, "check_timeout", 0.0)
    assert EVIL in verdict.detail


def test_literal_text_is_never_read_as_a_pattern(run, copy, soon):
    (copy / "a.txt").write_text(PROVOKED)
    assert run("file-contains", path="a.txt", text=EVIL).passed is False


def test_cancelled_while_it_searches():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(NoVerdictError) as caught:
        search(EVIL, PROVOKED, cancel=cancel)
    assert caught.value.error_class == "check_no_verdict"
