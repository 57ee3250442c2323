"""Names as they are in practice, long and alike: rows are told apart, and the data keep them whole."""

import json
import re

import altair as alt
import pytest

from agenteval import charts, comparison
from agenteval.charts.label_places import AWAY, LETTER, LINE, label_places
from agenteval.charts.names import label_columns, name_labels, short_names, shortened

MODELS = ("anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-1", "openai/gpt-5-codex")
WIDEST = 1_250


def arm_name(i):
    if i == 0:
        return f"claude-code {MODELS[0]} baseline"
    return f"claude-code {MODELS[i % 3]} short-prompt-v{1 + i // 3}"


def task_name(i):
    return f"django__django-1{i}234-migration-autodetector"


@pytest.fixture
def real(rich_trials):
    """Return trials of arms and tasks with names that people give."""

    def draw(arms, tasks=8, repeats=3):
        trials = rich_trials(arms, tasks, repeats)
        return trials.assign(
            arm=trials["arm"].str.removeprefix("arm-").astype(int).map(arm_name),
            task_id=trials["task_id"].str.removeprefix("task-").astype(int).map(task_name),
        )

    return draw


def turned(trials):
    lost = trials["task_id"].isin([task_name(1), task_name(2)]) & trials["passed"].eq(other=True)
    after = trials.copy()
    after.loc[lost, ["passed", "status"]] = [False, "fail"]
    return after


def rows_with(spec, column):
    found = [rows for rows in spec["datasets"].values() if rows and column in rows[0]]
    return max(found, key=len)


def nodes(spec):
    stack = [spec]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node


def columns_of(spec):
    """Return the fields written as columns left of the plot, from left to right."""
    found = {}
    for node in nodes(spec):
        x = node.get("encoding", {}).get("x")
        if isinstance(x, dict) and (x.get("value") or 0) < 0:
            found[node["encoding"]["text"]["field"]] = x["value"]
    return sorted(found, key=found.get)


def spoken(options):
    """Return the map of names to labels that an axis or a legend writes."""
    return json.loads(options["labelExpr"].removesuffix("[datum.value]"))


def png_width(spec):
    return int.from_bytes(charts.to_png(spec, scale=1)[16:20], "big")


@pytest.mark.parametrize("longest", [20, 30, 36, 44])
def test_short_names_are_told_apart_and_fit(longest):
    for names in ([arm_name(i) for i in range(60)], [task_name(i) for i in range(60)]):
        short = short_names(names, longest)
        assert list(short) == names
        assert len(set(short.values())) == len(names)
        assert max(map(len, short.values())) <= longest
    assert short_names([arm_name(1), "b"], 99) == {arm_name(1): arm_name(1), "b": "b"}


def test_the_model_stays_where_the_agent_is_the_same():
    short = short_names([arm_name(i) for i in range(6)], 36)
    assert short[arm_name(0)] == "…claude-sonnet-4-5 baseline"
    assert short[arm_name(4)] == "…claude-opus-4-1 short-prompt-v2"


def test_names_that_no_cut_tells_apart_are_numbered():
    same = ["x" * 40 + f"{i}" * 30 + "y" * 40 for i in range(3)]
    assert len(set(short_names([*same, "x" * 90], 9).values())) == 4
    alike = [f"{'a' * 30}{'b' * i}{'a' * 30}{'c' * 40}" for i in (20, 21)]
    assert len(set(short_names(alike, 6).values())) == 2


def test_wide_letters_count_twice_and_odd_names_keep_an_axis_whole():
    assert len(shortened("日本語エージェント" * 4, 30)) == 15
    odd = ["constructor", "a" * 60 + "'\"\\\n]", "<b>bold</b>" * 9]
    assert set(spoken(name_labels(odd))) == set(odd)
    assert name_labels(["constructor", "a"]) == {}


@pytest.mark.parametrize("name", ["slices", "gate", "flakiness", "changes"])
@pytest.mark.parametrize("arms", [2, 4, 60])
def test_arm_and_row_have_a_column_each(real, name, arms):
    trials = real(arms)
    spec = {
        "slices": lambda: comparison.slices(trials, baseline=arm_name(0)).plot(),
        "gate": lambda: comparison.gate(
            comparison.baseline_of(turned(trials)), comparison.baseline_of(trials)
        ).plot(),
        "flakiness": lambda: charts.flakiness_chart(comparison.agreement(trials)),
        "changes": lambda: comparison.against(turned(trials), trials).plot(),
    }[name]().to_dict()
    several = arms > (2 if name == "slices" else 1)
    field = {"slices": "slice_text", "gate": "dimension_text"}.get(name, "task_text")
    shown = columns_of(spec)
    assert set(shown) == (
        {"arm_text", field} if several else set() if name == "slices" else {field}
    )
    if not several:
        return
    rows = [row for row in rows_with(spec, "arm_text") if row.get("repeat", 1) == 1]
    assert all(len(row[column]) <= 44 for row in rows for column in shown)
    arm, seen = "", []
    for row in rows:
        arm = row["arm_text"] or arm
        seen.append((arm, row[field]))
    assert len(set(seen)) == len(rows)


