"""Markdown for a pull request: tables GitHub draws, text that stays text, a length it accepts."""

import pandas as pd
import pytest
from nbformat import v4

from agenteval.reports import to_markdown
from agenteval.reports.html_to_markdown import html_to_markdown, plain
from agenteval.reports.prose import Prose

CHART = {"application/vnd.vegalite.v5+json": {"mark": "bar"}, "text/plain": "Bars of *two*\narms."}


def cell(data, *tags):
    return v4.new_code_cell(
        "1", outputs=[v4.new_output("display_data", data=data)], metadata={"tags": list(tags)}
    )


def test_a_table_keeps_its_caption_and_sets_numbers_to_the_right():
    markup = (
        "<style>td {color: red}</style><table><caption>Scores</caption>"
        "<thead><tr><th>arm</th><th>rate</th><th>cost</th></tr></thead>"
        "<tbody><tr><th>a|b</th><td>62.5 % [40.1, 80.6]</td><td>$0.12</td></tr>"
        "<tr><th>c</th><td>–</td><td>$3</td></tr></tbody></table><p>note: <b>read</b> me</p>"
    )
    assert html_to_markdown(markup).splitlines() == [
        "**Scores**",
        "",
        "| arm | rate | cost |",
        "| --- | ---: | ---: |",
        "| a\\|b | 62.5 % [40.1, 80.6] | \\$0.12 |",
        "| c | – | \\$3 |",
        "",
        "note: **read** me",
    ]


def test_a_frame_of_pandas_is_a_table():
    text = html_to_markdown(pd.DataFrame({"arm": ["x"], "n": [3]}).to_html(index=False))
    assert text.splitlines() == ["| arm | n |", "| --- | ---: |", "| x | 3 |"]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("ping @octo/team", "ping &#64;octo/team"),
        ("agent@model", "agent@model"),
        ("snake_case _x_", "snake_case \\_x\\_"),
        ("*a* `b` $c$ [d](e)", "\\*a\\* \\`b\\` \\$c\\$ [d\\](e)"),
    ],
)
def test_text_stays_text(text, escaped):
    assert plain(text) == escaped


def test_lists_headings_and_code_are_told_again():
    markup = "<h3>Limits</h3><ul><li>one <code>a`*b</code></li><li>two<br>lines</li></ul><p>end</p>"
    assert html_to_markdown(markup) == "### Limits\n\n- one `a'*b`\n- two  \nlines\n\nend"


def test_preformatted_text_is_fenced_as_it_is():
    markup = '<div>Diff</div><pre style="x"><span>+a  *b*</span>\n-```\n</pre><p>end</p>'
    assert html_to_markdown(markup) == "Diff\n\n````text\n+a  *b*\n-```\n````\n\nend"


def test_prose_is_the_same_words_everywhere():
    prose = Prose(("`v2` won <by> 3.", "Perhaps."), style="headline")
    assert str(prose) == "v2 won <by> 3.\nPerhaps."
    assert "<code>v2</code> won &lt;by&gt; 3." in prose._repr_html_()
    assert prose._repr_markdown_() == "**`v2` won &lt;by&gt; 3.**\n\nPerhaps."


def test_streams_and_page_only_cells_are_left_out_and_charts_are_told():
    notebook = v4.new_notebook(
        cells=[
            v4.new_markdown_cell("# Which?"),
            cell(CHART),
            cell({"text/html": "<p>no</p>", "text/markdown": "yes", "text/plain": "no"}),
            cell({"text/html": "<p>hidden</p>"}, "page-only"),
            v4.new_markdown_cell("hidden too", metadata={"tags": ["page-only"]}),
            v4.new_code_cell("1", outputs=[v4.new_output("stream", name="stdout", text="noise")]),
            cell({"text/plain": "'text'"}),
        ]
    )
    told = "# Which?\n\n*Bars of \\*two\\* arms.*\n\nyes\n\n```text\n'text'\n```\n"
    assert to_markdown(notebook) == told


@pytest.mark.parametrize(
    ("aside", "kept"),
    [
        (
            "> **Reads as** a range. **Does not show** which is better: ranges overlap. A band is wide.",
            "> **Does not show** which is better: ranges overlap.",
        ),
        ("> **Reads as** a range. **Does not show** 0.5 or so", "> **Does not show** 0.5 or so"),
        ("> **Reads as** a range.", ""),
        ("> **Does not show** causes.", "> **Does not show** causes."),
    ],
)
def test_of_a_reading_aid_only_the_warning_is_kept(aside, kept):
    text = to_markdown(v4.new_notebook(cells=[v4.new_markdown_cell(f"# W?\n\n{aside}\n\n## Next")]))
    assert [line for line in text.splitlines() if line] == [
        "# W?",
        *filter(None, [kept]),
        "## Next",
    ]


@pytest.mark.parametrize("caption", ["<caption style='x'>Errors</caption>", ""])
def test_a_table_without_rows_is_said_in_words(caption):
    full = "<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>3</td></tr></tbody></table>"
    empty = f"<table>{caption}<thead><tr><th>n</th></tr></thead><tbody>\n</tbody></table>"
    said = "Errors: nothing." if caption else "Nothing to list."
    assert html_to_markdown(full + empty) == f"| n |\n| ---: |\n| 3 |\n\n{said}"


def test_a_comment_is_cut_at_a_line_and_says_so():
    text = to_markdown(v4.new_notebook(cells=[v4.new_markdown_cell("line\n" * 20_000)]))
    assert len(text) <= 65_000
    assert text.count("line") > 12_000
    assert text.endswith("has the rest.*\n")
