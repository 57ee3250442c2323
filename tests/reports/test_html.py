"""The page: one file, nothing remote, hostile text stays text, charts drawn from one bundle."""

import json
import re

import pytest
from nbformat import v4

from agenteval.errors import ReportError
from agenteval.reports import remote_references, to_html

MIME = "application/vnd.vegalite.v5+json"
SPEC = {"mark": "bar", "data": {"values": [{"a": "</script><script>alert(1)</script>", "b": 3}]}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="


def notebook(*data, prose="# Why?", source="1 + 1"):
    outputs = [v4.new_output("display_data", data=d) for d in data]
    return v4.new_notebook(
        cells=[v4.new_markdown_cell(prose), v4.new_code_cell(source, outputs=outputs)]
    )


def test_a_page_without_charts_is_small_and_carries_no_script():
    page = to_html(notebook({"text/html": "<p>fine</p>"}), title="Why <me>?")
    assert "<title>Why &lt;me&gt;?</title>" in page
    assert "<script" not in page
    assert len(page) < 20_000


def test_the_chart_library_is_there_once_for_all_charts(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chart = {MIME: SPEC, "image/png": PIXEL, "text/plain": 'Bars of "a"'}
    page = to_html(notebook(chart, chart, chart), title="t")
    cached = next((tmp_path / "agenteval").glob("vega-embed-*.js")).read_text()
    assert page.count(cached[:200]) == 1
    assert len(re.findall('<figure [^>]*class="chart"', page)) == 3
    assert len(re.findall("""<figure aria-label='Bars of "a"'""", page)) == 3
    assert page.count(f'src="data:image/png;base64,{PIXEL}"') == 3
    assert len(page) < 1_000_000
    again = to_html(notebook(chart), title="t")
    assert cached[:200] in again


def test_a_cache_that_cannot_be_written_only_costs_time(tmp_path, monkeypatch):
    (tmp_path / "agenteval").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "vegaEmbed" in to_html(notebook({MIME: SPEC}), title="t")


def test_data_of_a_chart_cannot_leave_its_element():
    page = to_html(notebook({MIME: SPEC}), title="t")
    held = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(held) == SPEC
    assert "<script>alert" not in page


def test_only_scripts_of_this_page_may_run_and_nothing_may_be_loaded():
    page = to_html(notebook({MIME: SPEC}), title="t")
    policy = re.search(r'<meta content="([^"]+)" http-equiv="Content-Security-Policy"', page)
    nonce = re.search(r"'nonce-([^']+)'", policy[1])[1]
    assert "default-src 'none'" in policy[1]
    assert page.count(f'nonce="{nonce}"') == 2
    assert f'nonce="{nonce}"' not in to_html(notebook({MIME: SPEC}), title="t")


def test_tables_scroll_in_a_box_of_their_own():
    page = to_html(
        notebook(
            {"text/html": "<table><tr><td>1</td></tr></table>"}, prose="# W?\n\n| a |\n|---|\n| 1 |"
        ),
        title="t",
    )
    assert page.count('class="scroll"') == 2


def test_code_is_folded_away_at_the_end():
    page = to_html(notebook({"text/plain": "2"}, source="a < b"), title="t")
    main, _, rest = page.partition("</main>")
    assert "a &lt; b" not in main
    assert "a &lt; b" in rest


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example.org/vega.js"></script>',
        "<img src='//example.org/a.png'>",
        '<link rel="stylesheet" href="http://example.org/a.css">',
        "<style>@import 'https://example.org/a.css';</style>",
        "<style>a { background: url(https://example.org/a.png) }</style>",
    ],
)
def test_a_page_that_would_load_something_is_refused(markup):
    assert len(remote_references(markup)) == 1
    with pytest.raises(ReportError, match=r"from the network"):
        to_html(notebook({"text/html": markup}), title="t")


def test_links_to_click_on_are_no_load():
    assert (
        remote_references(
            '<a href="https://example.org">paper</a><svg xmlns="http://www.w3.org/2000/svg"/>'
        )
        == []
    )
    assert "example.org" in to_html(
        notebook({"text/plain": "1"}, prose="# W? [paper](https://example.org)"), title="t"
    )


def test_a_table_without_rows_is_said_in_words():
    empty = (
        "<table><caption>Errors</caption><thead><tr><th>n</th></tr></thead><tbody></tbody></table>"
    )
    page = to_html(notebook({"text/html": empty}), title="t")
    assert "<p>Errors: nothing.</p>" in page
    assert "<table" not in page


def test_long_names_in_tables_may_be_broken_at_their_joints_and_nothing_else():
    name = "team/service-checkout:retry_storm@v12"
    table = f'<table><tr><td title="{name}">{name}</td><td>short/name 12.5-13.5</td></tr></table>'
    page = to_html(notebook({"text/html": f"<p>{name}</p>{table}"}), title="t")
    jointed = "team/<wbr>service-<wbr>checkout:<wbr>retry_<wbr>storm@<wbr>v12"
    cells = f'<td title="{name}">{jointed}</td><td>short/name 12.5-13.5</td>'
    assert cells in page.replace("<wbr/>", "<wbr>")
    assert f"<p>{name}</p>" in page