def test_gate_rows_say_their_dimension(real):
    trials = real(1)
    report = comparison.gate(comparison.baseline_of(turned(trials)), comparison.baseline_of(trials))
    spec = report.plot().to_dict()
    rows = rows_with(spec, "dimension_text")
    assert "pass rate" in {row["dimension_text"] for row in rows}
    assert {row["label"] for row in rows} <= set(report.table["dimension"])
    assert arm_name(0) in " ".join(spec["title"]["text"])


def test_one_arm_is_named_once_above_its_flaky_tasks(real):
    spec = charts.flakiness_chart(comparison.agreement(real(1))).to_dict()
    assert columns_of(spec) == ["task_text"]
    assert f"of {arm_name(0)}" in " ".join(spec["title"]["subtitle"])
    assert {row["strip"] for row in rows_with(spec, "strip")} <= {task_name(i) for i in range(8)}


def test_the_heads_of_flips_have_room_between_them(real):
    spec = comparison.flips(real(4), baseline=arm_name(0), candidate=arm_name(1)).plot().to_dict()
    (axis,) = {
        node["encoding"]["x"]["axis"]["labelExpr"]
        for node in nodes(spec)
        if "axis" in node.get("encoding", {}).get("x", {})
    }
    heads = re.findall(r'"([^"]*)"', axis)
    assert len(set(heads)) == 2
    assert all(len(json.loads(f'"{head}"')) <= 36 for head in heads)
    assert {row["side_name"] for row in rows_with(spec, "side_name")} == {arm_name(0), arm_name(1)}


def test_names_at_the_ends_of_flips_fit_on_a_line(real):
    trials = real(2, 12, 1)
    flips = comparison.flips(trials, baseline=arm_name(0), candidate=arm_name(1))
    spec = flips.plot().to_dict()
    texts = [row["text"] for rows in spec["datasets"].values() for row in rows if "dy" in row]
    assert texts
    assert max(map(len, texts)) <= 70 + len(" and 99 more")
    assert {task_name(3)} & {
        name for row in rows_with(spec, "tasks") for name in row["tasks"].split(", ")
    }


@pytest.mark.parametrize(
    ("name", "arms"),
    [
        *((name, arms) for name in ("frontier", "tags", "flakiness") for arms in (1, 4, 60)),
        *((name, arms) for name in ("flips", "parity") for arms in (4, 60)),
    ],
)
def test_long_names_do_not_widen_the_picture(real, name, arms):
    trials = real(arms)
    tags = trials[["run_id", "trial_id"]].iloc[::5].assign(text="no tests run")
    ask = {
        "frontier": lambda: comparison.frontier(trials).plot(),
        "flips": lambda: comparison.flips(
            trials, baseline=arm_name(0), candidate=arm_name(1)
        ).plot(),
        "tags": lambda: comparison.tag_counts(trials, tags).plot(),
        "parity": lambda: comparison.parity(trials, baseline=arm_name(0)).plot(),
        "flakiness": lambda: charts.flakiness_chart(comparison.agreement(trials)),
    }[name]
    assert png_width(ask().to_dict()) <= WIDEST


def test_legends_and_axes_shorten_and_tooltips_do_not(real):
    spec = comparison.reliability(real(4)).plot().to_dict()
    legends = [
        node["legend"]
        for node in nodes(spec)
        if isinstance(node.get("legend"), dict) and "field" in node
    ]
    assert legends
    for legend in legends:
        assert set(spoken(legend)) == {arm_name(i) for i in range(4)}
        assert len(set(spoken(legend).values())) == 4
    assert {row["arm_label"] for row in rows_with(spec, "arm_label")} == {
        arm_name(i) for i in range(4)
    }
    spec = comparison.scoreboard(real(60)).plot().to_dict()
    axis = spec["layer"][0]["encoding"]["y"]["axis"]
    assert len(set(spoken(axis).values())) == 60
    assert max(map(len, spoken(axis).values())) <= 44


def test_names_beside_points_cover_none_and_stay_inside():
    points = [(5.0 * i, 170 + 3.0 * (i % 7), f"a name of arm {i}") for i in range(100)]
    places = label_places(points, 520, 340)
    assert 5 < sum(map(bool, places)) < 100
    boxes = []
    for (x, y, name), place in zip(points, places, strict=True):
        if place:
            across, updown = place.split()
            long = LETTER * len(name)
            left = x + AWAY[across] - (long if across == "left" else 0)
            assert left >= 0
            boxes.append((left, left + long, y + AWAY[updown]))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[1] <= b[0] or b[1] <= a[0] or abs(a[2] - b[2]) >= LINE
    assert label_places([(1.0, 1.0, "x" * 400)], 520, 340) == [""]


def test_columns_stand_left_of_the_plot_in_their_order():
    rows = [{"a": "one", "b": "two, a longer one", "y": 1}]
    base = alt.Chart(alt.Data(values=rows)).encode(y="y:O")
    first, second = (layer.to_dict() for layer in label_columns(base, rows, ["a", "b"], "#123456"))
    assert first["encoding"]["x"]["value"] < second["encoding"]["x"]["value"] < -6 * len("two, a")
    assert first["encoding"]["color"] == {"value": "#123456"}
    assert second["mark"]["limit"] < -second["encoding"]["x"]["value"]
