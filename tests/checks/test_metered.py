"""The checks on metered records, and `loads`."""

import pytest

from agenteval.checks import Metered, ToolUse, Work
from agenteval.records import CHECK_KINDS, MeteredCheck

METERED = Metered(
    duration_s=12.5,
    turns=7,
    tool_calls=9,
    tokens=1000,
    cost_usd=0.25,
    tools=(ToolUse("Bash", "npm test"), ToolUse("Edit", "a.py"), ToolUse("Bash", "ls")),
    used=frozenset({"review"}),
)
KEYS = {
    "tool-used": {"tool": "bash"},
    "tool-not-used": {"tool": "WebFetch"},
    "max-turns": {"max": 7},
    "max-tool-calls": {"max": 9},
    "max-cost-usd": {"max": 0.25},
    "max-duration-s": {"max": 12.5},
    "max-tokens": {"max": 1000},
    "used": {"names": ["review"]},
}
TOO_MUCH = {
    "tool-used": {"tool": "Bas"},
    "tool-not-used": {"tool": "bash npm test"},
    "max-turns": {"max": 6},
    "max-tool-calls": {"max": 8},
    "max-cost-usd": {"max": 0.24},
    "max-duration-s": {"max": 12.4},
    "max-tokens": {"max": 999},
    "used": {"names": ["review", "deploy"]},
}


def test_every_metered_kind_is_tested_here():
    kinds = {kind for kind, model in CHECK_KINDS.items() if issubclass(model, MeteredCheck)}
    assert set(KEYS) == set(TOO_MUCH) == kinds


@pytest.mark.parametrize("kind", KEYS)
def test_within_its_bound_it_passes(run, kind):
    assert run(kind, work=Work(metered=METERED), **KEYS[kind]).passed is True


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_beyond_its_bound_it_fails(run, kind):
    verdict = run(kind, work=Work(metered=METERED), **TOO_MUCH[kind])
    assert (verdict.passed, verdict.error_class) == (False, None)


@pytest.mark.parametrize("kind", KEYS)
def test_a_missing_record_is_no_verdict_never_a_pass(run, kind):
    verdict = run(kind, **KEYS[kind])
    assert (verdict.passed, verdict.error_class) == (None, "check_no_verdict")
    assert "was not metered" in verdict.detail


@pytest.mark.parametrize(
    ("tool", "times", "passed"),
    [("Bash", 2, True), ("Bash", 3, False), ("bash npm", 1, True), ("Bash np", 1, False)],
)
def test_a_tool_is_named_by_its_name_or_the_beginning_of_a_call(run, tool, times, passed):
    assert run("tool-used", tool=tool, min_times=times, work=Work(metered=METERED)).passed is passed


def test_a_tool_that_was_never_called_is_told_from_a_record_that_is_missing(run):
    none = Work(metered=Metered(tools=()))
    assert run("tool-used", tool="Bash", work=none).passed is False
    assert run("tool-not-used", tool="Bash", work=none).passed is True


@pytest.mark.parametrize(
    ("handed", "passed"),
    [
        (frozenset({"review", "deploy"}), True),
        (frozenset({"deploy"}), False),
        (frozenset(), False),
        (None, True),  # the control loads nothing on purpose
    ],
)
def test_loads_looks_at_what_was_handed_over(run, handed, passed):
    verdict = run("loads", names=["review"], work=Work(handed=handed))
    assert verdict.passed is passed
    assert ("exempt" in verdict.detail) is (handed is None)
