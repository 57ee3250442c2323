"""Distribution, error classes, warning signs, token buckets, timeline: numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from agenteval import comparison
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import wilson_cluster_interval


@pytest.fixture
def four(trials_of):
    return trials_of({"a": {"x": "PP", "y": "FT"}, "b": {"x": "PI", "y": "TS"}})


def test_the_share_within_a_value_is_a_mean_over_tasks(four):
    trials = four.assign(agent_s=[1.0, 2.0, 3.0, 4.0, 1.0, 9.0, 2.0, 9.0])
    result = comparison.distribution(trials, quantities=["agent_s"])
    mine = result.table[result.table["arm"] == "a"]
    assert mine["value"].tolist() == [1, 2, 3, 4]
    assert mine["share"].tolist() == [0.25, 0.5, 0.75, 1.0]
    want = wilson_cluster_interval([1, 0], [2, 2])
    assert (mine["low"].iloc[0], mine["high"].iloc[0]) == (want.low, want.high)
    # trials that do not count in the rate are not in the spread either
    assert result.table[result.table["arm"] == "b"]["value"].tolist() == [1, 2]
    assert result.summary[["arm", "trials", "median", "largest"]].to_numpy().tolist() == [
        ["a", 4, 2.5, 4.0],
        ["b", 2, 1.5, 2.0],
    ]


def test_tokens_are_the_sum_of_four_counts_and_unknown_when_one_is(four):
    counts = {"input_tokens": 1, "cache_read_tokens": 10, "cache_write_tokens": 100}
    trials = four.assign(**counts, output_tokens=pd.array([1000, None] * 4, "Int64"))
    result = comparison.distribution(trials)
    assert result.table["quantity"].unique().tolist() == ["tokens"]
    assert set(result.table["value"]) == {1111.0}
    assert result.summary["unknown"].tolist() == [2, 0]
    assert "agent_s" in result.notes[-1]


def test_many_values_become_forty_and_reach_the_largest(trials_of):
    trials = trials_of({"a": {f"t{i}": "PF" for i in range(60)}})
    trials["agent_s"] = np.random.default_rng(0).lognormal(size=len(trials))
    table = comparison.distribution(trials, quantities=["agent_s"]).table
    assert len(table) <= 40
    assert table["value"].max() == trials["agent_s"].max()
    assert table["share"].is_monotonic_increasing
    assert table["share"].iloc[-1] == 1
    assert ((table["low"] <= table["share"]) & (table["share"] <= table["high"])).all()


def test_a_quantity_without_a_column_is_refused(four):
    with pytest.raises(InvalidInput, match="turnz"):
        comparison.distribution(four, quantities=["turnz"])
    with pytest.raises(InvalidInput):
        comparison.distribution(four.assign(agent_s=1.0), quantities=["agent_s", "turnz"])


def test_errors_count_over_all_trials_and_say_which_side_they_are_on(four):
    table = comparison.error_classes(four).table
    rows = table.set_index(["error_class", "arm"])
    assert table["error_class"].unique().tolist() == ["timeout", "cancelled", "setup_failed"]
    assert rows.loc[("timeout", "a"), ["counted", "trials", "tasks", "of"]].tolist() == [
        True,
        1,
        1,
        4,
    ]
    assert rows.loc[("setup_failed", "b"), ["counted", "trials", "of"]].tolist() == [False, 1, 4]
    assert rows.loc[("setup_failed", "a"), "trials"] == 0
    want = wilson_cluster_interval([0, 1], [2, 2])
    assert rows.loc[("timeout", "a"), "low"] == want.low
    assert "left out" in str(comparison.error_classes(four))


def test_without_an_error_the_table_is_empty(trials_of):
    result = comparison.error_classes(trials_of({"a": {"x": "PF"}}))
    assert result.table.empty
    assert list(result.table.columns)[:2] == ["arm", "error_class"]


def test_a_sign_is_counted_where_it_could_be_sensed(four):
    names = [["tests_edited"], [], None, ["tests_edited", "history_access"], None, None, None, None]
    trials = four.assign(tampering=names, shortcuts=pd.array([0, 3, None, 0] + [None] * 4, "Int64"))
    result = comparison.warning_signs(trials)
    rows = result.table.set_index(["sign", "arm"])
    edited = rows.loc[("tests_edited", "a")]
    assert edited[["trials", "tasks", "passed", "sensed", "unsensed"]].tolist() == [2, 2, 1, 3, 1]
    assert edited["share"] == pytest.approx((1 / 2 + 1 / 1) / 2)
    blind = rows.loc[("tests_edited", "b")]
    assert (blind["sensed"], blind["unsensed"]) == (0, 4)
    assert np.isnan(blind["share"])
    assert rows.loc[("shortcuts", "a"), ["trials", "sensed"]].tolist() == [1, 3]
    assert result.table["sign"].unique().tolist() == ["tests_edited", "history_access", "shortcuts"]
    assert "unknown, not absent" in result.notes[-1]


def test_names_kept_as_arrays_are_names(four):
    lists = [np.array(["tests_edited"], dtype=object)] * 8
    table = comparison.warning_signs(four.assign(tampering=lists)).table
    assert table["trials"].tolist() == [4, 4]


def test_token_shares_add_up_and_the_mean_is_over_tasks(trials_of):
    trials = trials_of({"a": {"x": "PPP", "y": "F"}})
    trials = trials.assign(
        input_tokens=[0, 0, 0, 40], cache_read_tokens=[60, 60, 60, 60], cache_write_tokens=0,
        output_tokens=pd.array([10, 10, None, 10], "Int64"),
    )  # fmt: skip
    table = comparison.token_buckets(trials).table.set_index("bucket")
    assert table["share"].sum() == pytest.approx(1)
    assert table.loc["input", ["trials", "tasks", "unknown"]].tolist() == [3, 2, 1]
    assert table.loc["input", "mean"] == 20
    assert table.loc["input", "total"] == 40
    assert 0 <= table.loc["input", "low"] <= 20 <= table.loc["input", "high"]
    # tasks that are all alike have no width to offer
    assert table.loc["output", ["low", "high"]].isna().all()


def test_nothing_known_of_tokens_is_an_empty_table(four):
    result = comparison.token_buckets(four)
    assert result.table.empty
    assert "left out" in result.notes[-1]


@pytest.mark.parametrize(
    "ask",
    [
        comparison.distribution, comparison.error_classes, comparison.warning_signs,
        comparison.token_buckets,
    ],
)  # fmt: skip
def test_questions_refuse_what_is_no_trial_table(four, ask):
    before = four.copy(deep=True)
    ask(four)
    pd.testing.assert_frame_equal(four, before)
    with pytest.raises(NotEnoughData):
        ask(four.iloc[:0])
    with pytest.raises(InvalidInput):
        ask(four.drop(columns="passed"))
    with pytest.raises(InvalidInput):
        ask(four, by="nonsense")
    assert ask(four)._repr_html_().startswith("<")


def event(seq, kind, **rest):
    return {"seq": seq, "kind": kind, **rest}


def test_a_call_and_its_result_are_one_step():
    events = pd.DataFrame(
        [
            event(1, "message", text="first look", turn=1),
            event(2, "tool_call", tool="bash", tool_kind="shell", command="pytest", turn=1),
            event(3, "tool_call", tool="read", tool_kind="read", path="a.py", turn=1),
            event(4, "tool_result", tool="read", parent=3, ok=True, duration_s=2.0, turn=1),
            event(5, "tool_result", tool="bash", parent=2, exit_code=1, duration_s=3.0, turn=1),
            event(6, "error", text="gateway down", turn=2),
        ]
    )
    table = comparison.timeline(events).table
    assert table["lane"].tolist() == ["message", "shell", "read", "error"]
    assert table["outcome"].tolist() == ["unknown", "failed", "ok", "failed"]
    assert table["duration_s"].tolist()[1:3] == [3.0, 2.0]
    assert table["start_s"].tolist() == [0.0, 0.0, 3.0, 5.0]
    assert table["what"].tolist() == ["first look", "bash pytest", "read a.py", "gateway down"]
    verdict = comparison.timeline(events).verdict
    assert verdict == "trial: 4 steps, 2 tool calls (read 1, shell 1), 2 failed, 5.0 s in tools."


def test_results_without_a_parent_follow_their_calls_and_orphans_stand_alone():
    events = pd.DataFrame(
        [
            event(1, "tool_result", tool="bash", tool_kind="shell", exit_code=0),
            event(2, "tool_call", tool="bash", tool_kind="shell", command="ls"),
            event(3, "tool_result", tool="bash", tool_kind="shell", exit_code=0),
            event(4, "tool_call", tool="x", tool_kind="unheard of", command="y"),
        ]
    )
    table = comparison.timeline(events).table
    assert table["seq"].tolist() == [1, 2, 4]
    assert table["outcome"].tolist() == ["ok", "ok", "unknown"]
    assert table["lane"].tolist() == ["shell", "shell", "other"]
    assert table["duration_s"].isna().all()


def test_a_trial_without_steps_is_an_empty_timeline():
    events = pd.DataFrame({"seq": pd.Series(dtype="int64"), "kind": pd.Series(dtype="str")})
    result = comparison.timeline(events)
    assert result.table.empty
    assert result.verdict.startswith("trial: 0 steps")
    with pytest.raises(InvalidInput, match="no steps"):
        comparison.timeline([1, 2])


def test_flaky_tasks_keep_the_order_of_the_repeats(trials_of):
    trials = trials_of({"a": {"x": "PFIP", "y": "PPP", "z": "FFFP"}})
    found = comparison.agreement(trials.iloc[::-1]).flaky
    assert found[["task_id", "outcomes"]].to_numpy().tolist() == [["x", "PF-P"], ["z", "FFFP"]]
    assert found["rate"].tolist() == pytest.approx([2 / 3, 1 / 4])
    assert ((found["low"] < found["rate"]) & (found["rate"] < found["high"])).all()
