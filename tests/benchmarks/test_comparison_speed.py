"""Speed of the questions on a million trials of 20 arms. Prints, asserts nothing.

Run with: pytest tests/benchmarks -n 0 -s
"""

import time

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import compare, plan, scoreboard

ARMS, TASKS, REPEATS = 20, 1_000, 50


@pytest.fixture(scope="module")
def trials():
    rng = np.random.default_rng(0)
    size = ARMS * TASKS * REPEATS
    arm = np.repeat(np.arange(ARMS), TASKS * REPEATS)
    task = np.tile(np.repeat(np.arange(TASKS), REPEATS), ARMS)
    chance = rng.beta(1, 1, TASKS)[task]
    passed = rng.random(size) < chance
    lost = rng.random(size) < 0.01
    frame = pd.DataFrame(
        {
            "run_id": pd.Series(["r1"] * size, dtype="str"),
            "trial_id": pd.Series([f"{i:07x}" for i in range(size)], dtype="str"),
            "suite": pd.Series(["s"] * size, dtype="str"),
            "task_id": pd.Series(
                np.array([f"task-{i:04d}" for i in range(TASKS)])[task], dtype="str"
            ),
            "task_digest": pd.Series(np.array([f"d{i}" for i in range(TASKS)])[task], dtype="str"),
            "split": pd.Series(["dev"] * size, dtype="str"),
            "arm": pd.Series(np.array([f"arm-{i:02d}" for i in range(ARMS)])[arm], dtype="str"),
            "repeat": np.tile(np.arange(1, REPEATS + 1), ARMS * TASKS),
            "passed": pd.array(np.where(lost, None, passed), dtype="boolean"),
            "cost_usd": rng.lognormal(-2, 1, size),
            "cost_source": pd.Series(["metered"] * size, dtype="str"),
            "duration_s": rng.lognormal(3, 1, size),
            "agent_s": rng.lognormal(3, 1, size),
            "turns": rng.integers(1, 60, size),
            "output_tokens": rng.integers(100, 60_000, size),
        }
    )
    frame["status"] = pd.Series(np.select([lost, passed], ["error", "pass"], "fail"), dtype="str")
    frame["error_class"] = pd.Series(np.where(lost, "setup_failed", None), dtype="str")
    return frame


def seconds(function, repeats=3):
    """Best processor time of this thread: a busy machine changes it least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        function()
        best = min(best, time.thread_time() - start)
    return best


def groupby(frame):
    """Rates and medians alone, as one would write them: no intervals, no checks."""
    rates = frame.groupby(["arm", "task_id"])["passed"].mean().groupby("arm").mean()
    return rates, frame.groupby("arm")[["cost_usd", "agent_s", "turns"]].median()


def test_a_million_trials_of_20_arms(trials):
    reference = seconds(lambda: groupby(trials), 1)
    questions = {
        "scoreboard (goal 1 s)": lambda: scoreboard(trials),
        "compare two arms (goal 0.3 s)": lambda: compare(
            trials, baseline="arm-00", candidate="arm-01"
        ),
        "compare all with one": lambda: compare(trials, baseline="arm-00"),
        "plan of two arms": lambda: plan(
            trials[trials["arm"].isin(["arm-00", "arm-01"])], effect=0.05
        ),
    }
    print(f"\nplain groupby of rates and medians: {1000 * reference:.0f} ms")
    for name, ask in questions.items():
        took = seconds(ask)
        print(f"{name}: {1000 * took:.0f} ms, {took / reference:.2f} x the groupby")
