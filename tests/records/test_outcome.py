import pytest

from agenteval.records import (
    CHECK_CLASSES,
    ENDED_BY,
    INFRASTRUCTURE_CLASSES,
    OUTCOME_TABLE,
    SKIP_CLASSES,
    Outcome,
    Status,
    decide,
    is_held,
    is_infrastructure,
    score,
    situation_of,
)

STOPPED = [reason for reason in ENDED_BY if reason not in ("agent", "cancelled", "infrastructure")]
GRADED = ["agent", *STOPPED]

# situation -> every set of facts that must fall into it, with its error class
WALK = {
    "all_checks_pass": [({"ended_by": reason, "checks_passed": [True, True]}, None) for reason in GRADED],
    "check_fails_agent_done": [({"ended_by": "agent", "checks_passed": verdicts}, None) for verdicts in ([False], [True, False])],
    "check_fails_agent_stopped": [({"ended_by": reason, "checks_passed": [True, False]}, reason) for reason in STOPPED],
    "check_without_verdict": [
        ({"ended_by": reason, "checks_passed": verdicts, "check_errors": [error]}, error)
        for error in CHECK_CLASSES
        for reason in ("agent", "timeout")
        for verdicts in ([], [True], [False])
    ],
    "infrastructure": [
        *(({"ended_by": None, "infrastructure": reason}, reason) for reason in INFRASTRUCTURE_CLASSES),
        *(({"ended_by": "agent", "checks_passed": [False], "check_errors": ["check_timeout"], "infrastructure": reason}, reason) for reason in INFRASTRUCTURE_CLASSES),
        ({"ended_by": "infrastructure"}, "sandbox_failed"),
    ],
    "skipped": [
        *(({"ended_by": None, "skipped": reason}, reason) for reason in SKIP_CLASSES),
        ({"ended_by": "cancelled"}, "cancelled"),
        ({"ended_by": "cancelled", "checks_passed": [True]}, "cancelled"),
        ({"ended_by": "infrastructure", "infrastructure": "gateway_down", "skipped": "voided"}, "voided"),
    ],
}  # fmt: skip

# situation -> status, passed; written out so that the table cannot change unnoticed
MEANS = {
    "all_checks_pass": ("pass", True),
    "check_fails_agent_done": ("fail", False),
    "check_fails_agent_stopped": ("error", False),
    "check_without_verdict": ("error", False),
    "infrastructure": ("error", None),
    "skipped": ("skipped", None),
}
CASES = [(situation, facts, error) for situation, cases in WALK.items() for facts, error in cases]


def test_every_row_of_the_table_is_walked():
    assert set(WALK) == set(OUTCOME_TABLE) == set(MEANS)


@pytest.mark.parametrize(("situation", "facts", "error_class"), CASES)
def test_facts_come_to_what_the_table_says(situation, facts, error_class):
    assert situation_of(**facts) == situation
    status, passed = MEANS[situation]
    assert decide(**facts) == Outcome(Status(status), passed, error_class)
    rule = OUTCOME_TABLE[situation]
    assert (rule.status, rule.passed) == (status, passed)


@pytest.mark.parametrize("situation", OUTCOME_TABLE)
def test_place_in_the_rate_follows_from_passed(situation):
    rule = OUTCOME_TABLE[situation]
    assert rule.counts_as.startswith({True: "1", False: "0", None: "left out"}[rule.passed])
    assert rule.situation


def test_every_way_to_end_is_walked():
    ends = {facts["ended_by"] for _, facts, _ in CASES}
    assert ends == {None, *ENDED_BY}


def test_nothing_graded_is_nothing_counted():
    with pytest.raises(ValueError, match="at least one check"):
        decide(ended_by="agent")


def test_iterators_are_used_up_once():
    facts = {"checks_passed": iter([True, False]), "check_errors": iter(["check_timeout"])}
    assert decide(ended_by="agent", **facts).error_class == "check_timeout"


@pytest.mark.parametrize(("situation", "facts", "error_class"), CASES)
def test_what_is_held_and_what_may_be_tried_again(situation, facts, error_class):
    outcome = decide(**facts)
    assert is_infrastructure(outcome.status, outcome.passed) == (situation == "infrastructure")
    held = is_held(outcome.status, outcome.error_class)
    assert held == (situation != "skipped" or error_class == "voided")


def test_classes_do_not_overlap():
    classes = [*CHECK_CLASSES, *INFRASTRUCTURE_CLASSES, *SKIP_CLASSES, *STOPPED]
    assert len(classes) == len(set(classes))


def test_score_is_a_weighted_mean():
    assert score([1.0], [7]) == 1.0
    assert score([1.0, 0.0, 0.5], [1, 1, 2]) == 0.5
    with pytest.raises(ValueError, match="shorter"):
        score([1.0, 1.0], [1])
