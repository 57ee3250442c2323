"""Trials of two arms with known chances, and a suite that is run in milliseconds."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

TASK = """
id = "{id}"
prompt = "Mend app.txt."
[[checks]]
kind = "command"
run = "grep -q mended app.txt"
"""
PATCH = """diff --git a/app.txt b/app.txt
--- a/app.txt
+++ b/app.txt
@@ -1 +1 @@
-broken
+mended
"""


def drawn(rng, tasks, lift, repeats=3):
    """Trials of `base` and `v2`; v2's chance is higher by `lift` on every task."""
    chance = rng.uniform(0.1, 0.8, tasks)
    rows = []
    for arm, up in (("base", 0.0), ("v2", lift)):
        passed = rng.random((tasks, repeats)) < np.clip(chance + up, 0, 1)[:, None]
        for task in range(tasks):
            for repeat in range(repeats):
                rows.append((arm, f"t{task:03d}", repeat + 1, bool(passed[task, repeat])))
    table = pd.DataFrame(rows, columns=["arm", "task_id", "repeat", "passed"])
    table["status"] = np.where(table["passed"], "pass", "fail")
    return table


@pytest.fixture(scope="session")
def draw():
    return drawn


@pytest.fixture
def evals(tmp_path) -> Path:
    """Twelve small tasks."""
    for number in range(12):
        task = tmp_path / f"evals/t{number:02d}"
        (task / "repo").mkdir(parents=True)
        (task / "repo/app.txt").write_text("broken\n")
        (task / "task.toml").write_text(TASK.format(id=f"t{number:02d}"))
        (task / "solution.patch").write_text(PATCH)
    return tmp_path / "evals"
