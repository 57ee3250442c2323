"""Each chart draws its table: the data, the words, the size, and a picture comes out."""

import json

import altair as alt
import pandas as pd
import pytest

from agenteval import charts
from agenteval.comparison import (
    Reliability,
    compare,
    frontier,
    limits,
    matrix,
    reliability,
    scoreboard,
    sensitivity,
    slices,
    trend,
)
from agenteval.errors import InvalidInput

ALL = [
    "scoreboard", "matrix", "difference", "reliability", "flips", "slices", "sensitivity",
    "frontier", "limits", "trend",
]  # fmt: skip
QUESTIONS = {
    "scoreboard": (scoreboard, charts.scoreboard_chart),
    "matrix": (matrix, charts.task_matrix_chart),
    "difference": (lambda t: compare(t, baseline="arm-0"), charts.difference_chart),
    "reliability": (reliability, charts.reliability_chart),
    "slices": (lambda t: slices(t, baseline="arm-0"), charts.slices_chart),
    "sensitivity": (
        lambda t: sensitivity(t, baseline="arm-0", candidate="arm-1"),
        charts.sensitivity_chart,
    ),
    "frontier": (frontier, charts.frontier_chart),
    "limits": (limits, charts.limits_chart),
    "trend": (trend, charts.trend_chart),
}


RESULTS = {}


def result_of(name, trials):
    """Ask the question of a chart, once for each table of trials."""
    if name == "flips":
        name = "one difference"
    key = (name, id(trials))
    if key not in RESULTS:
        ask = {"one difference": lambda t: compare(t, baseline="arm-0", candidate="arm-1")}
        question = ask.get(name) or QUESTIONS[name][0]
        RESULTS[key] = (question(trials), trials)
    return RESULTS[key][0]


def drawn(name, trials, theme="light"):
    """Draw one chart; return its specification and the table behind it."""
    result = result_of(name, trials)
    chart = charts.flips_chart if name == "flips" else QUESTIONS[name][1]
    table = result.flips if name == "flips" else result.table
    return chart(result, theme=theme).to_dict(), table


def values(spec, having):
    """Return the embedded rows that hold a column."""
    found = [v for v in spec.get("datasets", {}).values() if v and having in v[0]]
    stack = [spec]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            data = node.get("data")
            if isinstance(data, dict) and having in (data.get("values") or [{}])[0]:
                found.append(data["values"])
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node
    return found[0]


def embedded_rows(spec):
    text = json.dumps(spec)
    return text.count('"arm_label":') + text.count('"pair_label":')


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ALL)
def test_chart_has_words_and_a_picture(drawn_trials, name, theme):
    spec, _ = drawn(name, drawn_trials(), theme)
    assert spec["description"].rstrip(".)")
    assert (
        "%" in spec["description"]
        or "gained" in spec["description"]
        or "points" in spec["description"]
    )
    assert spec["title"]["text"]
    assert spec["background"] == {"light": "#ffffff", "dark": "#14181d"}[theme]
    assert charts.to_png(spec).startswith(b"\x89PNG")
    assert "</svg>" in charts.to_svg(spec)


@pytest.mark.parametrize("name", ALL)
def test_nothing_remote_and_strict_json(drawn_trials, name):
    spec, _ = drawn(name, drawn_trials())
    spec.pop("$schema")
    text = json.dumps(spec, allow_nan=False)
    assert "http" not in text
    assert '"url"' not in text


def test_scoreboard_rows_are_the_table(drawn_trials):
    spec, table = drawn("scoreboard", drawn_trials())
    rows = pd.DataFrame(values(spec, "rate_text"))
    same = ["rate", "low", "high", "band_low", "band_high", "tasks", "trials", "left_out"]
    want = table.sort_values("rate", ascending=False)[same].astype(float).reset_index(drop=True)
    pd.testing.assert_frame_equal(rows[same].astype(float), want)
    assert rows["arm_label"].tolist() == table["arm"].tolist()
    assert spec["layer"][1]["encoding"]["x"]["scale"] == {"domain": [0, 1]}
    for row in rows.to_dict("records"):
        assert f"{100 * row['rate']:.1f} %" in row["rate_text"]
        assert str(row["left_out"]) in row["n_text"] or row["left_out"] == 0
        assert f"{row['arm_label']} {row['rate_text']}" in spec["description"]


