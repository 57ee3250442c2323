"""Holdout tasks stay out of every table unless the store handed them out, which it counts."""

import pandas as pd
import pytest

from agenteval import comparison
from agenteval.errors import NotEnoughData

ARMS = {
    "a": dict(zip("uvwxyz", ("PPF", "PFF", "FFF", "PPP", "PPF", "FPP"), strict=True)),
    "b": dict(zip("uvwxyz", ("PPP", "PPF", "PFF", "PPP", "PPP", "FPP"), strict=True)),
}
QUESTIONS = {
    "scoreboard": lambda t: comparison.scoreboard(t),
    "compare": lambda t: comparison.compare(t, baseline="a"),
    "flips": lambda t: comparison.flips(t, baseline="a"),
    "matrix": lambda t: comparison.matrix(t),
    "reliability": lambda t: comparison.reliability(t),
    "agreement": lambda t: comparison.agreement(t),
    "frontier": lambda t: comparison.frontier(t),
    "limits": lambda t: comparison.limits(t),
    "trend": lambda t: comparison.trend(t),
    "slices": lambda t: comparison.slices(t, baseline="a", column="split"),
    "sensitivity": lambda t: comparison.sensitivity(t, baseline="a"),
    "parity": lambda t: comparison.parity(t, baseline="a"),
    "against": lambda t: comparison.against(t, t),
    "plan": lambda t: comparison.plan(t),
}


@pytest.fixture(scope="module")
def table(trials_of):
    rows = trials_of(ARMS, cost_usd=0.5, agent_s=10.0, started_at=pd.Timestamp("2025-01-01"))
    return rows.assign(split=rows["task_id"].map(lambda t: "holdout" if t in "yz" else "dev"))


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_leaves_them_out_and_says_so(table, name):
    found = QUESTIONS[name](table)
    without = QUESTIONS[name](table[table["split"] == "dev"].reset_index(drop=True))
    pd.testing.assert_frame_equal(found.table, without.table)
    said = [note for note in found.notes if "holdout" in note]
    assert len(said) == 1
    assert "12 trials of 2 holdout tasks" in said[0]
    assert not any("holdout" in note for note in without.notes)


@pytest.mark.parametrize("name", QUESTIONS)
def test_asked_for_they_are_shown_with_the_number_of_looks(table, name):
    asked = table[table["split"] == "holdout"].reset_index(drop=True)
    asked.attrs["holdout_looks"] = 7
    found = QUESTIONS[name](asked)
    assert sum("Holdout viewed 7 times" in note for note in found.notes) == 1


@pytest.mark.parametrize("name", QUESTIONS)
def test_nothing_else_is_an_error_that_says_how_to_ask(table, name):
    with pytest.raises(NotEnoughData, match="holdout") as error:
        QUESTIONS[name](table[table["split"] == "holdout"])
    assert "store.holdout" in error.value.fix


def test_the_table_given_is_not_changed(table):
    before, attrs = table.copy(deep=True), dict(table.attrs)
    comparison.scoreboard(table)
    pd.testing.assert_frame_equal(table, before)
    assert table.attrs == attrs


def test_further_questions_of_a_comparison_leave_them_out_too(table):
    h = comparison.compare(table, baseline="a", candidate="b")
    assert h.table["tasks"].iloc[0] == 4
    assert h.sensitivity.table["tasks"].max() == 4
    assert set(h.flips["task_id"]) == set("uvwx")
    assert h.plan(effect=0.2).assumptions.tasks == 4


def test_a_split_that_is_unknown_is_not_the_holdout(table):
    unknown = table.assign(split=pd.Series([None] * len(table), dtype="str"))
    assert comparison.scoreboard(unknown).notes == ()
