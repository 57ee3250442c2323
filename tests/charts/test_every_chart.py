"""What holds for every chart: words, units, size, themes, no colour alone, pictures without a network."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from agenteval import charts
from agenteval.charts.theme import MOST_ROWS

_SPEC = importlib.util.spec_from_file_location(
    "every_chart", Path(__file__).with_name("every_chart.py")
)
every_chart = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(every_chart)
NAMES = every_chart.NAMES
SHARES = {
    "scoreboard", "reliability", "limits", "distribution", "agreement", "trend", "frontier",
    "flips", "changes", "judge rates",
}  # fmt: skip
POINTS = {"difference", "slices", "sensitivity"}
REDUNDANT = {
    "reliability": "shape", "limits": "shape", "distribution": "shape", "trend": "shape",
    "plan": "shape", "flakiness": "shape", "timeline": "shape", "judge rates": "shape", "gate": "shape",
    "tags": "text", "parity": "text", "difference": "text", "steps": "yOffset", "frontier": "fill",
    "matrix with flips": "text",
}  # fmt: skip


@pytest.fixture(scope="module")
def draw(rich_trials, steps_of, judged):
    made = {}

    def one(name, size=(4, 8, 3), **options):
        if size not in made:
            arms = min(size[0], 60)
            made[size] = every_chart.drawings(
                rich_trials(*size), steps_of(30), steps_of(34, timed=False), judged(arms)
            )
        return made[size][name](**options).to_dict()

    return one


def nodes(spec):
    stack = [spec]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node


def rows_of(spec):
    return [row for rows in spec.get("datasets", {}).values() for row in rows]


def tooltips(spec):
    return [
        tip["title"] if "title" in tip else tip["field"]
        for node in nodes(spec)
        for tip in node.get("tooltip", [])
        if isinstance(node.get("tooltip"), list)
    ]


def test_all_charts_of_the_package_are_here(draw):
    drawn = {name for name in charts.__all__ if name.endswith("_chart")}
    text = Path(every_chart.__file__).read_text()
    registered = {chart.__name__ for chart in charts.DRAWN.values()}
    assert {name for name in drawn if name not in text} <= registered
    assert draw(NAMES[0])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_picture_in_both_themes(draw, name, theme):
    spec = draw(name, theme=theme)
    assert spec["background"] == {"light": "#ffffff", "dark": "#14181d"}[theme]
    if theme == "dark":
        assert charts.to_png(spec, scale=1).startswith(b"\x89PNG")
        return
    svg = charts.to_svg(spec)
    assert svg.startswith("<svg")
    assert "NaN" not in svg
    assert "undefined" not in svg
    # what is referred to by id clashes as soon as a page holds two charts
    assert "url(#" not in svg
    assert not [node for node in nodes(spec) if node.get("clip")]


@pytest.mark.parametrize("name", NAMES)
def test_its_description_states_numbers_and_nothing_is_remote(draw, name):
    spec = draw(name)
    assert re.search(r"\d", spec["description"].replace("arm-0", "").replace("task-0", ""))
    assert len(spec["description"]) < 3_000
    spec.pop("$schema")
    text = json.dumps(spec, allow_nan=False)
    assert "http" not in text
    assert '"url"' not in text


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_says_what_it_shows(draw, name):
    """Quantities have a title in words, never the name of a column."""
    for node in nodes(draw(name)):
        for channel in ("x", "y"):
            encoding = node.get("encoding", {}).get(channel, {})
            if encoding.get("type") != "quantitative" or encoding.get("axis", 1) is None:
                continue
            axis = encoding.get("axis", {})
            title = axis["title"] if "title" in axis else encoding.get("title", "")
            assert title is None or "_" not in title
            if "title" not in axis and "title" not in encoding:
                assert "_" not in encoding.get("field", "")


@pytest.mark.parametrize("name", NAMES)
def test_it_has_tooltips(draw, name):
    assert tooltips(draw(name))


@pytest.mark.parametrize(
    "name",
    [
        "scoreboard", "difference", "slices", "sensitivity", "reliability", "limits", "distribution",
        "trend", "errors", "signs", "tokens", "judge rates",
    ],
)  # fmt: skip
def test_tooltips_of_estimates_hold_n_and_the_interval(draw, name):
    spec = draw(name)
    assert {"n", "tasks"} & set(tooltips(spec))
    bracket = re.compile(r"\[-?\d.*\d\]")
    assert any(bracket.search(str(value)) for row in rows_of(spec) for value in row.values())


@pytest.mark.parametrize("name", sorted(SHARES))
def test_intervals_of_shares_stay_between_0_and_1(draw, name):
    spec = draw(name)
    domains = [
        channel["scale"].get("domain")
        for node in nodes(spec)
        for key in ("x", "y")
        if isinstance(channel := node.get("encoding", {}).get(key), dict)
        and channel.get("scale", {}).get("domain") == [0, 1]
    ]
    assert domains
    for row in rows_of(spec):
        for key in ("rate", "share", "low", "high", "pass_hat_k", "pass_at_k", "before", "after"):
            assert row.get(key) is None or 0 <= row[key] <= 1


@pytest.mark.parametrize("name", sorted(POINTS))
def test_intervals_of_differences_stay_inside_the_axis(draw, name):
    spec = draw(name)
    low, high = next(
        node["encoding"]["x"]["scale"]["domain"]
        for node in nodes(spec)
        if node.get("encoding", {}).get("x", {}).get("field") == "difference"
    )
    assert -1 <= low == -high
    assert all(
        low <= row[key] <= high for row in rows_of(spec) for key in ("low", "high") if key in row
    )


@pytest.mark.parametrize(("name", "channel"), REDUNDANT.items())
def test_colour_is_never_alone(draw, name, channel):
    """What a colour says is said again by a shape, a place or a word."""
    spec = draw(name)
    coloured = [node["encoding"] for node in nodes(spec) if "color" in node.get("encoding", {})]
    assert coloured
    assert any(channel in node.get("encoding", {}) for node in nodes(spec))


@pytest.mark.parametrize("name", NAMES)
def test_sixty_arms_still_fit(draw, name):
    spec = draw(name, (60, 6, 2))
    assert len(rows_of(spec)) <= MOST_ROWS
    assert len(json.dumps(spec)) < 1_000_000
    if name in ("errors", "frontier", "judge rates", "matrix with flips"):
        assert charts.to_svg(spec).startswith("<svg")


@pytest.mark.parametrize("name", NAMES)
def test_five_hundred_tasks_still_fit(draw, name):
    spec = draw(name, (3, 500, 2))
    assert len(rows_of(spec)) <= MOST_ROWS
    assert len(json.dumps(spec)) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_thousand_trials_are_aggregated_first(draw, rich_trials, name):
    assert len(rich_trials(40, 500, 5)) == 100_000
    spec = draw(name, (40, 500, 5))
    assert len(rows_of(spec)) <= MOST_ROWS
    assert len(json.dumps(spec)) < 1_000_000
