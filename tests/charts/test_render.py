"""The renderer: one bundle that shows offline in Lab, on a static page and as text."""

import base64
import subprocess
import sys

import altair as alt
import nbformat
from nbformat import v4

from agenteval import charts
from agenteval.charts.render import MIME, describe, renderer
from agenteval.comparison import scoreboard


def test_importing_charts_enables_the_renderer_and_skips_the_slow_parsers():
    code = (
        "import agenteval.charts, altair, sys;"
        "print(altair.renderers.active, sys.modules.get('rfc3987_syntax'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["agenteval", "None"]


def test_plot_in_a_fresh_process_finds_the_charts():
    code = (
        "import sys, pandas as pd, agenteval.comparison as c;"
        "t = pd.DataFrame({'arm': ['a'], 'task_id': ['x'], 'passed': [True], 'status': ['pass']});"
        "board = c.scoreboard(t); before = 'altair' in sys.modules;"
        "print(before, type(board.plot()).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False LayerChart"


def test_bundle_has_three_forms(drawn_trials):
    charts.enable()
    chart = scoreboard(drawn_trials()).plot()
    bundle, metadata = alt.renderers.get()(chart.to_dict())
    assert set(bundle) == {MIME, "image/png", "text/plain"}
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert bundle["text/plain"] == chart.to_dict()["description"]
    assert bundle[MIME]["usermeta"] == {"embedOptions": {"actions": False}}
    assert metadata["image/png"]["alt"] == bundle["text/plain"]


def test_bundle_is_a_valid_notebook_output(drawn_trials):
    bundle, metadata = renderer(scoreboard(drawn_trials()).plot().to_dict())
    output = v4.new_output("display_data", data=bundle, metadata=metadata)
    cell = v4.new_code_cell("chart", outputs=[output])
    nbformat.validate(v4.new_notebook(cells=[cell]))


def test_a_chart_without_description_is_described_by_its_title():
    assert describe({"title": {"text": ["two", "lines"]}}) == "two lines"
    assert describe({"title": "a title"}) == "a title"
    assert describe({}) == "Chart"
