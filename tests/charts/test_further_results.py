"""Every result of the layer has a chart: parity, agreement, changes, tags, steps."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from agenteval import charts, comparison
from agenteval.comparison import Result


def steps(commands):
    frame = pd.DataFrame({"command": list(commands)})
    return frame.assign(seq=range(1, len(frame) + 1), kind="tool_call", tool="bash")


def tags_of(trials):
    return trials[["run_id", "trial_id"]].iloc[::5].assign(text="no tests run")


def changed(trials):
    turned = trials.copy()
    lost = turned["task_id"].eq("task-1") & turned["passed"].fillna(value=False)
    turned.loc[lost, ["passed", "status"]] = [False, "fail"]
    return turned


MAKE = {
    "parity": lambda t: comparison.parity(
        t.assign(concurrent_trials=np.where(t["arm"] == "arm-1", 8, 1)), baseline="arm-0"
    ),
    "agreement": comparison.agreement,
    "changes": lambda t: comparison.against(changed(t), t),
    "tags": lambda t: comparison.tag_counts(t, tags_of(t)),
    "steps": lambda t: comparison.diff(steps("abcd"), steps("abxd")),
}
DRAW = {
    "parity": charts.parity_chart,
    "agreement": charts.agreement_chart,
    "changes": charts.changes_chart,
    "tags": charts.tags_chart,
    "steps": charts.steps_chart,
}


def rows_with(spec, column):
    found = [rows for rows in spec["datasets"].values() if rows and column in rows[0]]
    return max(found, key=len)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", MAKE)
def test_it_is_drawn_with_words_and_nothing_remote(drawn_trials, name, theme):
    result = MAKE[name](drawn_trials())
    spec = result.plot(theme=theme).to_dict()
    assert spec == DRAW[name](result, theme=theme).to_dict()
    assert spec["title"]["text"]
    assert len(spec["description"]) > 30
    assert spec["background"] == {"light": "#ffffff", "dark": "#14181d"}[theme]
    assert charts.to_png(spec).startswith(b"\x89PNG")
    spec.pop("$schema")
    text = json.dumps(spec, allow_nan=False)
    assert "http" not in text


@pytest.mark.parametrize("name", MAKE)
def test_an_empty_table_says_so(drawn_trials, name):
    result = MAKE[name](drawn_trials())
    spec = DRAW[name](dataclasses.replace(result, table=result.table.iloc[:0])).to_dict()
    assert charts.to_svg(spec).startswith("<svg")


def test_numbers_are_those_of_the_tables(drawn_trials):
    trials = drawn_trials()
    agreement = comparison.agreement(trials)
    rows = pd.DataFrame(rows_with(agreement.plot().to_dict(), "disagreement"))
    want = agreement.table.sort_values("disagreement", ascending=False, kind="stable")
    assert rows["disagreement"].tolist() == pytest.approx(want["disagreement"].tolist())
    moved = MAKE["changes"](trials)
    rows = pd.DataFrame(rows_with(moved.plot().to_dict(), "before"))
    assert len(rows) == len(moved.regressed) + len(moved.improved)
    assert rows["after"].tolist() == moved.table["after"].head(len(rows)).tolist()
    tags = MAKE["tags"](trials)
    rows = pd.DataFrame(rows_with(tags.plot().to_dict(), "tagged"))
    assert rows["tagged"].sum() == tags.table["tagged"].sum()
    parity = MAKE["parity"](trials)
    rows = pd.DataFrame(rows_with(parity.plot().to_dict(), "severity"))
    assert len(rows) == len(parity.table)
    assert "8.0 at once" in parity.plot().to_dict()["description"]


def test_the_parting_of_two_trials_is_marked():
    spec = comparison.diff(steps("abcd"), steps("abxd")).plot().to_dict()
    assert [{"row": 2}] in list(spec["datasets"].values())
    assert "they part at step 2" in spec["description"]
    same = comparison.diff(steps("ab"), steps("ab")).plot().to_dict()
    assert "they are the same" in same["description"]
    long = comparison.diff(steps(["x"] * 900), steps(["x"] * 899 + ["y"])).plot().to_dict()
    assert "500 more steps not drawn" in long["title"]["subtitle"]


def test_large_tables_stay_small(drawn_trials):
    trials = drawn_trials(70, 4, 2)
    for name in ("parity", "agreement", "changes", "tags"):
        spec = MAKE[name](trials).plot().to_dict()
        assert len(json.dumps(spec)) < 1_000_000


def test_every_result_of_the_layer_has_a_chart():
    results = [
        kind
        for name in comparison.__all__
        if isinstance(kind := getattr(comparison, name), type)
        and issubclass(kind, Result)
        and kind is not Result
    ]
    assert set(results) <= set(charts.DRAWN)
