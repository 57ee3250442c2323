"""A pair of arms by rounds: green on every task in every round, and the mean of the rounds."""

import pytest

from agenteval.comparison import rounds
from agenteval.errors import InvalidInput


def test_a_pair_passes_only_when_the_with_arm_is_green_everywhere(trials_of):
    trials = trials_of({"with": {"x": "PP", "y": "PP"}, "without": {"x": "FF", "y": "PF"}})
    found = rounds(trials, with_arm="with", without_arm="without")
    assert found.passed
    assert (found.score("with"), found.score("without")) == (1.0, 0.25)
    assert "green on every task in every round" in str(found)


def test_one_red_task_in_one_round_fails_the_pair(trials_of):
    trials = trials_of({"with": {"x": "PP", "y": "PF"}, "without": {"x": "PP", "y": "PP"}})
    found = rounds(trials, with_arm="with", without_arm="without")
    assert not found.passed
    assert found.missed == ("y, round 2: fail",)
    assert found.score("with") == 0.75


def test_k_rounds_score_the_mean(trials_of):
    trials = trials_of({"with": {"x": "PFP", "y": "PPF"}, "without": {"x": "FFF", "y": "FFF"}})
    found = rounds(trials, with_arm="with", without_arm="without")
    own = found.table[found.table["arm"] == "with"]
    assert own["score"].tolist() == [1.0, 0.5, 0.5]
    assert found.score("with") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("letters", "status"), [("PI", "error"), ("PS", "skipped"), ("P", "no trial")]
)
def test_a_trial_that_does_not_count_or_is_not_there_is_not_green(trials_of, letters, status):
    trials = trials_of({"with": {"x": letters, "y": "PP"}, "without": {"x": "PP", "y": "PP"}})
    found = rounds(trials, with_arm="with", without_arm="without")
    assert found.missed == (f"x, round 2: {status}",)


def test_an_arm_that_is_not_there_and_a_table_without_rounds_are_refused(trials_of):
    trials = trials_of({"with": {"x": "P"}})
    with pytest.raises(InvalidInput, match="no trial has arm 'without'"):
        rounds(trials, with_arm="with", without_arm="without")
    with pytest.raises(InvalidInput, match="repeat"):
        rounds(trials.drop(columns="repeat"), with_arm="with", without_arm="with")
