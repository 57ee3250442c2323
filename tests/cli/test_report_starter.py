"""`agenteval report --new`, and where a report goes when nothing is said."""

import shutil
import subprocess
import sys

import nbformat

from agenteval.records import bundled


def agenteval(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "agenteval", *arguments], cwd=cwd, capture_output=True, text=True
    )


def test_a_template_is_started_rendered_and_named_for_what_it_is_about(tmp_path):
    done = agenteval("report", "--new", "mine", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "agenteval report mine.ipynb" in done.stderr
    again = agenteval("report", "--new", "mine", cwd=tmp_path)
    assert again.returncode == 2
    assert "already" in again.stderr
    shutil.copytree(bundled("data") / "sample_store", tmp_path / ".agenteval/store")
    made = agenteval("report", "mine.ipynb", "--run", "sample", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / ".agenteval/reports/mine-sample.html").stat().st_size > 100_000


def test_the_sample_store_can_be_reported_on_where_there_is_no_store(tmp_path):
    for name in ("judge_report", "00_start_here"):
        made = agenteval("report", name, "-p", "store=sample", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        assert (tmp_path / f"{name}.html").stat().st_size > 100_000
    assert "simulated/careful is to be trusted" in (tmp_path / "judge_report.html").read_text()
    missing = agenteval("report", "judge_report", cwd=tmp_path)
    assert (missing.returncode, "Traceback" in missing.stderr) == (2, False)


def test_the_store_may_be_named_as_a_parameter(tmp_path):
    shutil.copytree(bundled("data") / "sample_store", tmp_path / "mine")
    made = agenteval("report", "judge_report", "-p", "store=mine", "--html", "j.html", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "j.html").exists()
    twice = agenteval("report", "-p", "store=mine", "--store", "other", cwd=tmp_path)
    assert twice.returncode == 2
    assert "named twice: other and mine" in twice.stderr


def test_a_template_that_needs_no_store_is_rendered_where_there_is_none(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell("# How much is it?"),
        nbformat.v4.new_code_cell("much: int = 1", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell("print(much + 41)"),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "much.ipynb")
    made = agenteval("report", "much.ipynb", "-p", "much=2", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "43" in (tmp_path / "much.html").read_text()
