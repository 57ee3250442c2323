"""Parity: each property that differs is found, and nothing else is."""

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import head_to_head, parity
from agenteval.errors import InvalidInput, NotEnoughData

RECORDED = {
    "agent": "claude-code", "agent_version": "2.1", "model": "anthropic/sonnet",
    "model_used": "sonnet", "sandbox": "bwrap", "host": "h1", "platform": "linux", "python": "3.11",
    "agenteval_version": "0.1", "cost_source": "metered", "price_table": "2026-01",
    "concurrent_trials": 2, "rate_limited_s": 0.0, "first_cache_read_tokens": 0,
    "task_digest": "d", "variant": "v", "ended_by": "agent",
}  # fmt: skip


@pytest.fixture(scope="module")
def table(trials_of):
    made = trials_of({arm: {f"t{i}": "PF" for i in range(12)} for arm in "ab"}, **RECORDED)
    made["sequence"] = np.tile(np.arange(24), 2) * 2 + np.repeat([1, 2], 24)
    made["started_at"] = pd.Timestamp("2026-03-01", tz="UTC")
    return made


def differing(table, column, value):
    """Give side b another value."""
    made = table.copy()
    made[column] = made[column].astype(object)
    made.loc[made["arm"] == "b", column] = value
    return made


def test_the_same_conditions_differ_in_nothing(table):
    result = parity(table, baseline="a")
    assert result.fair
    assert set(result.table["severity"]) == {"same"}
    assert result.verdict == "Nothing recorded speaks against the comparison."


@pytest.mark.parametrize(
    ("column", "value", "name", "severity", "says"),
    [
        ("model", "openai/other", "model", "intended", ""),
        ("variant", "w", "variant", "intended", ""),
        ("agent_version", "2.2", "agent_version", "caution", "agent_version differs (2.1; 2.2)"),
        ("model_used", "haiku", "model used", "unfair", "b was answered by haiku"),
        ("sandbox", "plain", "sandbox", "caution", "sandbox differs"),
        ("host", "h2", "host", "caution", "the machine"),
        ("price_table", "2025-01", "price_table", "unfair", "different prices"),
        ("cost_source", "reported", "cost_source", "unfair", "not taken the same way"),
        (
            "concurrent_trials",
            7,
            "trials at once",
            "unfair",
            "b ran 7.0 at once, a 2.0: times are not comparable",
        ),
        ("rate_limited_s", 30.0, "waiting on rate limits", "unfair", "waited"),
        ("first_cache_read_tokens", 5000, "warm caches", "caution", "warm caches"),
        ("ended_by", "cost_limit", "ended by a limit", "caution", "24 of 24 of b"),
        ("task_digest", "e", "task versions", "unfair", "12 tasks changed"),
        ("started_at", pd.Timestamp("2026-03-09", tz="UTC"), "period", "caution", "8 days apart"),
    ],
)
def test_one_difference_is_found_and_weighed(table, column, value, name, severity, says):
    made = differing(table, column, value)
    if column == "model":
        made.loc[made["arm"] == "b", "model_used"] = "other"
    result = parity(made, baseline="a")
    rows = result.table.set_index("property")
    assert rows.loc[name, "severity"] == severity
    assert says in rows.loc[name, "meaning"]
    others = rows.drop(index=[name])
    assert set(others["severity"]) <= {"same"}
    bad = severity == "unfair" and rows.loc[name, "affects"] == "pass rate"
    assert result.fair == (not bad)


def test_two_parts_of_an_arm_at_once_cannot_be_told_apart(table):
    made = differing(differing(table, "variant", "w"), "model", "x/other")
    made.loc[made["arm"] == "b", "model_used"] = "other"
    rows = parity(made, baseline="a").table.set_index("property")
    assert rows.loc["model", "severity"] == rows.loc["variant", "severity"] == "caution"
    assert "model and variant differ together" in rows.loc["model", "meaning"]


def test_who_always_goes_first_is_said(table):
    made = table.assign(sequence=np.arange(1, 49))
    result = parity(made, baseline="a")
    assert "a ran mostly first" in result.verdict
    assert result.fair


def test_tasks_and_repeats_of_one_side(trials_of):
    made = trials_of({"a": {"x": "PPP", "y": "PPP", "z": "P"}, "b": {"x": "PP", "y": "PP"}})
    rows = parity(made, baseline="a").table.set_index("property")
    assert rows.loc["tasks graded", ["value_baseline", "value_candidate"]].tolist() == ["3", "2"]
    assert "1 task graded on one side only (z)" in rows.loc["tasks graded", "meaning"]
    assert rows.loc["repeats", ["value_baseline", "value_candidate"]].tolist() == ["1 to 3", "2"]


def test_uneven_left_out_is_unfair(trials_of):
    made = trials_of(
        {"a": {f"t{i}": "PI" for i in range(12)}, "b": {f"t{i}": "PP" for i in range(12)}}
    )
    result = parity(made, baseline="a")
    assert not result.fair
    assert result.verdict.startswith("Not a fair comparison.")
    assert "50.0 % of a, 0.0 % of b, which is more than chance" in result.verdict


def test_what_neither_side_recorded_has_no_row(trials_of):
    got = parity(trials_of({"a": {"x": "P"}, "b": {"x": "P"}}), baseline="a").table
    assert got["property"].tolist() == ["tasks graded", "repeats", "left out"]


def test_bad_sides(trials_of):
    table = trials_of({"a": {"x": "P"}})
    with pytest.raises(NotEnoughData):
        parity(table, baseline="a")
    with pytest.raises(InvalidInput, match="both"):
        parity(table, baseline="a", candidate="a")


def test_from_a_head_to_head(table):
    result = head_to_head(table, baseline="a", candidate="b")
    assert result.parity.fair
    assert "Parity" in result.parity._repr_html_()


@pytest.mark.parametrize(("own", "says"), [("w+user-config", "b ran"), ("user-config", "b ran")])
def test_the_operators_own_configuration_is_told(table, own, says):
    result = parity(differing(table, "variant", own), baseline="a")
    (row,) = result.table[result.table["property"] == "operator's configuration"].to_dict("records")
    assert (row["severity"], row["same"], row["value_candidate"]) == ("caution", False, "used")
    assert f"{says} with the operator's own settings" in result.verdict


def test_it_is_told_also_where_both_sides_had_it(table):
    result = parity(table.assign(variant="user-config"), baseline="a")
    (row,) = result.table[result.table["property"] == "operator's configuration"].to_dict("records")
    assert (row["severity"], row["same"]) == ("caution", True)
    assert "a and b ran" in result.verdict