def test_scoreboard_shows_an_arm_without_a_counted_trial(drawn_trials):
    trials = drawn_trials().copy()
    gone = trials["arm"] == "arm-1"
    trials.loc[gone, ["passed", "status"]] = [None, "error"]
    spec, _ = drawn("scoreboard", trials)
    row = values(spec, "rate_text")[-1]
    assert (row["arm_label"], row["rate"], row["rate_text"]) == ("arm-1", None, "no counted trial")
    assert charts.to_png(spec).startswith(b"\x89PNG")


def test_matrix_rows_are_the_table(drawn_trials):
    spec, table = drawn("matrix", drawn_trials())
    rows = pd.DataFrame(values(spec, "task_label"))
    same = ["trials", "passes", "rate", "left_out", "statuses"]
    pd.testing.assert_frame_equal(rows[same], table[same], check_dtype=False)
    assert rows["arm_label"].tolist() == table["arm"].tolist()
    tasks = spec["layer"][0]["encoding"]["y"]["sort"]
    means = table.groupby("task_id")["rate"].mean()
    assert means[tasks].is_monotonic_decreasing


def test_matrix_marks_cells_without_a_counted_trial(drawn_trials):
    trials = drawn_trials().copy()
    gone = (trials["arm"] == "arm-1") & (trials["task_id"] == "task-2")
    trials.loc[gone, ["passed", "status"]] = [None, "error"]
    spec, _ = drawn("matrix", trials)
    empty = [row for row in values(spec, "task_label") if row["empty"]]
    assert [(row["task_label"], row["arm_label"], row["cell"]) for row in empty] == [
        ("task-2", "arm-1", "left out")
    ]
    assert any("hatched" in line for line in spec["title"]["subtitle"])


def test_matrix_tells_suites_apart(drawn_trials):
    trials = drawn_trials(2, 2, 1)
    both = pd.concat([trials, trials.assign(suite="other", trial_id="o" + trials["trial_id"])])
    spec, _ = drawn("matrix", both)
    assert {row["task_label"] for row in values(spec, "task_label")} == {
        "s / task-0", "s / task-1", "other / task-0", "other / task-1",
    }  # fmt: skip


def test_difference_rows_are_the_table(drawn_trials):
    spec, table = drawn("difference", drawn_trials())
    rows = pd.DataFrame(values(spec, "pair_label"))
    same = ["candidate", "difference", "low", "high", "verdict", "mde", "pvalue_adjusted"]
    want = table.sort_values("difference", ascending=False)[same].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows[same], want, check_dtype=False)
    band = values(spec, "from")[0]
    assert (band["from"], band["to"]) == (-0.05, 0.05)
    assert values(spec, "zero") == [{"zero": 0}]
    low, high = spec["layer"][4]["encoding"]["x"]["scale"]["domain"]
    assert low == -high
    assert high >= table["high"].max()
    assert table["candidate"].iloc[0] in spec["description"]


def test_reliability_rows_are_the_table(drawn_trials):
    spec, table = drawn("reliability", drawn_trials())
    rows = pd.DataFrame(values(spec, "pass_hat_k"))
    pd.testing.assert_frame_equal(
        rows[["k", "pass_hat_k", "low", "high"]],
        table[["k", "pass_hat_k", "low", "high"]],
        check_dtype=False,
    )
    rows = pd.DataFrame(values(spec, "pass_at_k"))
    assert rows["pass_at_k"].tolist() == table["pass_at_k"].tolist()


def test_flips_lines_add_up_to_the_tasks(drawn_trials):
    spec, flips = drawn("flips", drawn_trials())
    flips = flips[flips["candidate"] == "arm-1"]
    ends = pd.DataFrame(values(spec, "move")).query("side == 'candidate'")
    assert ends["count"].sum() == len(flips)
    assert (
        ends.groupby("direction")["count"].sum().to_dict()
        == flips["direction"].value_counts().to_dict()
    )


DROPPING = {
    (70, 4): {"scoreboard", "matrix", "difference", "reliability", "slices", "frontier", "limits", "trend"},
    (60, 90): {"matrix", "reliability", "slices", "limits", "trend"},
    (3, 500): {"matrix"},
}  # fmt: skip
LARGE = [
    *((name, (70, 4)) for name in ALL),
    *((name, (60, 90)) for name in ("scoreboard", "matrix", "difference", "flips")),
    *((name, (3, 500)) for name in ("matrix", "flips", "slices")),
]


