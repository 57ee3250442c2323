"""`agenteval report --new`, and where a report goes when nothing is said."""

import shutil
import subprocess
import sys

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
