"""The scoreboard: every number by hand, invariants by hypothesis."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from agenteval.comparison import scoreboard
from agenteval.comparison.scoreboard import DTYPES
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import korn_graubard_interval, wilson_cluster_interval

ONE = {"v1": {"a": "PPP", "b": "PFT", "c": "FFF", "d": "PIS", "e": "II"}}


def row(board, arm):
    return board.table.set_index("arm").loc[arm]


def test_counts_and_rate_by_hand(trials_of):
    got = row(scoreboard(trials_of(ONE)), "v1")
    assert (got["tasks"], got["trials"], got["left_out"]) == (4, 10, 4)
    assert got["left_out_why"] == "setup_failed 3, cancelled 1"
    assert (got["passes"], got["fails"], got["errors"], got["skipped"]) == (5, 4, 1, 1)
    assert got["rate"] == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)
    assert got["band_low"] == pytest.approx((1 + 1 / 3 + 0 + 1 / 3 + 0) / 5)
    assert got["band_high"] == pytest.approx((1 + 1 / 3 + 0 + 1 + 1) / 5)
    assert (got["repeats"], got["k"], got["flaky_tasks"]) == (1, 1, 1)
    assert (got["pass_hat_k"], got["pass_at_k"]) == (pytest.approx(got["rate"]),) * 2


def test_interval_is_that_of_stats(trials_of):
    got = row(scoreboard(trials_of(ONE), level=0.9), "v1")
    want = wilson_cluster_interval([3, 1, 0, 1], [3, 3, 3, 1], level=0.9)
    assert (got["low"], got["high"], got["n_eff"]) == (want.low, want.high, want.n_eff)
    assert got["method"] == want.method == "wilson_cluster"


def test_powers_by_hand(trials_of):
    got = row(scoreboard(trials_of({"a": {"x": "PPF", "y": "PPP", "z": "FFP"}})), "a")
    assert got["k"] == 3
    assert got["pass_hat_k"] == pytest.approx(1 / 3)
    assert got["pass_at_k"] == pytest.approx(1.0)
    assert got["flaky_tasks"] == 2


def test_two_suites_may_share_a_task_id(trials_of):
    got = row(scoreboard(trials_of({"a": {"s1/x": "PP", "s2/x": "FF"}})), "a")
    assert (got["tasks"], got["rate"], got["flaky_tasks"]) == (2, 0.5, 0)


def test_unknown_cost_is_never_zero(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "P"}, "b": {"x": "PF", "y": "P"}, "c": {"x": "I"}})
    cost = [1.0, None, 4.0, 1.0, 2.0, 3.0, None]
    board = scoreboard(
        table.assign(cost_usd=cost, cost_source="metered", turns=[1, 2, 9] * 2 + [4])
    )
    a, b, c = (row(board, arm) for arm in "abc")
    assert math.isnan(a["cost_total_usd"])
    assert math.isnan(a["cost_per_success_usd"])
    assert (a["cost_median_usd"], a["cost_known"]) == (2.5, 2)
    assert (b["cost_total_usd"], b["cost_per_success_usd"], b["cost_known"]) == (6.0, 3.0, 3)
    assert (a["cost_source"], a["turns_median"]) == ("metered", 2.0)
    assert c["cost_known"] == 0
    assert math.isnan(c["cost_total_usd"])
    assert pd.isna(c["cost_source"])
    assert any("unknown for some" in note and "a 1 of 3" in note for note in board.notes)


def test_no_success_has_no_cost_per_success(trials_of):
    got = row(scoreboard(trials_of({"a": {"x": "FF"}}, cost_usd=1.0)), "a")
    assert got["cost_total_usd"] == 2.0
    assert math.isnan(got["cost_per_success_usd"])


def test_what_was_spent_includes_left_out_trials_that_started(trials_of):
    table = trials_of({"a": {"x": "PIS"}}, all_attempts_cost_usd=[1.0, 2.0, None])
    assert math.isnan(row(scoreboard(table), "a")["all_attempts_cost_usd"])
    never = table.assign(error_class=[None, "setup_failed", "requires_missing"])
    assert row(scoreboard(never), "a")["all_attempts_cost_usd"] == 3.0


def test_tokens_are_totals_and_unknown_with_one_unknown(trials_of):
    table = trials_of({"a": {"x": "PF"}, "b": {"x": "PF"}})
    table["input_tokens"] = pd.array([10, 20, 5, None], "Int64")
    table["tool_errors"] = pd.array([0, 1, 0, 0], "Int64")
    board = scoreboard(table)
    assert row(board, "a")["input_tokens"] == 30
    assert pd.isna(row(board, "b")["input_tokens"])
    assert (row(board, "a")["tool_errors"], row(board, "b")["tool_errors"]) == (1, 0)


@pytest.mark.parametrize(
    ("column", "measure"),
    [
        ("duration_s", "duration_median_s"),
        ("agent_s", "agent_median_s"),
        ("turns", "turns_median"),
        ("tool_calls", "tool_calls_median"),
        ("cost_usd", "cost_median_usd"),
        ("input_tokens", "input_tokens"),
        ("cache_read_tokens", "cache_read_tokens"),
        ("cache_write_tokens", "cache_write_tokens"),
        ("output_tokens", "output_tokens"),
        ("tool_errors", "tool_errors"),
        ("score", "score"),
        ("all_attempts_cost_usd", "all_attempts_cost_usd"),
    ],
)
def test_one_column_in_changes_its_own_measure_only(trials_of, column, measure):
    table = trials_of({"a": {"x": "P"}})
    before, after = scoreboard(table).table, scoreboard(table.assign(**{column: 1})).table
    changed = [n for n in before if not before[n].equals(after[n])]
    related = {"cost_usd": {"cost_total_usd", "cost_per_success_usd", "cost_known"}}
    assert set(changed) == {measure} | related.get(column, set())


def test_score_is_a_mean_over_tasks(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "F", "z": "I"}}, score=[1.0, 0.5, 0.25, 0.9])
    assert row(scoreboard(table), "a")["score"] == pytest.approx((0.75 + 0.25) / 2)


def test_schema_is_the_same_whatever_the_data(trials_of):
    full = trials_of(ONE, cost_usd=1.0, score=0.5, turns=3, input_tokens=7, cost_source="metered")
    for table in (trials_of(ONE), full, trials_of({"a": {"x": "I"}})):
        board = scoreboard(table).table
        assert list(board) == ["arm", *DTYPES]
        assert {name: str(board[name].dtype) for name in DTYPES} == DTYPES


def test_arm_without_a_counted_trial_keeps_its_row(trials_of):
    got = row(scoreboard(trials_of({"a": {"x": "II"}, "b": {"x": "P"}})), "a")
    assert (got["tasks"], got["trials"], got["left_out"]) == (0, 0, 2)
    assert math.isnan(got["rate"])
    assert (got["low"], got["high"], got["band_low"], got["band_high"]) == (0, 1, 0, 1)
    assert pd.isna(got["k"])
    assert pd.isna(got["flaky_tasks"])


def test_best_rate_first_for_one_column_else_in_order(trials_of):
    table = trials_of({"a": {"x": "F"}, "b": {"x": "P"}, "c": {"x": "I"}}, category="bugfix")
    assert scoreboard(table).table["arm"].tolist() == ["b", "a", "c"]
    assert scoreboard(table, by=["category", "arm"]).table["arm"].tolist() == ["a", "b", "c"]


def test_grouping_by_something_missing_keeps_the_rows(trials_of):
    table = trials_of({"a": {"x": "P", "y": "F"}}).assign(category=["bugfix", None])
    board = scoreboard(table, by="category").table
    assert board["trials"].sum() == 2
    assert board["category"].isna().sum() == 1


def test_methods_and_estimands(trials_of):
    table = trials_of({"a": {"x": "PPP", "y": "PFF", "z": "FF"}})
    runs = row(scoreboard(table, over="runs"), "a")
    assert runs["method"] == "wilson_cluster_runs"
    pooled = row(scoreboard(table, over="trials"), "a")
    want = korn_graubard_interval([3, 1, 0], [3, 3, 2])
    assert (pooled["rate"], pooled["low"], pooled["high"]) == (0.5, want.low, want.high)
    assert (pooled["band_low"], pooled["band_high"]) == (0.5, 0.5)
    names = {
        m: row(scoreboard(table, method=m), "a")["method"]
        for m in ("exact", "cluster_t", "bootstrap")
    }
    assert names == {
        "exact": "korn_graubard",
        "cluster_t": "cluster_t",
        "bootstrap": "bootstrap_bca",
    }


@pytest.mark.parametrize(
    "options",
    [{"over": "task"}, {"method": "wald"}, {"over": "runs", "method": "exact"}, {"level": 95}],
)
def test_options_that_mean_nothing_are_refused(trials_of, options):
    with pytest.raises(InvalidInput):
        scoreboard(trials_of({"a": {"x": "PF"}}), **options)


def test_runs_need_repeats_and_the_arm_is_named(trials_of):
    with pytest.raises(NotEnoughData, match="v9"):
        scoreboard(trials_of({"v9": {"x": "P", "y": "F"}}), over="runs")


def test_by_may_not_be_a_column_of_the_table(trials_of):
    with pytest.raises(InvalidInput, match="score"):
        scoreboard(trials_of({"a": {"x": "P"}}, score=1.0), by="score")


def test_notes_say_what_would_mislead(trials_of):
    table = trials_of({"a": {"x": "PPP", "y": "PPPP"}, "b": {"x": "FIF", "z": "F"}})
    table["cost_source"] = np.where(table["arm"] == "a", "reported", "metered")
    table["task_digest"] = [*"dddeeee", *"dddg"]
    notes = scoreboard(table.assign(cost_usd=1.0)).notes
    said = " ".join(notes)
    assert "not all were graded on the same tasks (a 2, b 2; 1 in common)" in said.lower()
    assert "b: 25 % of its trials are left out (setup_failed 1)" in said
    assert "a 3 to 4" in said
    assert "Cost of a is what the agent reported" in said
    assert "1 task changed between these trials (x)" not in said
    table["task_digest"] = [*"dddeeee", *"hhhg"]
    assert "1 task changed between these trials (x)" in " ".join(scoreboard(table).notes)


def test_clean_tables_have_no_notes(trials_of):
    table = trials_of({"a": {"x": "PF"}, "b": {"x": "FF"}}, cost_usd=1.0, cost_source="metered")
    assert scoreboard(table).notes == ()


def test_slices_of_tasks_are_not_called_different_tasks(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "P"}, "b": {"x": "FF", "y": "P"}})
    table["category"] = np.where(table["task_id"] == "x", "bugfix", "test")
    assert not any("same tasks" in n for n in scoreboard(table, by=["arm", "category"]).notes)
    assert not any("same tasks" in n for n in scoreboard(table, by="category").notes)


def test_uneven_left_out_is_flagged_by_fisher(trials_of):
    table = trials_of(
        {
            "a": {f"t{i}": "I" if i < 6 else "P" for i in range(20)},
            "b": {f"t{i}": "P" for i in range(20)},
        }
    )
    notes = " ".join(scoreboard(table).notes)
    assert "unevenly" in notes
    assert "most of all of a" in notes


def test_text_and_html(trials_of):
    board = scoreboard(trials_of({"<b>": {"x": "PPP", "y": "PFI"}}))
    assert "75.0 % [" in str(board)
    assert "1 (setup_failed 1)" in str(board)
    html = board._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "http" not in html
    assert "text-align:right" in html
    assert "median cost" not in html, "a column that is all unknown is not shown"


LETTERS = st.text("PFTIS", min_size=1, max_size=4)
ARMS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.dictionaries(st.sampled_from(["s1/x", "s1/y", "s2/x", "s2/z"]), LETTERS, min_size=1),
    min_size=1,
)


@settings(max_examples=25, deadline=None)
@given(ARMS, st.randoms(use_true_random=False))
def test_invariants(trials_of, outcomes, random):
    table = trials_of(outcomes)
    before = table.copy(deep=True)
    board = scoreboard(table)
    assert_frame_equal(table, before)
    got = board.table
    assert got["trials"].sum() + got["left_out"].sum() == len(table)
    assert (got["passes"] + got["fails"] + got["errors"] == got["trials"]).all()
    rated = got[got["trials"] > 0]
    assert ((rated["low"] <= rated["rate"]) & (rated["rate"] <= rated["high"])).all()
    assert (
        (rated["band_low"] <= rated["rate"] + 1e-12) & (rated["rate"] <= rated["band_high"] + 1e-12)
    ).all()
    assert got[["low", "high", "band_low", "band_high"]].stack().between(0, 1).all()
    order = list(range(len(table)))
    random.shuffle(order)
    assert_frame_equal(scoreboard(table.iloc[order]).table, got)


@settings(max_examples=12, deadline=None)
@given(ARMS)
def test_renaming_arms_renames_rows(trials_of, outcomes):
    table = trials_of(outcomes)
    got = scoreboard(table).table.set_index("arm")
    renamed = scoreboard(table.assign(arm="z" + table["arm"])).table.set_index("arm")
    assert_frame_equal(renamed.rename(index=lambda name: name[1:]).loc[got.index], got)


def test_a_claim_that_is_not_what_was_measured_is_said(trials_of):
    table = trials_of({"a": {"x": "PP"}, "b": {"x": "PP"}, "c": {"x": "PP"}})
    table = table.assign(cost_source="metered", cost_usd=1.0)
    table["reported_cost_usd"] = [1.03, 1.02, 1.01, 1.02, 5.0, None]
    said = [note for note in scoreboard(table).notes if "what was measured" in note]
    assert said == [
        "What agents say they cost is not what was measured: a claims $2.05 where $2 was measured, c claims $5 where $1 was measured."
    ]
    table["cost_source"] = "reported"
    assert not [note for note in scoreboard(table).notes if "what was measured" in note]
