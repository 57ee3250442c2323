"""Executing a template: what arrives in it, what comes out, and what a failure leaves behind."""

import asyncio
import gc
import os
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest

from agenteval.errors import ReportError, StoreError
from agenteval.reports import render

AWKWARD = "a \"b\" 'c' \\n {name} ${HOME}\nsecond line €"


def outputs(path):
    cells = nbformat.read(path, as_version=4).cells
    return "".join(o.get("text", "") for cell in cells for o in cell.get("outputs", []))


def test_text_arrives_as_it_was_given_and_the_files_are_written(template_of, tmp_path):
    template = template_of("print(ascii(name), n)", parameters='name: str = ""\nn: int = 1')
    made = render(
        template,
        parameters={"name": AWKWARD, "n": "12"},
        html=tmp_path / "r.html",
        markdown=tmp_path / "r.md",
        notebook=tmp_path / "r.ipynb",
    )
    assert outputs(made.notebook) == f"{ascii(AWKWARD)} 12\n"
    page = made.html.read_text()
    assert "<title>Does it run?</title>" in page
    assert '<html lang="en">' in page
    assert made.markdown.read_text().startswith("# Does it run?")
    assert made.paths == [tmp_path / "r.html", tmp_path / "r.md", tmp_path / "r.ipynb"]
    text = made.notebook.read_text()
    assert "partial.ipynb" not in text


def test_the_notebook_runs_with_this_agenteval_and_in_its_own_folder(
    template_of, tmp_path, monkeypatch
):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "beside.txt").write_text("found")
    template = template_of(
        "import agenteval, pathlib, sys, os",
        "print(pathlib.Path('beside.txt').read_text(), agenteval.__file__, sys.executable)",
        "print(os.environ['PYTHONPATH'])",
        at="own/t.ipynb",
    )
    (tmp_path / "extra").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"extra{os.pathsep}")
    import sys

    import agenteval

    made = render(template, notebook="out.ipynb")
    first, second = outputs(made.notebook).splitlines()
    assert first == f"found {agenteval.__file__} {sys.executable}"
    assert second.split(os.pathsep)[0] == str(tmp_path / "extra")


def test_a_failing_cell_is_shown_and_the_partial_notebook_kept(template_of, tmp_path):
    template = template_of("print('so far')", "before = 1\nvalue = {}['missing']", "print('never')")
    page = tmp_path / "r.html"
    page.write_text("the report of yesterday")
    with pytest.raises(ReportError, match="failed with KeyError: 'missing'") as caught:
        render(template, html=page)
    assert "value = {}['missing']" in caught.value.where
    assert "fixture.ipynb" in caught.value.where
    kept = tmp_path / "r.failed.ipynb"
    assert str(kept) in caught.value.fix
    assert outputs(kept).startswith("so far")
    assert "never" not in outputs(kept)
    assert page.read_text() == "the report of yesterday"
    assert caught.value.fix.endswith(f"{page} is of an earlier report and was left as before")


def test_a_kernel_that_dies_names_the_cell(template_of, tmp_path):
    template = template_of("import os", "os.write(2, b'out of luck') and os._exit(3)")
    with pytest.raises(ReportError, match="kernel of the report ended") as caught:
        render(template, html=tmp_path / "r.html")
    assert "os._exit(3)" in caught.value.where
    assert caught.value.where.endswith("which said at last\n    out of luck")
    assert "earlier report" not in caught.value.fix


def test_what_the_kernel_prints_itself_stays_out_of_the_terminal(template_of, tmp_path, capfd):
    template = template_of("import os\nos.write(2, b'noise') and os.write(1, b'noise')")
    render(template, html=tmp_path / "r.html")
    assert "noise" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("name", ["run_report", "suite_report", "history_report", "trial_report"])
