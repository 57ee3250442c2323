"""Task matrix and pass^k / pass@k, by hand and against published numbers."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import matrix, reliability, scoreboard
from agenteval.comparison.matrix import DTYPES
from agenteval.stats import wilson_cluster_interval

TAU = Path(__file__).parents[3] / "shared" / "data" / "tau_bench" / "gpt-4o-airline.json"


def test_matrix_has_every_cell_with_a_row(trials_of):
    table = trials_of({"a": {"x": "PFT", "y": "II"}, "b": {"x": "PPS"}}, category="bugfix")
    got = matrix(table)
    assert list(got.table) == ["suite", "task_id", "arm", *DTYPES]
    rows = got.table[["task_id", "arm", "trials", "passes", "left_out", "statuses"]]
    assert rows.to_numpy().tolist() == [
        ["x", "a", 3, 1, 0, "pass 1, fail 1, timeout 1"],
        ["x", "b", 2, 2, 1, "pass 2, cancelled 1"],
        ["y", "a", 0, 0, 2, "setup_failed 2"],
    ]
    assert got.table["rate"].round(3).tolist()[:2] == [0.333, 1.0]
    assert math.isnan(got.table["rate"].iloc[2])
    assert got.table["category"].tolist() == ["bugfix"] * 3
    assert got.table["difficulty"].isna().all()
    assert {name: str(got.table[name].dtype) for name in DTYPES} == DTYPES


def test_matrix_adds_up_to_the_scoreboard(trials_of):
    table = trials_of({"a": {"s1/x": "PFT", "s2/x": "PI"}, "b": {"s1/x": "PPS", "s2/x": "F"}})
    cells = matrix(table).table.groupby("arm")
    board = scoreboard(table).table.set_index("arm")
    assert cells["rate"].mean().to_dict() == pytest.approx(board["rate"].to_dict())
    assert cells[["trials", "left_out"]].sum().equals(board[["trials", "left_out"]].sort_index())


def test_matrix_wide_and_text(trials_of):
    got = matrix(trials_of({"a": {"x": "PF", "y": "P"}, "b": {"x": "F"}}))
    assert got.wide().loc[("s", "x")].tolist() == [0.5, 0.0]
    assert "50 %" in str(got)


def test_matrix_by_a_column_of_its_own_schema(trials_of):
    table = trials_of({"a": {"x": "PF"}}, category="bugfix")
    assert matrix(table, by=["arm", "category"]).table["category"].tolist() == ["bugfix"]


def test_reliability_by_hand(trials_of):
    got = reliability(trials_of({"a": {"x": "PPF", "y": "PPP", "z": "FF"}})).table
    assert got[["k", "tasks", "tasks_dropped"]].to_numpy().tolist() == [
        [1, 3, 0],
        [2, 3, 0],
        [3, 2, 1],
    ]
    assert got["pass_hat_k"].tolist() == pytest.approx([(2 / 3 + 1) / 3, (1 / 3 + 1) / 3, 0.5])
    assert got["pass_at_k"].tolist() == pytest.approx([(2 / 3 + 1) / 3, 2 / 3, 1.0])
    want = wilson_cluster_interval(values=[1 / 3, 1, 0])
    assert (got["low"].iloc[1], got["high"].iloc[1]) == pytest.approx((want.low, want.high))


def test_reliability_at_one_is_the_pass_rate(trials_of):
    table = trials_of({"a": {"x": "PPF", "y": "PTT"}, "b": {"x": "PFI"}})
    first = reliability(table).table.query("k == 1").set_index("arm")
    board = scoreboard(table).table.set_index("arm")
    for name in ("low", "high"):
        assert first[name].to_dict() == pytest.approx(board[name].to_dict())


def test_reliability_says_when_tasks_drop_out(trials_of):
    notes = reliability(trials_of({"a": {"x": "PPF", "y": "P"}})).notes
    assert "a 1 to 3" in notes[0]


def test_reliability_without_a_counted_trial_is_empty_and_says_so(trials_of):
    got = reliability(trials_of({"a": {"x": "IS"}}))
    assert got.table.empty
    assert list(got.table)[:3] == ["arm", "k", "tasks"]
    assert got.notes[0].startswith("No trial counts")
    assert got.plot().to_dict()


def test_numbered_tasks_are_sorted_by_number(trials_of):
    wide = matrix(trials_of({"a": {"10": "P", "0": "F", "3": "P"}})).wide()
    assert wide.index.get_level_values("task_id").tolist() == ["0", "3", "10"]


def test_rates_fall_and_rise_with_k(trials_of):
    rng = np.random.default_rng(5)
    table = trials_of({"a": {f"t{i}": "".join(rng.choice(["P", "F"], 6)) for i in range(30)}})
    got = reliability(table).table
    assert (got["pass_hat_k"].diff().dropna() <= 1e-12).all()
    assert (got["pass_at_k"].diff().dropna() >= -1e-12).all()


@pytest.mark.skipif(not TAU.exists(), reason="published results are not here")
def test_published_tau_bench_values_are_reproduced():
    rows = json.loads(TAU.read_text())
    table = pd.DataFrame({"arm": "gpt-4o", "task_id": [str(row["task_id"]) for row in rows]})
    table["passed"] = [abs(row["reward"] - 1) < 1e-6 for row in rows]
    table["status"] = np.where(table["passed"], "pass", "fail")
    got = reliability(table).table
    assert got["pass_hat_k"].round(3).tolist() == [0.420, 0.273, 0.220, 0.200]
