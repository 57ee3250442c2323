"""What went between agents and models, as far as it is known."""

import pandas as pd
import pytest

from agenteval import reports

COLUMNS = {
    "arm": ["a", "a", "b"],
    "model_used": ["m-1", "m-2", None],
    "requests": [2, 3, None],
    "model_s": [1.5, 200.0, None],
    "denials": [0, 2, None],
    "asked_user": [True, False, None],
}


def test_sums_by_arm_and_unknown_stays_unknown():
    section = reports.traffic(pd.DataFrame(COLUMNS))
    told = section.table.set_index("arm")
    assert told.loc["a", "model_used"] == "m-1, m-2"
    assert (told.loc["a", "requests"], told.loc["a", "denials"]) == (5, 2)
    assert told.loc["a", "model_s"] == pytest.approx(201.5)
    assert told.loc["b"].drop("model_used").isna().all()
    text = str(section)
    assert "tool calls denied" in text
    assert "3.4 min" in text
    assert "waited for limits" not in text, "unknown of every arm"


def test_nothing_known_is_said():
    section = reports.traffic(pd.DataFrame({"arm": ["a"], "requests": [None]}))
    assert "Nothing is known" in str(section)


def test_a_sum_says_of_how_many_trials_it_is():
    trials = pd.DataFrame({"arm": ["a"] * 3, "requests": [2, None, 3], "turns": [1, 1, 1]})
    (row,) = reports.traffic(trials).rows
    assert "5 (2 of 3)" in row
    assert "3" in row
