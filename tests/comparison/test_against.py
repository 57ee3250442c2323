"""What changed since a baseline run."""

import pytest
from pandas.testing import assert_frame_equal

from agenteval.comparison import against
from agenteval.errors import NotEnoughData

BEFORE = {"a": {"x": "PP", "y": "FF", "z": "PF", "old": "P"}, "gone": {"x": "P"}, "b": {"x": "P"}}
NOW = {"a": {"x": "PF", "y": "FP", "z": "PF", "new": "P"}, "b": {"x": "P"}, "fresh": {"x": "F"}}


def test_every_task_and_arm_that_moved(trials_of):
    got = against(trials_of(NOW), trials_of(BEFORE))
    assert got.table[["arm", "task_id", "before", "after", "direction"]].to_numpy().tolist() == [
        ["a", "x", 1.0, 0.5, "regressed"],
        ["a", "y", 0.0, 0.5, "improved"],
        ["a", "z", 0.5, 0.5, "same"],
        ["b", "x", 1.0, 1.0, "same"],
    ]
    assert got.table["trials_before"].tolist() == [2, 2, 2, 1]
    assert got.regressed["task_id"].tolist() == ["x"]
    assert got.improved["task_id"].tolist() == ["y"]
    assert (got.arms_added, got.arms_removed) == (("fresh",), ("gone",))
    assert got.added["task_id"].tolist() == ["new"]
    assert got.removed["task_id"].tolist() == ["old"]
    assert got.changed.empty


def test_arms_have_an_interval(trials_of):
    arms = against(trials_of(NOW), trials_of(BEFORE)).arms.set_index("arm")
    assert arms.loc["a", ["tasks", "difference"]].tolist() == [3, 0.0]
    assert arms.loc["a", "low"] < 0 < arms.loc["a", "high"]
    assert arms.loc["a", "verdict"] == "cannot tell"


def test_a_changed_task_is_listed_and_not_compared(trials_of):
    now = trials_of({"a": {"x": "F", "y": "P"}}, task_digest="new")
    before = trials_of({"a": {"x": "P", "y": "P"}}, task_digest=["old", "new"])
    got = against(now, before)
    assert got.table["task_id"].tolist() == ["y"]
    assert got.changed[["suite", "task_id"]].to_numpy().tolist() == [["s", "x"]]
    assert "1 task changed since the baseline" in got.notes[0]


def test_infrastructure_failures_do_not_regress(trials_of):
    got = against(trials_of({"a": {"x": "II", "y": "P"}}), trials_of({"a": {"x": "PP", "y": "P"}}))
    assert got.table["task_id"].tolist() == ["y"]
    assert got.removed["task_id"].tolist() == ["x"]


def test_the_same_run_twice_changes_nothing(trials_of):
    table = trials_of(NOW)
    before = table.copy(deep=True)
    got = against(table, table)
    assert set(got.table["direction"]) == {"same"}
    assert_frame_equal(table, before)


def test_nothing_in_common_is_not_enough_data(trials_of):
    with pytest.raises(NotEnoughData, match="graded in both") as caught:
        against(trials_of({"a": {"x": "P"}}), trials_of({"b": {"x": "P"}}))
    assert "arms now: a; before: b" in caught.value.where


def test_text_names_what_moved(trials_of):
    text = str(against(trials_of(NOW), trials_of(BEFORE)))
    assert "1 regressed, 1 improved, 2 the same" in text
    assert "100 % -> 50 %" in text
    assert "Arms without a baseline: fresh." in text
