"""What people wait for in a notebook: a report, many reports, a store of a million trials.

Not part of the default run: `pytest tests/benchmarks -n 0`. Everything is printed beside its goal,
which is meant for an idle machine of two cores; only bounds that hold on a busy one are asserted.
"""

import importlib.util
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agenteval.records import bundled
from agenteval.reports import render
from agenteval.store import open_store
from agenteval.widgets import explore

SAMPLE = bundled("data") / "sample_store"
TRIALS = int(os.environ.get("AGENTEVAL_BENCHMARK_TRIALS", "1000000"))
LARGE_STORE = Path(__file__).parent / "large_store.py"


@pytest.fixture
def say(capsys):
    def printed(text):
        with capsys.disabled():
            print(f"\n  {text}", end="")

    return printed


class Clock:
    """Seconds of wall clock and of processor, children included."""

    def __init__(self):
        self.began, self.used = time.perf_counter(), self._used()

    def __str__(self):
        wall, cpu = time.perf_counter() - self.began, self._used() - self.used
        return f"{wall:.2f} s (processor {cpu:.2f} s)"

    def _used(self):
        return sum(os.times()[:4])


def test_a_report_from_a_cold_start(tmp_path, say):
    clock = Clock()
    target = str(tmp_path / "r.html")
    command = ["report", "run_report", "-p", "store=sample", "--html", target]
    subprocess.run([sys.executable, "-m", "agenteval", *command], check=True, capture_output=True)
    say(f"run_report, cold, to HTML: {clock}, goal 12")


def test_twenty_reports_in_parallel(tmp_path, say):
    clock = Clock()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(
            pool.map(
                lambda n: render("run_report", store=SAMPLE, html=tmp_path / f"{n}.html"), range(20)
            )
        )
    assert len({report.html for report in made}) == 20
    say(f"20 reports in parallel: {clock}, goal 60")


def test_exploring_a_million_trials(tmp_path, say):
    spec = importlib.util.spec_from_file_location("large_store", LARGE_STORE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    store = open_store(module.build(tmp_path / "store", TRIALS))
    explore(open_store(SAMPLE))  # scripts of charts are put together once a machine
    clock = Clock()
    explorer = explore(store)
    say(f"explorer of {TRIALS} trials opens: {clock}, goal 2")
    assert explorer.count == TRIALS
    for name, value in (
        ("status", ("fail",)),
        ("arm", ("arm-03",)),
        ("text", "task-01"),
        ("by", "arm"),
    ):
        clock = Clock()
        setattr(explorer, name, value)
        say(f"  filter {name}: {clock}, goal 0.5")
        assert explorer.error == ""
    clock = Clock()
    explorer.list.chosen = 0
    say(f"  one trial opened: {clock}")
    assert explorer.trial is not None