@pytest.mark.parametrize(("name", "size"), LARGE)
def test_large_tables_stay_small(drawn_trials, name, size):
    spec, _ = drawn(name, drawn_trials(*size, 2))
    assert embedded_rows(spec) <= 5_000
    assert len(json.dumps(spec)) < 2_000_000
    said = " ".join(spec["title"]["subtitle"])
    assert ("not drawn" in said) == (name in DROPPING[size])


def test_charts_take_the_bare_table_too(drawn_trials):
    for name, (_, chart) in QUESTIONS.items():
        result = result_of(name, drawn_trials())
        assert embedded_rows(chart(result.table).to_dict()) == embedded_rows(
            chart(result).to_dict()
        )


def test_plot_draws_what_is_registered(drawn_trials):
    board = scoreboard(drawn_trials())
    assert (
        board.plot(theme="dark").to_dict() == charts.scoreboard_chart(board, theme="dark").to_dict()
    )
    assert charts.DRAWN[type(board)] is charts.scoreboard_chart
    assert charts.DRAWN[Reliability] is charts.reliability_chart


@pytest.mark.parametrize(
    ("name", "key", "same"),
    [
        (
            "slices",
            "pair_label",
            ["difference", "low", "high", "pvalue_adjusted", "verdict", "mde"],
        ),
        ("sensitivity", "pair_label", ["difference", "low", "high", "verdict", "changes"]),
        ("trend", "period", ["rate", "low", "high", "tasks", "trials"]),
    ],
)
def test_rows_are_the_table(drawn_trials, name, key, same):
    spec, table = drawn(name, drawn_trials())
    rows = pd.DataFrame(values(spec, key))
    pd.testing.assert_frame_equal(rows[same], table[same], check_dtype=False)


def test_frontier_rows_are_the_table(drawn_trials):
    spec, table = drawn("frontier", drawn_trials())
    rows = pd.DataFrame(values(spec, "cost_text")).sort_values("cost", ignore_index=True)
    same = ["rate", "low", "high", "cost", "cost_low", "cost_high", "frontier_probability"]
    pd.testing.assert_frame_equal(rows[same], table[same], check_dtype=False)
    best = table.loc[table["rate"].idxmax(), "arm"]
    assert "On the frontier: " in spec["description"]
    assert best in spec["description"].split(".")[1]


def test_limits_rows_are_the_table(drawn_trials):
    spec, table = drawn("limits", drawn_trials())
    rows = pd.DataFrame(values(spec["hconcat"][0] | {"datasets": spec["datasets"]}, "within"))
    want = table[table["quantity"] == table["quantity"].iloc[0]].reset_index(drop=True)
    same = ["limit", "rate", "low", "high", "within"]
    found = [v for v in spec["datasets"].values() if len(v) == len(want)]
    assert any(pd.DataFrame(v)[same].equals(want[same]) for v in found)
    assert len(rows)


@pytest.mark.parametrize("name", ALL)
def test_charts_leave_the_table_alone(drawn_trials, name):
    _, table = drawn(name, drawn_trials())
    before = table.copy(deep=True)
    drawn(name, drawn_trials(), "dark")
    pd.testing.assert_frame_equal(table, before)


def test_an_empty_table_says_so_instead_of_a_blank(drawn_trials):
    trials = drawn_trials()
    pairs = [(chart, result_of(name, trials).table) for name, (_, chart) in QUESTIONS.items()]
    pairs.append((charts.flips_chart, result_of("flips", trials).flips))
    for chart, table in pairs:
        spec = chart(table.head(0)).to_dict()
        assert "to draw" in spec["description"]
        assert charts.to_png(spec).startswith(b"\x89PNG")


def test_an_unknown_theme_is_refused(drawn_trials):
    with pytest.raises(InvalidInput, match="theme"):
        scoreboard(drawn_trials()).plot(theme="neon")


def test_charts_are_altair_charts(drawn_trials):
    assert isinstance(scoreboard(drawn_trials()).plot(), alt.TopLevelMixin)
