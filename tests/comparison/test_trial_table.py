"""Reading a trial table: what is refused, what a task is, what counts."""

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import matrix, scoreboard
from agenteval.comparison.trial_table import code_rows, read_trials
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.records import OUTCOME_TABLE


def minimal():
    frame = pd.DataFrame({"arm": ["a", "a"], "task_id": ["x", "y"], "status": ["pass", "fail"]})
    return frame.assign(passed=[True, False])


def test_four_columns_are_enough():
    board = scoreboard(minimal()).table
    assert board.loc[0, ["tasks", "trials", "left_out", "rate"]].tolist() == [2, 2, 0, 0.5]
    assert pd.isna(board.loc[0, "cost_total_usd"])
    assert pd.isna(board.loc[0, "turns_median"])


@pytest.mark.parametrize("name", ["arm", "task_id", "status", "passed"])
def test_a_missing_column_is_named(name):
    with pytest.raises(InvalidInput, match=name) as caught:
        read_trials(minimal().drop(columns=name))
    assert caught.value.where
    assert caught.value.fix


def test_no_rows_is_not_enough_data():
    with pytest.raises(NotEnoughData) as caught:
        scoreboard(minimal().head(0))
    assert all(caught.value.args)


@pytest.mark.parametrize("what", [[1, 2], "trials.parquet", None])
def test_something_else_than_a_table_is_refused(what):
    with pytest.raises(InvalidInput, match="not a table"):
        read_trials(what)


def test_a_store_is_asked_for_its_trials():
    class Store:
        def trials(self):
            return minimal()

    assert read_trials(Store()).frame.equals(minimal())


def test_a_trial_given_twice_is_refused(trials_of):
    table = trials_of({"a": {"x": "PF"}})
    with pytest.raises(InvalidInput, match="already given") as caught:
        read_trials(pd.concat([table, table.head(1)]))
    assert "a-x-1" in caught.value.where


def test_the_same_trial_id_in_two_runs_is_two_trials(trials_of):
    table = trials_of({"a": {"x": "PF"}})
    both = pd.concat([table, table.assign(run_id="r2")])
    assert scoreboard(both).table.loc[0, "trials"] == 4


ALLOWED = {(rule.status.value, rule.passed) for rule in OUTCOME_TABLE.values()}
PAIRS = [(s, p) for s in ("pass", "fail", "error", "skipped") for p in (True, False, None)]


@pytest.mark.parametrize(("status", "passed"), PAIRS)
def test_status_and_verdict_agree_with_the_outcome_table(status, passed):
    frame = minimal().assign(status=["pass", status], passed=pd.array([True, passed], "boolean"))
    if (status, passed) in ALLOWED:
        assert read_trials(frame).counted.tolist() == [True, passed is not None]
    else:
        with pytest.raises(InvalidInput, match="cannot go together"):
            read_trials(frame)


@pytest.mark.parametrize(
    "passed",
    [
        pd.array([True, None], "boolean"),
        pd.Series([True, None], dtype=object),
        pd.Series([True, float("nan")], dtype=object),
        pd.Series([1.0, float("nan")]),
        pd.array([1, None], "Int64"),
    ],
)
def test_every_spelling_of_a_nullable_verdict_is_read(passed):
    frame = minimal().assign(status=["pass", "skipped"])
    frame["passed"] = passed
    assert np.array_equal(read_trials(frame).passed, [1.0, np.nan], equal_nan=True)


@pytest.mark.parametrize("bad", [[0.5, 1], ["yes", "no"], [2, 1]])
def test_a_verdict_that_is_none_is_refused(bad):
    with pytest.raises(InvalidInput, match="passed"):
        read_trials(minimal().assign(passed=bad))


def test_unknown_status_is_refused():
    with pytest.raises(InvalidInput, match="no status"):
        read_trials(minimal().assign(status=["pass", None]))
    with pytest.raises(InvalidInput, match="'ok'"):
        read_trials(minimal().assign(status=["ok", "fail"]))


def test_infinity_is_refused():
    with pytest.raises(InvalidInput, match="infinity"):
        scoreboard(minimal().assign(cost_usd=[1.0, float("inf")]))


def test_missing_group_is_a_group_and_comes_last():
    frame = pd.DataFrame({"g": ["b", None, "a", None]})
    codes, distinct = code_rows(frame, ["g"])
    assert codes.tolist() == [1, 2, 0, 2]
    assert distinct["g"].tolist()[:2] == ["a", "b"]
    assert pd.isna(distinct["g"].iloc[2])


def test_codes_of_several_columns_follow_their_order():
    frame = pd.DataFrame({"a": [2, 1, 2, 1], "b": ["x", "y", "x", "x"]})
    codes, distinct = code_rows(frame, ["a", "b"])
    assert codes.tolist() == [2, 1, 2, 0]
    assert distinct.to_dict("list") == {"a": [1, 1, 2], "b": ["x", "y", "x"]}


def test_labels_of_the_rows_do_not_matter_even_without_error_classes(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "PP"}, "b": {"x": "SI", "y": "IS"}})
    bare = table.drop(columns="error_class")
    expected = scoreboard(bare.assign(error_class=None)).table
    for index in (range(8), range(8, 0, -1), [0] * 8):
        pd.testing.assert_frame_equal(scoreboard(bare.set_axis(list(index))).table, expected)
        found = matrix(table.set_axis(list(index))).table
        pd.testing.assert_frame_equal(found, matrix(table).table)
    why = expected.set_index("arm")["left_out_why"]
    assert why["b"] in ("error 2, skipped 2", "skipped 2, error 2")


@pytest.mark.parametrize(
    ("column", "value"), [("cost_usd", -0.01), ("turns", -1), ("score", 1.5), ("score", -0.5)]
)
def test_amounts_below_zero_and_scores_above_one_are_refused(column, value):
    with pytest.raises(InvalidInput) as error:
        scoreboard(minimal().assign(**{column: [value, 0.5]}))
    assert column in error.value.what
    assert column in error.value.where
    assert scoreboard(minimal().assign(exit_code=[-9, 0])).table["trials"].tolist() == [2]
