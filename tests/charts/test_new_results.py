"""Spread, errors, signs, tokens, flaky tasks, one trial's steps, judges: the data drawn is the table's."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from agenteval import charts, comparison
from agenteval.comparison.wording import number


def rows_with(spec, column):
    return pd.DataFrame(
        [row for rows in spec["datasets"].values() for row in rows if column in row]
    )


def same_rows(drawn, table, columns, keys):
    """Compare without regard to order or to how integers are kept."""
    both = [
        frame[[*keys, *columns]].sort_values(keys, kind="stable", ignore_index=True)
        for frame in (drawn, table)
    ]
    pd.testing.assert_frame_equal(*both, check_dtype=False)


def test_spread_is_drawn_point_by_point(rich_trials):
    result = comparison.distribution(rich_trials())
    spec = result.plot().to_dict()
    drawn = rows_with(spec, "share").rename(columns={"arm_label": "arm"})
    columns = ["share", "low", "high", "trials", "tasks"]
    same_rows(drawn, result.table, columns, ["arm", "quantity", "value"])
    panels = spec["hconcat"]
    assert len(panels) == result.table["quantity"].nunique() == 3
    for panel in panels:
        x = panel["layer"][0]["encoding"]["x"]
        assert x["scale"]["type"] == "log"
        assert "log scale" in x["axis"]["title"]
        assert panel["layer"][0]["encoding"]["y"]["scale"] == {"domain": [0, 1]}
    assert "US dollars" in panels[0]["layer"][0]["encoding"]["x"]["axis"]["title"]
    first = result.table[(result.table["arm"] == "arm-0") & (result.table["quantity"] == "tokens")]
    half = first.loc[first["share"] >= 0.5 - 1e-9, "value"].iloc[0]
    assert f"half within {number(half)} tokens" in spec["description"]


def test_spread_on_a_log_scale_leaves_zeros_at_its_foot(rich_trials):
    trials = rich_trials().assign(cost_usd=0.0)
    zero = (trials["repeat"] == 1).to_numpy()
    trials["agent_s"] = np.where(zero, 0.0, trials["agent_s"])
    spec = comparison.distribution(trials).plot().to_dict()
    drawn = rows_with(spec, "share")
    assert (drawn["value"] > 0).all()
    assert "cost_usd (all 0)" in " ".join(spec["title"]["subtitle"])
    assert len(spec["hconcat"]) == 2


@pytest.mark.parametrize(("by", "title"), [("arm", "Errors by arm"), ("run_id", "Errors by run")])
def test_errors_are_named_for_what_they_are_told_by(rich_trials, by, title):
    spec = comparison.error_classes(rich_trials(), by=by).plot().to_dict()
    assert spec["title"]["text"] == title
    assert spec["description"].startswith(f"{title}. ")


def test_errors_are_panels_of_bars(rich_trials):
    result = comparison.error_classes(rich_trials())
    spec = result.plot().to_dict()
    drawn = rows_with(spec, "error_class").rename(columns={"arm_label": "arm"})
    columns = ["counted", "trials", "tasks", "of", "share", "low", "high"]
    same_rows(drawn, result.table, columns, ["error_class", "arm"])
    panels = [panel for line in spec["vconcat"] for panel in line["hconcat"]]
    heads = {panel["title"]["text"]: panel["title"]["subtitle"] for panel in panels}
    assert heads["timeout"] == "counts as not solved"
    assert heads["setup_failed"] == "left out of the rate"
    worst = result.table.sort_values("trials", ascending=False).iloc[0]
    assert f"{worst['trials']} of {worst['of']} trials" in spec["description"]
    ends = {tuple(panel["layer"][0]["encoding"]["x"]["scale"]["domain"]) for panel in panels}
    assert ends == {(0, result.table["high"].max())}


def test_a_class_on_both_sides_of_the_rate_has_two_panels(rich_trials):
    trials = rich_trials().copy()
    row = trials.index[trials["status"] == "error"][0]
    trials.loc[row, ["error_class", "passed"]] = ["timeout", pd.NA]
    spec = comparison.error_classes(trials).plot().to_dict()
    panels = [panel["title"]["text"] for line in spec["vconcat"] for panel in line["hconcat"]]
    assert {"timeout", "timeout (left out)"} <= set(panels)


def test_signs_say_where_nothing_was_sensed(rich_trials):
    result = comparison.warning_signs(rich_trials())
    spec = result.plot().to_dict()
    drawn = rows_with(spec, "sign").rename(columns={"arm_label": "arm"})
    columns = ["trials", "tasks", "passed", "sensed", "unsensed", "share", "low", "high"]
    same_rows(drawn, result.table, columns, ["sign", "arm"])
    blind = drawn[(drawn["arm"] == "arm-0") & (drawn["kind"] == "tampering")]
    assert set(blind["text"]) == {"not sensed"}
    assert blind["share"].isna().all()
    some = result.table[result.table["trials"] > 0].iloc[0]
    assert f"in {some['trials']} of {some['sensed']} trials" in spec["description"]


def test_tokens_have_a_panel_a_bucket(rich_trials):
    result = comparison.token_buckets(rich_trials())
    spec = result.plot().to_dict()
    drawn = rows_with(spec, "bucket").rename(columns={"arm_label": "arm"})
    columns = ["trials", "tasks", "total", "mean", "low", "high", "share"]
    same_rows(drawn, result.table, columns, ["arm", "bucket"])
    panels = [panel["title"]["text"] for line in spec["vconcat"] for panel in line["hconcat"]]
    assert panels == ["input", "cache read", "cache write", "output"]
    assert "e+" not in spec["description"]
    assert number(result.table["mean"].iloc[1]) in spec["description"]


def test_flaky_tasks_show_every_repeat_in_order(rich_trials):
    result = comparison.agreement(rich_trials())
    spec = charts.flakiness_chart(result).to_dict()
    marks = rows_with(spec, "outcome")
    assert len(marks) == result.flaky["outcomes"].str.len().sum()
    words = {"P": "passed", "F": "not passed", "-": "left out"}
    for line in result.flaky.to_dict("records"):
        mine = marks[(marks["task_label"] == line["task_id"]) & (marks["arm_label"] == line["arm"])]
        assert mine["outcome"].tolist() == [words[letter] for letter in line["outcomes"]]
        assert mine["repeat"].tolist() == list(range(1, len(mine) + 1))
    first = result.flaky.iloc[0]
    assert f"{first['passes']} of {first['trials']}" in spec["description"]


def test_hundreds_of_repeats_of_hundreds_of_flaky_tasks_are_cut_and_said(drawn_trials):
    trials = drawn_trials(1, 80, 130)
    spec = charts.flakiness_chart(comparison.agreement(trials)).to_dict()
    assert sum(map(len, spec["datasets"].values())) <= 5_000
    said = " ".join(spec["title"]["subtitle"])
    assert "not drawn" in said
    assert "the first 60 of up to 130 repeats" in said


def test_a_timeline_has_a_lane_a_kind_of_tool(steps_of):
    result = comparison.timeline(steps_of(9))
    spec = result.plot().to_dict()
    drawn = rows_with(spec, "lane").drop_duplicates("step")
    columns = ["seq", "turn", "lane", "outcome", "duration_s", "start_s", "what"]
    same_rows(drawn, result.table, columns, ["step"])
    lanes, times = spec["vconcat"]
    assert lanes["encoding"]["y"]["sort"] == ["message", "read", "edit", "shell", "limit"]
    assert times["encoding"]["y"]["title"] == "time (s)"
    assert "9 tool calls (read 3, edit 3, shell 3)" in spec["description"]
    untimed = comparison.timeline(steps_of(9, timed=False)).plot().to_dict()
    assert len(untimed["vconcat"]) == 1
    long = comparison.timeline(steps_of(1_200)).plot().to_dict()
    assert sum(map(len, long["datasets"].values())) <= 5_000
    assert "202 more steps not drawn" in long["title"]["subtitle"]


def test_judge_and_people_stand_side_by_side(judged):
    result = comparison.judge_trust(*judged())
    spec = charts.judge_rates_chart(result).to_dict()
    drawn = rows_with(spec, "source")
    for source, column in (
        ("the judge", "judge_rate"),
        ("people, where they labelled", "people_rate"),
        ("judge corrected for its error rates", "rogan_gladen"),
        ("judge and people together", "ppi"),
    ):
        known = result.arms[result.arms[column].notna()]
        mine = drawn[drawn["source"] == source]
        assert mine["rate"].tolist() == pytest.approx(known[column].tolist())
        assert mine["low"].tolist() == pytest.approx(known[f"{column}_low"].tolist())
        assert mine["arm_label"].tolist() == known["arm"].tolist()
    assert re.search(r"all, the judge: \d+\.\d %", spec["description"])
    many = charts.judge_rates_chart(comparison.judge_trust(*judged(30))).to_dict()
    assert "11 more arms not drawn" in " ".join(many["title"]["subtitle"])


def test_a_matrix_marks_what_was_gained_and_lost(rich_trials):
    trials = rich_trials()
    pair = comparison.compare(trials, baseline="arm-0")
    spec = charts.task_matrix_chart(comparison.matrix(trials), flips=pair).to_dict()
    drawn = rows_with(spec, "flip").dropna(subset=["flip"])
    moved = pair.flips[pair.flips["direction"] != "same"]
    want = {tuple(row) for row in moved[["task_id", "candidate", "direction"]].to_numpy()}
    assert {tuple(row) for row in drawn[["task_id", "arm_label", "flip"]].to_numpy()} == want
    assert "gained over arm-0" in " ".join(spec["title"]["subtitle"])


EMPTY = {
    "distribution": (comparison.distribution, "used anything that is known"),
    "errors": (comparison.error_classes, "no trial ended with an error"),
    "signs": (comparison.warning_signs, "no trial shows a sign"),
    "tokens": (comparison.token_buckets, "no counted trial knows its tokens"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_known_is_said_in_place_of_a_blank(drawn_trials, name):
    ask, message = EMPTY[name]
    trials = drawn_trials().drop(columns=["cost_usd", "agent_s"]).copy()
    passed = trials["passed"].fillna(value=True)
    trials = trials.assign(passed=passed, status=np.where(passed, "pass", "fail"), error_class=None)
    trials["tokens"] = np.nan
    result = ask(trials)
    assert result.table.empty
    for drawn in (result, result.table):
        spec = charts.DRAWN[type(result)](drawn).to_dict()
        assert message in spec["description"]
        assert charts.to_svg(spec).startswith("<svg")


def test_other_empty_results_say_so_too(judged, steps_of, rich_trials):
    trust = comparison.judge_trust(*judged())
    nobody = dataclasses.replace(trust, arms=trust.arms.assign(judged=0))
    steps = comparison.timeline(steps_of(3))
    plan = comparison.plan(effect=0.1)
    specs = {
        "nothing was judged": charts.judge_rates_chart(nobody),
        "kept no step": charts.timeline_chart(steps.table.head(0)),
        "both passed and failed": charts.flakiness_chart(
            comparison.agreement(rich_trials()).flaky.head(0)
        ),
        "no number of repeats": charts.plan_chart(
            dataclasses.replace(plan, table=plan.table.head(0))
        ),
    }
    for message, chart in specs.items():
        assert message in chart.to_dict()["description"]
