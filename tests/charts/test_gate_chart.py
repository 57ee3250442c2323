"""The gate's picture: a row a dimension, the table's own numbers, nothing remote."""

import json

import pandas as pd
import pytest

from agenteval import charts
from agenteval.comparison import baseline_of, gate


@pytest.fixture
def report(drawn_trials):
    trials = drawn_trials(12, 1, 3)
    before = baseline_of(trials.assign(stop_blocks=0))
    worse = trials.assign(passed=False, status="fail", error_class=None, stop_blocks=2)
    return gate(baseline_of(worse), before)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_drawn_with_words_and_nothing_remote(report, theme):
    spec = report.plot(theme=theme).to_dict()
    assert spec == charts.gate_chart(report, theme=theme).to_dict()
    assert "fail" in spec["title"]["subtitle"][0]
    assert len(spec["description"]) > 30
    assert charts.to_png(spec).startswith(b"\x89PNG")
    spec.pop("$schema")
    assert "http" not in json.dumps(spec, allow_nan=False)


def test_its_numbers_are_those_of_the_table(report):
    spec = report.plot().to_dict()
    rows = pd.DataFrame(max(spec["datasets"].values(), key=len))
    drawn = report.table[report.table["gain"].notna()]
    assert rows["gain"].tolist() == drawn["gain"].tolist()
    assert (rows["outcome"] == "fails").sum() == drawn["failed"].sum() > 0


def test_an_empty_table_says_so(report):
    spec = charts.gate_chart(report.table.iloc[:0]).to_dict()
    assert charts.to_svg(spec).startswith("<svg")
