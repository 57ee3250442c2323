"""Rules as people write them, and what an interval means to each."""

import pandas as pd
import pytest

from agenteval.errors import InvalidInput
from agenteval.lab import Rule, decide, parse_rule


@pytest.mark.parametrize(
    ("text", "candidate", "claim", "baseline", "margin"),
    [
        ("v2 better than base", "v2", "better than", "base", 0.0),
        (" v2  worse than base by 0.1 ", "v2", "worse than", "base", 0.1),
        ("v2 different from base", "v2", "different from", "base", 0.0),
        ("a@m/x+v not worse than b by 0.05", "a@m/x+v", "not worse than", "b", 0.05),
        ("command:./x {p} better than scripted:noop", "command:./x {p}", "better than", "scripted:noop", 0.0),
    ],
)  # fmt: skip
def test_a_rule_is_read_and_written(text, candidate, claim, baseline, margin):
    rule = parse_rule(text)
    assert (rule.candidate, rule.claim, rule.baseline, rule.margin) == (
        candidate,
        claim,
        baseline,
        margin,
    )
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    "text",
    ["", "v2", "v2 beats base", "v2 better than v2", "v2 not worse than base",
     "v2 better than base by 2", "v2 different from base by 0.1", "v2 better than base by 0.0.5"],
)  # fmt: skip
def test_what_is_no_rule_is_refused_in_three_parts(text):
    with pytest.raises(InvalidInput) as error:
        parse_rule(text)
    assert error.value.what
    assert error.value.where
    assert error.value.fix


@pytest.mark.parametrize(
    ("claim", "margin", "low", "high", "answer"),
    [
        ("better than", 0, 0.01, 0.2, "yes"),
        ("better than", 0, -0.2, -0.01, "no"),
        ("better than", 0, -0.1, 0.1, None),
        ("better than", 0.05, 0.01, 0.2, None),
        ("better than", 0.05, -0.2, 0.04, "no"),
        ("worse than", 0, -0.2, -0.01, "yes"),
        ("worse than", 0, 0.01, 0.2, "no"),
        ("not worse than", 0.05, -0.04, 0.3, "yes"),
        ("not worse than", 0.05, -0.3, -0.06, "no"),
        ("different from", 0, -0.3, -0.01, "yes"),
        ("different from", 0, -0.01, 0.01, None),
    ],
)
def test_what_an_interval_means(claim, margin, low, high, answer):
    rule = Rule(candidate="b", baseline="a", claim=claim, margin=margin)
    assert rule.answer(low, high) == answer


@pytest.mark.parametrize("claim", ["better than", "worse than", "different from"])
@pytest.mark.parametrize("method", ["betting", "empirical_bernstein"])
def test_with_fewer_tasks_than_the_fewest_nothing_settles_it(claim, method):
    rule = Rule(candidate="b", baseline="a", claim=claim, method=method)
    fewest = rule.fewest_tasks

    def answered(tasks):
        rows = [(arm, f"t{i}", arm == "b") for arm in "ab" for i in range(tasks)]
        trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
        trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
        return decide(trials, rule, round_tasks=1).decided

    assert answered(fewest)
    assert not answered(fewest - 1)


def test_the_asymptotic_sequence_needs_its_burn_in():
    assert Rule(candidate="b", baseline="a", method="asymptotic").fewest_tasks == 20
