"""Trials of several arms, drawn with a fixed seed."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def drawn_trials() -> Callable[..., pd.DataFrame]:
    """Return trials of `arms` x `tasks` x `repeats`, a few left out; copy before changing them."""

    @cache
    def draw(arms: int = 4, tasks: int = 8, repeats: int = 3) -> pd.DataFrame:
        rng = np.random.default_rng([arms, tasks, repeats])
        index = pd.MultiIndex.from_product(
            [
                [f"arm-{i}" for i in range(arms)],
                [f"task-{i}" for i in range(tasks)],
                range(repeats),
            ],
            names=["arm", "task_id", "repeat"],
        )
        table = index.to_frame(index=False)
        easy = np.repeat(np.tile(rng.normal(0, 1.5, tasks), arms), repeats)
        skill = np.repeat(np.linspace(0, 2, arms), tasks * repeats)
        passed = rng.random(len(table)) < 1 / (1 + np.exp(1 - easy - skill))
        table["passed"] = pd.array(passed, "boolean")
        table["status"] = np.where(passed, "pass", "fail")
        lost = rng.random(len(table)) < 0.04
        table.loc[lost, ["passed", "status"]] = [None, "error"]
        table["error_class"] = pd.Series(np.where(lost, "setup_failed", None), dtype="str")
        table["suite"] = "s"
        table["run_id"] = "run-1"
        table["category"] = np.where(table["task_id"].str[-1].isin(list("0246")), "bugfix", "test")
        table["cost_usd"] = rng.lognormal(-2, 0.5, len(table)) * (1 + skill)
        table["agent_s"] = rng.lognormal(4, 0.5, len(table))
        table["trial_id"] = [f"{a}/{t}/{r}" for a, t, r in index]
        return table

    return draw
