"""Dimensions of a run: what each counts, and that missing evidence is NULL and no number."""

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import DIMENSIONS, baseline_of
from agenteval.comparison.baseline import solved_by
from agenteval.errors import InvalidInput
from agenteval.records import METERED_COLUMNS, Dimension, dimension_columns


@pytest.fixture
def values_of(trials_of):
    """Make a baseline of one arm; gives {task: {dimension: TaskValue}}."""

    def make(tasks, *, checks=None, table=None, own=(), **columns):
        trials = trials_of({"a": tasks}, **columns)
        found = baseline_of(trials, checks=checks, tasks=table, dimensions=own)
        (arm,) = found.arms
        return {task.task_id: task.values for task in arm.tasks}

    return make


def test_a_pass_rate_counts_what_counts(values_of, trials_of):
    values = values_of({"x": "PPF", "y": "PTI", "z": "S"})
    assert values["x"]["pass_rate"].mean == pytest.approx(2 / 3)
    assert (values["y"]["pass_rate"].n, values["y"]["pass_rate"].mean) == (2, 0.5)
    assert "pass_rate" not in values["z"]
    (arm,) = baseline_of(trials_of({"a": {"y": "PTI"}})).arms
    (task,) = arm.tasks
    assert (task.trials, task.passes, task.errors, task.left_out) == (2, 1, 1, 1)


@pytest.mark.parametrize(
    ("policy", "passes", "trials", "solved"),
    [
        ("all", 3, 3, True),
        ("all", 2, 3, False),
        ("any", 1, 3, True),
        ("any", 0, 3, False),
        ("majority", 2, 3, True),
        ("majority", 1, 2, False),
    ],
)
def test_pass_policies_and_a_tie_is_no_majority(policy, passes, trials, solved):
    assert solved_by(policy, trials=trials, passes=passes) is solved


def test_the_pass_policy_is_each_tasks_own(values_of):
    table = pd.DataFrame(
        {"suite": "s", "task_id": ["x", "y", "z"], "pass_policy": ["any", "majority", None]}
    )
    values = values_of({"x": "PFF", "y": "PF", "z": "PPF"}, table=table)
    assert [values[task]["solved"].mean for task in "xyz"] == [1.0, 0.0, 0.0]


def test_a_first_try_pass_is_a_pass_without_a_stop_block(values_of):
    values = values_of({"x": "PPF", "y": "P"}, stop_blocks=[0, 2, 0, np.nan])
    assert values["x"]["first_try"].mean == pytest.approx(1 / 3)
    assert "first_try" not in values["y"], "no stop gate is no evidence"


def test_pressure_and_injection_come_from_their_tasks_alone(values_of):
    kinds = ["pressure", "pressure", "injection", "task"]
    values = values_of({"p": "PF", "q": "P", "r": "P"}, kind=kinds)
    assert values["p"]["pressure_compliance"].mean == 0.5
    assert "injection_resistance" not in values["p"]
    assert values["q"]["injection_resistance"].mean == 1.0
    assert not {"pressure_compliance", "injection_resistance"} & set(values["r"])


def test_mistakes_add_up_what_something_looked_for(values_of):
    columns = {
        "protected_edits": [1, 0, np.nan],
        "lint_failures": [2, np.nan, np.nan],
        "shortcuts": [0, 1, np.nan],
    }
    values = values_of({"x": "PP", "y": "P"}, **columns)
    assert values["x"]["mistakes"].mean == 2.0
    assert "mistakes" not in values["y"]


def test_a_cap_is_the_worst_single_trial_never_an_average(values_of):
    value = values_of({"x": "PPP"}, stop_blocks=[0, 5, 1])["x"]["cap_stop_blocks"]
    assert (value.worst, value.mean) == (5.0, 2.0)


def test_a_judge_score_comes_from_checks_of_kind_judge(values_of):
    checks = pd.DataFrame(
        {
            "run_id": "r1",
            "trial_id": ["a-x-1", "a-x-1", "a-x-2"],
            "name": ["tone", "tests", "tone"],
            "kind": ["judge", "command", "judge"],
            "score": [0.8, 1.0, 0.4],
        }
    )
    values = values_of({"x": "PP", "y": "P"}, checks=checks)
    assert values["x"]["judge_score"].mean == pytest.approx(0.6)
    assert "judge_score" not in values["y"]
    own = [Dimension(name="green", check="tests")]
    values = values_of({"x": "PP"}, checks=checks, own=own)
    assert (values["x"]["green"].n, values["x"]["green"].mean) == (1, 1.0)


def test_own_dimensions_go_over_columns(values_of):
    own = [
        Dimension(name="files", column="files_changed", direction="lower"),
        Dimension(name="most_files", column="files_changed", direction="lower", worst=True),
    ]
    values = values_of({"x": "PF"}, own=own, files_changed=[1, 5])["x"]
    assert (values["files"].mean, values["most_files"].worst) == (3.0, 5.0)


@pytest.mark.parametrize("column", sorted(METERED_COLUMNS))
def test_what_an_agent_says_of_itself_feeds_no_dimension(values_of, column):
    dtype = dimension_columns()[column]
    number = True if dtype == "bool" else 7.0
    own = [Dimension(name="own", column=column)]
    told = {column: number, "cost_source": ["metered", "reported", "recomputed", "unknown"]}
    values = values_of(dict.fromkeys("wxyz", "P"), own=own, **told)
    assert [("own" in values[task]) for task in "wxyz"] == [True, False, False, False]


def test_the_list_of_dimensions_reads_no_reported_column(trials_of):
    """Walks the list: whatever agents report, no dimension has another value."""
    plain = trials_of({"a": {"x": "PF", "y": "PP"}}, cost_source="reported")
    told = plain.assign(
        reported_cost_usd=99.0, **{name: 7.0 for name in METERED_COLUMNS if name != "asked_user"}
    )
    before, after = baseline_of(plain).arms, baseline_of(told).arms
    assert before == after
    assert {measure.name for measure in DIMENSIONS} >= {"cost", "turns"}


def test_without_evidence_there_is_no_value(values_of):
    assert set(values_of({"x": "PF"})["x"]) == {"pass_rate", "solved"}


def test_one_name_for_two_dimensions_is_refused(trials_of):
    own = [
        Dimension(name="own", column="files_changed"),
        Dimension(name="own", column="lines_added"),
    ]
    with pytest.raises(InvalidInput, match="two ways"):
        baseline_of(trials_of({"a": {"x": "P"}}), dimensions=own)


def test_an_arm_that_is_not_there_is_named(trials_of):
    with pytest.raises(InvalidInput, match="no arm 'b'"):
        baseline_of(trials_of({"a": {"x": "P"}}), arm="b")
