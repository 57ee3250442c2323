"""What holds for every question of the layer: bad input, levels, sides, order, stores."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from agenteval import comparison
from agenteval.errors import AgentEvalError, InvalidInput
from agenteval.store import open_store

ROOT = Path(__file__).parents[2]
QUESTIONS = {
    "scoreboard": lambda t, **o: comparison.scoreboard(t, **o),
    "head_to_head": lambda t, **o: comparison.head_to_head(t, baseline="a", **o),
    "sensitivity": lambda t, **o: comparison.sensitivity(t, baseline="a", **o),
    "slices": lambda t, **o: comparison.slices(t, baseline="a", **o),
    "reliability": lambda t, **o: comparison.reliability(t, **o),
    "frontier": lambda t, **o: comparison.frontier(t, **o),
    "limits": lambda t, **o: comparison.limits(t, **o),
    "trend": lambda t, **o: comparison.trend(t, **o),
    "matrix": lambda t: comparison.matrix(t),
    "agreement": lambda t: comparison.agreement(t),
    "parity": lambda t: comparison.parity(t, baseline="a"),
    "flips": lambda t: comparison.flips(t, baseline="a"),
    "against": lambda t: comparison.against(t, t),
    "plan": lambda t: comparison.plan(t),
    "recount": lambda t: comparison.recount(t, "majority"),
}
LEVELLED = [
    "scoreboard", "head_to_head", "sensitivity", "slices", "reliability", "frontier", "limits",
    "trend",
]  # fmt: skip
COSTS = np.random.default_rng(0).lognormal(-1, 0.5, 200)


@pytest.fixture(scope="module")
def make(trials_of):
    def made(outcomes):
        table = trials_of(outcomes, started_at=pd.Timestamp("2025-01-01", tz="UTC"))
        table["category"] = np.where(table["task_id"] < "t3", "bugfix", "test")
        table["cost_usd"] = COSTS[: len(table)]
        table["agent_s"] = 10 * COSTS[: len(table)]
        table["score"] = table["passed"].astype("float64").fillna(0.0)
        return table

    return made


GOOD = {
    "a": {"t1": "PPF", "t2": "FFT", "t3": "PFI", "t4": "PPP", "t5": "FFF", "t6": "FPF"},
    "b": {"t1": "PPP", "t2": "PPF", "t3": "PPS", "t4": "PTP", "t5": "FPF", "t6": "PPI"},
}
DEGENERATE = {
    "one task": {"a": {"t1": "PPF"}, "b": {"t1": "FPF"}},
    "one repeat": {"a": {f"t{i}": "P" for i in range(6)}, "b": {f"t{i}": "F" for i in range(6)}},
    "one trial": {"a": {"t1": "P"}, "b": {"t1": "F"}},
    "all pass": {"a": {f"t{i}": "PPP" for i in range(6)}, "b": {f"t{i}": "PPP" for i in range(6)}},
    "all fail": {"a": {f"t{i}": "FF" for i in range(6)}, "b": {f"t{i}": "FF" for i in range(6)}},
    "nothing counts": {"a": {"t1": "IS"}, "b": {"t1": "SS"}},
    "one side counts for nothing": {"a": {"t1": "PP", "t2": "PF"}, "b": {"t1": "II", "t2": "S"}},
    "no common task": {"a": {"t1": "PP", "t2": "PF"}, "b": {"t3": "PP", "t4": "PF"}},
    "one arm": {"a": {"t1": "PP", "t2": "PF"}},
}


def limits_of(table):
    for low, high in (("low", "high"), ("cost_low", "cost_high")):
        if low in table and high in table:
            yield table[low].to_numpy(float), table[high].to_numpy(float)


@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("name", QUESTIONS)
def test_degenerate_data_give_an_error_in_three_parts_or_honest_limits(make, name, case):
    """Warnings are errors in this suite, so none is hidden here."""
    table = make(DEGENERATE[case])
    before = table.copy(deep=True)
    found = problem = None
    try:
        found = QUESTIONS[name](table)
    except AgentEvalError as error:
        problem = error
    if found is None:
        assert all((problem.what, problem.where, problem.fix))
    else:
        frame = found if isinstance(found, pd.DataFrame) else found.table
        for low, high in limits_of(frame):
            known = ~(np.isnan(low) | np.isnan(high))
            assert (low[known] <= high[known]).all()
        if not isinstance(found, pd.DataFrame):
            assert str(found)
            assert found._repr_html_().startswith("<")
    assert_frame_equal(table, before)


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_trials_trials_given_twice_and_a_missing_column_are_refused(make, name):
    good = make(GOOD)
    twice = pd.concat([good, good.iloc[:1]], ignore_index=True)
    for bad in (good.iloc[:0], twice, good.drop(columns="passed"), "nonsense", None):
        if name == "plan" and bad is None:
            continue
        with pytest.raises(AgentEvalError) as error:
            QUESTIONS[name](bad)
        assert all((error.value.what, error.value.where, error.value.fix))


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, float("nan")])
@pytest.mark.parametrize("name", LEVELLED)
def test_a_level_outside_the_unit_interval_is_refused(make, name, level):
    with pytest.raises(InvalidInput):
        QUESTIONS[name](make(GOOD), level=level)


@pytest.mark.parametrize("name", LEVELLED)
def test_a_higher_level_is_no_narrower(make, name):
    table = make(GOOD)
    narrow, wide = (QUESTIONS[name](table, level=level).table for level in (0.8, 0.99))
    for (low_n, high_n), (low_w, high_w) in zip(limits_of(narrow), limits_of(wide), strict=True):
        known = ~np.isnan(low_n)
        assert (low_w[known] <= low_n[known] + 1e-12).all()
        assert (high_w[known] >= high_n[known] - 1e-12).all()


@pytest.mark.parametrize("name", QUESTIONS)
def test_unknown_scores_stay_unknown_and_change_no_rate(make, name):
    table = make(GOOD)
    blank = table.assign(score=np.nan)
    want, got = QUESTIONS[name](table), QUESTIONS[name](blank)
    if isinstance(want, pd.DataFrame):
        return
    for column in ("rate", "difference", "low", "high"):
        if column in got.table and name != "sensitivity":
            assert got.table[column].tolist() == pytest.approx(
                want.table[column].tolist(), nan_ok=True
            )


CELLS = st.lists(
    st.tuples(st.text("PF", min_size=1, max_size=3), st.text("PF", min_size=1, max_size=3)),
    min_size=1,
    max_size=9,
)


@settings(max_examples=15, deadline=None)
@given(CELLS)
def test_turning_pass_into_fail_turns_every_difference(trials_of, cells):
    def table(turn):
        swap = str.maketrans("PF", "FP") if turn else {}
        return trials_of(
            {
                arm: {f"t{i}": pair[k].translate(swap) for i, pair in enumerate(cells)}
                for k, arm in enumerate("ab")
            }
        )

    one, other = (
        comparison.head_to_head(table(turn), baseline="a", candidate="b") for turn in (False, True)
    )
    x, y = one.table.iloc[0], other.table.iloc[0]
    assert y["difference"] == pytest.approx(-x["difference"], abs=1e-12)
    assert (y["low"], y["high"]) == pytest.approx((-x["high"], -x["low"]), abs=1e-9)
    assert y["pvalue"] == pytest.approx(x["pvalue"])
    boards = [comparison.scoreboard(table(turn)).table.set_index("arm") for turn in (False, True)]
    for arm in "ab":
        x, y = (board.loc[arm] for board in boards)
        assert (y["low"], y["high"]) == pytest.approx((1 - x["high"], 1 - x["low"]), abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(CELLS, st.integers(0, 5))
def test_renaming_tasks_and_arms_changes_no_number(trials_of, cells, shift):
    def table(task, arms):
        return trials_of(
            {arm: {task(i): pair[k] for i, pair in enumerate(cells)} for k, arm in enumerate(arms)}
        )

    plain = comparison.head_to_head(table(lambda i: f"t{i}", "ab"), baseline="a")
    renamed = comparison.head_to_head(
        table(lambda i: f"x{(7 * i + shift) % 101:03d}", "zy"), baseline="z"
    )
    numbers = plain.table.select_dtypes("number").columns
    assert_frame_equal(plain.table[numbers], renamed.table[numbers])
    assert plain.table["verdict"].tolist() == renamed.table["verdict"].tolist()


@pytest.mark.parametrize("name", ["scoreboard", "matrix", "agreement"])
def test_a_store_and_a_store_with_filters_are_as_good_as_a_table(name):
    store = open_store(ROOT / "data/sample_store")
    ask = {
        "scoreboard": comparison.scoreboard,
        "matrix": comparison.matrix,
        "agreement": comparison.agreement,
    }[name]
    run = store.newest_run()
    assert_frame_equal(ask((store, {"run": run})).table, ask(store.trials(run=run)).table)
    assert_frame_equal(ask(store).table, ask(store.trials()).table)
