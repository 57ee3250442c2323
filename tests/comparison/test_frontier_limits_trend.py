"""Frontier, limits, trend and agreement of repeats, by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import agreement, frontier, limits, trend
from agenteval.comparison.frontier import beaten
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import flakiness, intraclass_correlation, wilson_cluster_interval


def test_beaten_needs_one_strictly_better_side():
    rates, costs = np.array([[0.5, 0.5, 0.6, 0.4]]), np.array([[1.0, 1.0, 1.0, 0.5]])
    assert beaten(rates, costs)[0].astype(int).tolist() == [
        [0, 0, 1, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]


def test_frontier_by_hand(trials_of):
    table = trials_of(
        {
            "dear": {"x": "PP", "y": "PF"},
            "cheap": {"x": "PF", "y": "FF"},
            "bad": {"x": "FF", "y": "FF"},
        }
    )
    table["cost_usd"] = table["arm"].map({"dear": 2.0, "cheap": 1.0, "bad": 1.5})
    got = frontier(table).table
    assert got["arm"].tolist() == ["cheap", "bad", "dear"]
    assert got["on_frontier"].tolist() == [True, False, True]
    assert got["dominated_by"].tolist() == ["", "cheap", ""]
    assert got["rate"].tolist() == [0.25, 0.0, 0.75]
    assert got["cost"].tolist() == [1.0, 1.5, 2.0]
    assert got["frontier_probability"].tolist() == [1.0, 0.0, 1.0]
    want = wilson_cluster_interval([2, 1], 2)
    assert (got["low"].iloc[2], got["high"].iloc[2]) == (want.low, want.high)


def test_frontier_text_names_a_few_of_the_arms_that_beat_one(trials_of):
    table = trials_of({f"arm{i}": {"x": "P" if i else "F", "y": "P"} for i in range(6)})
    table["cost_usd"] = table["arm"].map({f"arm{i}": 1.0 + (i == 0) for i in range(6)})
    got = frontier(table)
    assert got.table["dominated_by"].iloc[-1] == "arm1, arm2, arm3, arm4, arm5"
    assert "arm1, arm2, arm3 and 2 more" in str(got)


def test_frontier_probability_is_that_of_resampled_tasks(trials_of):
    rng = np.random.default_rng(4)
    table = trials_of({arm: {f"t{i}": rng.choice(["P", "F"]) for i in range(25)} for arm in "ab"})
    table["cost_usd"] = np.where(table["arm"] == "a", 1.0, 2.0)
    got = frontier(table).table.set_index("arm")
    passed = table.pivot(index="task_id", columns="arm", values="passed").astype(float)
    d = (passed["b"] - passed["a"]).to_numpy()
    draws = np.random.default_rng(0).integers(0, 25, (20_000, 25))
    assert got.loc["b", "frontier_probability"] == pytest.approx(
        np.mean(d[draws].mean(axis=1) > 0), abs=0.02
    )
    assert got.loc["a", "frontier_probability"] == 1.0


def test_frontier_uses_tasks_with_known_cost_everywhere(trials_of):
    table = trials_of(
        {arm: {"x": "P", "y": "F", "z": "P"} for arm in "ab"} | {"c": {"x": "P", "y": "P"}}
    )
    table["cost_usd"] = [1.0, 1.0, None, 2.0, 2.0, 2.0, None, None]
    result = frontier(table)
    assert result.table["tasks"].tolist() == [2, 2]
    assert "c" in result.notes[0]
    assert "1 task not graded" in result.notes[1]
    with pytest.raises(NotEnoughData, match="known cost"):
        frontier(table.assign(cost_usd=None))
    assert "x" not in str(result.table["arm"].tolist())
    assert "Cost and quality" in str(result)


def test_frontier_does_not_depend_on_row_order(trials_of):
    rng = np.random.default_rng(7)
    table = trials_of(
        {a: {f"t{i}": rng.choice(["PP", "PF", "FF"]) for i in range(12)} for a in "abc"}
    )
    table["cost_usd"] = rng.lognormal(0, 1, len(table)).round(3)
    pd.testing.assert_frame_equal(
        frontier(table).table, frontier(table.sample(frac=1, random_state=2)).table
    )


def test_limits_by_hand(trials_of):
    table = trials_of({"a": {"x": "PP", "y": "PF"}}, turns=[1, 5, 3, 2])
    got = limits(table)
    assert got.table["limit"].tolist() == [1, 2, 3, 5]
    assert got.table["within"].tolist() == [1, 2, 3, 4]
    assert got.table["rate"].tolist() == [0.25, 0.25, 0.5, 0.75]
    want = wilson_cluster_interval([1, 1], 2)
    assert (got.table["low"].iloc[2], got.table["high"].iloc[2]) == (want.low, want.high)
    outcomes = got.outcomes.set_index("outcome")
    assert outcomes.loc["pass", ["trials", "median", "largest"]].tolist() == [3, 3.0, 5.0]
    at = got.at("turns", 4).iloc[0]
    assert (at["limit"], got.text_of(at)[:6]) == (3, "50.0 %")


def test_limits_end_at_the_pass_rate_and_never_fall(trials_of):
    rng = np.random.default_rng(0)
    table = trials_of({a: {f"t{i}": rng.choice(["PP", "PF"]) for i in range(60)} for a in "ab"})
    table["agent_s"] = rng.lognormal(3, 1, len(table))
    got = limits(table).table
    assert got.groupby("arm").size().max() <= 40
    for arm, part in got.groupby("arm"):
        assert part["rate"].is_monotonic_increasing
        mine = table[table["arm"] == arm]
        assert part["rate"].iloc[-1] == pytest.approx(
            mine.groupby("task_id")["passed"].mean().mean()
        )


def test_limits_leave_unknown_values_out_and_say_so(trials_of):
    table = trials_of({"a": {"x": "PP", "y": "P"}}, turns=[1, None, 2])
    got = limits(table)
    assert got.table["trials"].unique().tolist() == [2]
    assert "turns 1" in got.notes[0]
    with pytest.raises(NotEnoughData):
        limits(table.drop(columns="turns"))


@pytest.fixture(scope="module")
def history(trials_of):
    runs = [
        trials_of({"a": {"x": "PF", "y": "PP"}, "b": {"x": "FF"}}),
        trials_of({"a": {"x": "PP", "y": "PP"}}),
        trials_of({"a": {"x": "FF", "z": "PP"}, "b": {"x": "PP"}}),
    ]
    days = ["2026-01-05", "2026-01-11", "2026-02-02"]
    return pd.concat(
        [
            run.assign(run_id=f"r{i}", started_at=pd.Timestamp(day, tz="UTC"))
            for i, (run, day) in enumerate(zip(runs, days, strict=True))
        ]
    )


def test_trend_by_run(history):
    got = trend(history)
    assert got.table[["arm", "period", "rate"]].to_numpy().tolist() == [
        ["a", "r0", 0.75],
        ["a", "r1", 1.0],
        ["a", "r2", 0.5],
        ["b", "r0", 0.0],
        ["b", "r2", 1.0],
    ]
    change = got.table["change"].tolist()
    assert math.isnan(change[0])
    assert math.isnan(change[3])
    assert [change[1], change[2], change[4]] == [0.25, -1.0, 1.0]
    assert got.table["change_tasks"].tolist() == [pd.NA, 2, 1, pd.NA, 1]
    assert got.notes == ()


def test_trend_is_in_order_of_time_not_of_names(history):
    swapped = history.assign(run_id=history["run_id"].map({"r0": "z", "r1": "m", "r2": "a"}))
    assert trend(swapped).table["period"].tolist() == ["z", "m", "a", "z", "a"]


def test_trend_by_week_and_month(history):
    week = trend(history, per="week").table
    assert week[week["arm"] == "a"]["period"].tolist() == ["2026-01-05", "2026-02-02"]
    assert week[week["arm"] == "a"]["runs"].tolist() == [2, 1]
    month = trend(history, per="month").table
    assert month["period"].tolist() == ["2026-01", "2026-02", "2026-01", "2026-02"]
    day = trend(history, per="day").table
    assert day["period"].tolist()[:3] == ["2026-01-05", "2026-01-11", "2026-02-02"]


def test_trend_drops_changed_tasks_from_the_change(history):
    made = history.assign(task_digest=history["run_id"].map({"r0": "d", "r1": "d", "r2": "e"}))
    got = trend(made).table
    assert got["change_tasks"].tolist()[2] == 0
    assert got["tasks_changed"].tolist()[2] == 1
    assert math.isnan(got["change"].iloc[2])


def test_trend_refuses_what_it_cannot_do(history):
    with pytest.raises(InvalidInput, match="per is"):
        trend(history, per="year")
    with pytest.raises(InvalidInput, match="run_id"):
        trend(history.drop(columns="run_id"))
    with pytest.raises(NotEnoughData, match="known start"):
        trend(history.assign(started_at=pd.NaT), per="day")
    some = history.assign(started_at=history["started_at"].where(history["run_id"] != "r1"))
    assert "4 trials without a known period" in trend(some, per="day").notes[0]


def test_trend_text(history):
    assert "2026-02-02" in str(trend(history))
    uneven = history[~((history["run_id"] == "r1") & (history["task_id"] == "y"))]
    assert "not the same in every period (a)" in trend(uneven).notes[0]


def test_agreement_by_hand(trials_of):
    got = agreement(
        trials_of({"a": {"x": "PPF", "y": "PPP", "z": "F", "w": "PI"}, "b": {"x": "P"}})
    )
    row = got.table.iloc[0]
    assert (row["arm"], row["tasks"], row["tasks_repeated"], row["flaky_tasks"]) == ("a", 4, 2, 1)
    n, c = [3, 3, 1, 1], [2, 3, 0, 1]
    want, icc = flakiness(n, c), intraclass_correlation(c, n)
    assert row["disagreement"] == want.disagreement == pytest.approx((2 * 2 / 6 + 0) / 2)
    assert row["consistency"] == pytest.approx(((1 / 3 + 1) / 2) / ((2 / 3 + 1) / 2))
    assert (row["icc"], row["design_effect"]) == (icc.estimate, icc.deff)
    assert (row["all_pass"], row["majority"], row["any_pass"]) == (0.5, 0.75, 0.75)
    assert got.flaky[["arm", "task_id", "trials", "passes"]].to_numpy().tolist() == [
        ["a", "x", 3, 2]
    ]
    assert "1 groups without a repeated task" in got.notes[0]
    with pytest.raises(NotEnoughData):
        agreement(trials_of({"a": {"x": "P"}}))
