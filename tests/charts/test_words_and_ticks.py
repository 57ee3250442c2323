"""What charts say of themselves: what is missing, single points, units, counts; and their ticks."""

import dataclasses

import pandas as pd
import pytest

from agenteval import charts, comparison

SEVERITIES = ("unfair", "caution", "intended", "same")


def rows_with(spec, column):
    found = [rows for rows in spec["datasets"].values() if rows and column in rows[0]]
    return max(found, key=len)


def axes_of(spec, field):
    stack, found = [spec], []
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if node.get("field") == field and isinstance(node.get("axis"), dict):
                found.append(node["axis"])
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node
    return found


def test_arms_without_a_known_cost_are_named(drawn_trials):
    trials = drawn_trials(9).copy()
    gone = trials["arm"].isin([f"arm-{i}" for i in range(1, 8)])
    trials.loc[gone, "cost_usd"] = None
    result = comparison.frontier(trials)
    assert result.without_cost == tuple(f"arm-{i}" for i in range(1, 8))
    spec = result.plot().to_dict()
    for said in (" ".join(spec["title"]["subtitle"]), spec["description"]):
        assert "ithout a known cost, so not here: arm-1, arm-2" in said
        assert "and 2 more" in said
    whole = comparison.frontier(drawn_trials()).plot().to_dict()
    assert "ithout a known" not in whole["description"] + "".join(whole["title"]["subtitle"])


def test_of_many_arms_only_the_frontier_has_names(drawn_trials):
    result = comparison.frontier(drawn_trials(60, 8, 3))
    spec = result.plot().to_dict()
    rows = rows_with(spec, "place")
    named = [row for row in rows if row["place"]]
    assert 0 < len(named) <= result.table["on_frontier"].sum()
    assert all(row["on_frontier"] for row in named)
    assert "tooltips name" in " ".join(spec["title"]["subtitle"])
    filters = {
        layer["transform"][0]["filter"]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text"
    }
    assert filters == {f"datum.place == '{row['place']}'" for row in named}
    few = comparison.frontier(drawn_trials()).plot().to_dict()
    assert all(row["place"] for row in rows_with(few, "place"))
    assert "tooltips" not in " ".join(few["title"]["subtitle"])


def test_a_frontier_of_time_speaks_of_time(drawn_trials):
    spec = comparison.frontier(drawn_trials(), column="agent_s").plot().to_dict()
    assert axes_of(spec, "cost")[0]["title"] == "agent time a trial (seconds), mean over tasks"
    assert "agent_s" not in spec["description"]
    assert spec["description"].startswith("Agent time and pass rate. ")


def test_a_frontier_that_costs_nothing_has_an_axis(drawn_trials):
    spec = comparison.frontier(drawn_trials().assign(cost_usd=0.0)).plot().to_dict()
    scales = {tuple(layer["encoding"]["x"]["scale"]["domain"]) for layer in spec["layer"]}
    assert scales == {(0, 1.0)}


def test_the_worst_candidates_are_drawn_first(drawn_trials):
    result = comparison.parity(drawn_trials(60, 3, 1), baseline="arm-0")
    table = result.table.assign(severity="same")
    last = sorted(table["candidate"].unique())[-3:]
    for name, severity in zip(last, ("caution", "intended", "unfair"), strict=True):
        first = table.index[table["candidate"] == name][0]
        table.loc[first, ["severity", "meaning"]] = [severity, f"{name} is {severity}"]
    spec = charts.parity_chart(dataclasses.replace(result, table=table)).to_dict()
    order = spec["layer"][0]["encoding"]["x"]["sort"]
    rest = sorted(set(table["candidate"]) - set(last))
    assert order == [last[2], last[0], last[1], *rest[:37]]
    assert {row["candidate"] for row in rows_with(spec, "severity")} == set(order)
    said = " ".join(spec["title"]["subtitle"])
    assert said.startswith("2 differences that may matter 19 more candidates not drawn: ")
    assert rest[37] in said
    assert f"{last[2]} is unfair" in spec["description"]


def test_one_point_is_no_trend(rich_trials):
    trials = rich_trials(1)
    said = comparison.trend(trials).plot().to_dict()["description"]
    assert "went from" not in said
    assert said.endswith("% (run-1), one point.")
    later = trials.assign(
        run_id="run-2",
        trial_id="again " + trials["trial_id"],
        started_at=trials["started_at"] + pd.Timedelta(days=60),
    )
    said = comparison.trend(pd.concat([trials, later])).plot().to_dict()["description"]
    assert "went from" in said
    assert said.endswith("over 2 points.")


def test_limits_are_told_in_words_and_units(rich_trials):
    trials = rich_trials(1).assign(agent_s=200.0, cost_usd=0.331)
    spec = comparison.limits(trials).plot().to_dict()
    said = spec["description"]
    assert "at agent time 3.3 min" in said
    assert "at $0.33" in said
    assert " turns" in said
    assert "agent_s" not in said
    assert "cost_usd" not in said
    texts = {row["limit_text"] for rows in spec["datasets"].values() for row in rows}
    assert {"3.3 min", "$0.33"} <= texts


def test_one_repeat_is_told_once(drawn_trials):
    said = comparison.reliability(drawn_trials(2, 8, 1)).plot().to_dict()["description"]
    assert said.count("k = 1") == 2
    assert "at least one" not in said
    assert "at least one" in comparison.reliability(drawn_trials()).plot().to_dict()["description"]


def test_counts_of_one_read_right(rich_trials):
    trials = rich_trials(1, 1, 1).assign(
        passed=False, status="error", error_class="timeout", cost_usd=1.0, turns=1
    )
    trials["tampering"] = [["tests_edited"]]
    spread = comparison.distribution(trials).plot().to_dict()["description"]
    assert "of 1 trial" in spread
    errors = comparison.error_classes(trials).plot().to_dict()["description"]
    assert "1 of 1 trial " in errors
    signs = comparison.warning_signs(trials).plot().to_dict()["description"]
    assert "in 1 of 1 trial, 0 of them passed" in signs
    assert not [text for text in (spread, errors, signs) if "1 trials" in text]


def test_one_task_gained_reads_right(drawn_trials):
    trials = drawn_trials(2, 3, 1).copy()
    won = trials["arm"].eq("arm-1") & trials["task_id"].eq("task-0")
    trials["passed"] = pd.array(won, "boolean")
    trials["status"] = won.map({True: "pass", False: "fail"})
    trials["error_class"] = None
    said = comparison.flips(trials, baseline="arm-0").plot().to_dict()["description"]
    assert "1 task gained, 0 lost, 2 the same" in said


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_labels_of_ticks_keep_their_distance(drawn_trials, theme):
    spec = comparison.compare(drawn_trials(), baseline="arm-0").plot(theme=theme).to_dict()
    assert spec["config"]["axis"]["labelSeparation"] >= 5
    assert all(axis["tickCount"] <= 5 for axis in axes_of(spec, "difference"))
    cost = comparison.frontier(drawn_trials()).plot().to_dict()
    assert axes_of(cost, "cost")[0]["tickCount"] <= 6
