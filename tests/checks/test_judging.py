"""A failure is believed; a success must be proven."""

import pytest

from agenteval.checks.judging import judge
from agenteval.checks.tripwire import Tripwires

WIRES = Tripwires(("test_wire_one", "test_wire_two"))
RED = {"t::test_wire_one": "failed", "u::test_wire_two": "error"}
ALL = ("t::a", "t::b")


def judged(results, *, exit_code=1, recorded=ALL, exact=True, wires=RED):
    return judge({**results, **wires}, WIRES, exit_code=exit_code, recorded=recorded, exact=exact)


def test_the_recorded_ids_and_no_other_pass():
    found = judged({"t::a": "passed", "t::b": "passed"})
    assert (found.passed, found.detail, found.forged) == (True, "2 of 2 passed", False)
    assert found.tests == {"t::a": "passed", "t::b": "passed"}


@pytest.mark.parametrize(
    ("results", "detail"),
    [
        ({"t::a": "passed"}, "1 of 2 passed; missing: b"),
        ({"t::a": "passed", "t::b": "failed"}, "1 of 2 passed; failed: b"),
        ({"t::a": "passed", "t::b": "error"}, "1 of 2 passed; error: b"),
        ({"t::a": "passed", "t::b": "skipped"}, "1 of 2 passed; skipped: b"),
        ({"t::a": "passed", "t::b": "passed", "t::c": "passed"}, "2 of 2 passed; not recorded: c"),
        ({}, "0 of 2 passed; missing: a, b"),
    ],
)
def test_anything_else_fails(results, detail):
    found = judged(results)
    assert (found.passed, found.detail, found.forged) == (False, detail, False)


def test_the_suite_may_have_others():
    own = {"t::a": "passed", "t::b": "passed"}
    assert judged({**own, "t::c": "failed"}, exact=False).passed
    assert judged({"t::a": "passed", "t::c": "passed"}, exact=False).passed is False


@pytest.mark.parametrize("green", ["passed", "skipped"])
@pytest.mark.parametrize("exact", [True, False])
def test_a_green_tripwire_is_no_verdict_whatever_else(green, exact):
    for results in ({"t::a": "passed", "t::b": "passed"}, {"t::a": "failed"}):
        found = judged(results, exact=exact, wires={**RED, "t::test_wire_one": green})
        assert (found.passed, found.forged) == (None, True)
        assert "test_wire_one" in found.detail


def test_one_green_repetition_of_a_tripwire_is_enough():
    wires = {**RED, "t::test_wire_one[1]": "passed"}
    assert judged({"t::a": "passed", "t::b": "passed"}, wires=wires).forged


@pytest.mark.parametrize("exit_code", [0, 1])
def test_success_without_the_tripwire_is_forged(exit_code):
    wires = {"u::test_wire_two": "failed"}
    found = judged({"t::a": "passed", "t::b": "passed"}, wires=wires, exit_code=exit_code)
    assert (found.passed, found.forged) == (None, True)


def test_nothing_run_at_all_is_forged():
    assert judged({}, wires={}, exit_code=5).forged


def test_a_failure_without_the_tripwire_is_believed():
    """A file that cannot be imported has no tripwire that could run."""
    found = judged({"::tests.test_a": "error"}, wires={"u::test_wire_two": "failed"})
    assert (found.passed, found.forged) == (False, False)


def test_a_failure_that_ends_in_exit_code_0_is_not():
    assert judged({"t::a": "failed"}, wires={}, exit_code=0).forged


def test_the_recorded_alone_cannot_pass_without_the_tripwire():
    results = {"t::a": "passed", "t::b": "passed", "t::c": "failed"}
    assert judged(results, wires={}, exact=False).passed is False


def test_recording_wants_every_hidden_test_and_some_own_one():
    mixed = {"t::a": "passed", "t::b": "skipped"}
    assert judged({"t::a": "passed"}, recorded=None).passed
    assert judged(mixed, recorded=None).passed is False
    assert judged({}, recorded=None).passed is False
    assert judged(mixed, recorded=None, exact=False).passed
    assert judged({"t::b": "failed"}, recorded=None, exact=False).passed is False


def test_a_command_that_hides_failures_cannot_be_recorded():
    found = judged({"t::a": "passed"}, recorded=None, exit_code=0)
    assert (found.passed, found.forged) == (False, False)
    assert "exit code 0 although tests failed" in found.detail


def test_the_detail_is_one_line_of_bounded_length():
    results = {f"t::name\n{number}": "failed" for number in range(20)}
    found = judged(results, recorded=tuple(results))
    assert "\n" not in found.detail
    assert found.detail.endswith("and 12 more")