def test_a_store_without_runs_is_said_before_anything_is_executed(name, tmp_path):
    (tmp_path / "store" / "runs").mkdir(parents=True)
    with pytest.raises(StoreError, match="The store holds no runs yet"):
        render(name, store=tmp_path / "store", html=tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_history_tells_what_broke_and_what_it_cost(tmp_path):
    text = render("history_report", store="sample", markdown=tmp_path / "h.md").markdown.read_text()
    assert "Errors: nothing." in text
    cost = text.partition("## What did it cost, run by run?")[2].partition("## ")[0]
    assert "| run_id | arm | median cost | total cost |" in cost
    assert cost.count("| sample-before |") == 2
    assert all(f"{name} {version(name)}" in text for name in ("pandas", "duckdb", "statsmodels"))


def test_a_cell_that_never_ends_is_stopped(template_of, tmp_path):
    template = template_of("import threading\nthreading.Event().wait()")
    with pytest.raises(ReportError, match="longer than 1 s") as caught:
        render(template, html=tmp_path / "r.html", timeout_s=1)
    assert "Event().wait()" in caught.value.where
    assert not (tmp_path / "r.html").exists()


def test_reports_are_made_side_by_side_and_inside_a_running_loop(template_of, tmp_path):
    template = template_of("print(name)")

    def one(i):
        made = render(template, parameters={"name": f"n{i}"}, notebook=tmp_path / f"{i}.ipynb")
        return outputs(made.notebook).strip()

    async def inside_a_loop():
        return one(9)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(one, range(3))) == ["n0", "n1", "n2"]
    assert asyncio.run(inside_a_loop()) == "n9"


def test_rendering_leaves_no_file_descriptor_behind(template_of, tmp_path):
    template = template_of("print(name)")

    def in_a_thread():
        with ThreadPoolExecutor(1) as pool:
            pool.submit(render, template, notebook=tmp_path / "n.ipynb").result()
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    assert in_a_thread() >= in_a_thread()


def test_bad_parameters_are_refused_before_anything_runs(template_of, tmp_path):
    template = template_of("raise SystemError")
    with pytest.raises(ReportError, match="Unknown report parameter `nmae`"):
        render(template, parameters={"nmae": "x"}, html=tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["fixture.ipynb"]


CHART = (
    "import pandas as pd, altair as alt, agenteval.charts",
    "chart = alt.Chart(pd.DataFrame({'a': [1, 2]}), title='Two dots').mark_point().encode(x='a:Q')",
)


def pictures(path):
    cells = nbformat.read(path, as_version=4).cells
    found = [output for cell in cells for output in cell.get("outputs", []) if "data" in output]
    return [(o.data.get("image/png", "")[:8], o.metadata.get("image/png")) for o in found]


def test_charts_have_their_pictures_whoever_draws_them(template_of, tmp_path):
    template = template_of(*CHART, "chart")
    made = render(template, notebook=tmp_path / "r.ipynb", html=tmp_path / "r.html")
    assert pictures(made.notebook) == [("iVBORw0K", {"alt": "Two dots"})]
    assert '<noscript><img alt="Two dots" src="data:image/png' in made.html.read_text()


def test_a_failed_report_keeps_the_charts_that_came_before(template_of, tmp_path):
    template = template_of(*CHART, "display(chart)", "missing")
    with pytest.raises(ReportError, match="failed with NameError"):
        render(template, html=tmp_path / "r.html")
    (picture,) = [one for one in pictures(tmp_path / "r.failed.ipynb") if one[1]]
    assert picture == ("iVBORw0K", {"alt": "Two dots"})


def test_a_chart_that_cannot_be_drawn_is_an_error_that_shows_its_cell(template_of, tmp_path):
    bundle = "{'application/vnd.vegalite.v5+json': {'mark': 'nonsense', 'data': {'values': []}}}"
    template = template_of(f"display({bundle}, raw=True)")
    with pytest.raises(ReportError, match="chart of the report cannot be drawn") as caught:
        render(template, html=tmp_path / "r.html")
    assert "'mark': 'nonsense'" in caught.value.where
    assert str(tmp_path / "r.failed.ipynb") in caught.value.fix
    assert (tmp_path / "r.failed.ipynb").exists()
    assert not (tmp_path / "r.html").exists()
