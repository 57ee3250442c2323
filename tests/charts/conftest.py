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


@pytest.fixture(scope="session")
def rich_trials(drawn_trials: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Return drawn trials that also know tokens, turns, errors, tampering, shortcuts and dates."""

    @cache
    def draw(arms: int = 4, tasks: int = 8, repeats: int = 3) -> pd.DataFrame:
        table = drawn_trials(arms, tasks, repeats).copy()
        rng = np.random.default_rng([arms, tasks, repeats, 7])
        size = len(table)
        for name, most in (
            ("input_tokens", 2_000),
            ("cache_read_tokens", 900_000),
            ("cache_write_tokens", 9_000),
            ("output_tokens", 9_000),
            ("turns", 60),
        ):
            table[name] = pd.array(rng.integers(1, most, size), "Int64")
        broken = (table["status"] == "fail").to_numpy() & (rng.random(size) < 0.4)
        table.loc[broken, "error_class"] = rng.choice(["timeout", "crash"], broken.sum())
        table.loc[broken, "status"] = "error"
        blind = (table["arm"] == "arm-0").to_numpy()
        seen = rng.random(size)
        table["tampering"] = [
            None if b else ["tests_edited"] if x < 0.1 else ["history_access"] if x < 0.15 else []
            for b, x in zip(blind, seen, strict=True)
        ]
        table["shortcuts"] = pd.array(rng.integers(0, 2, size), "Int64")
        table["repeat"] = table["repeat"] + 1
        day = pd.to_timedelta(rng.integers(0, 20, size), unit="D")
        table["started_at"] = pd.Timestamp("2026-05-01", tz="UTC") + day
        table["concurrent_trials"] = np.where(table["arm"] == "arm-1", 8, 1)
        return table

    return draw


@pytest.fixture(scope="session")
def steps_of() -> Callable[..., pd.DataFrame]:
    """Return the events of one trial with some calls of tools; every third call fails."""

    def draw(calls: int, *, timed: bool = True) -> pd.DataFrame:
        rows: list[dict[str, object]] = [{"kind": "message", "text": "I look first", "turn": 1}]
        for i in range(calls):
            tool = ("bash", "read", "edit")[i % 3]
            kind = ("shell", "read", "edit")[i % 3]
            rows.append(
                {
                    "kind": "tool_call",
                    "tool": tool,
                    "tool_kind": kind,
                    "command": f"do {i}",
                    "turn": i + 1,
                }
            )
            result = {"kind": "tool_result", "tool": tool, "tool_kind": kind, "parent": 2 * i + 2}
            rows.append(
                {
                    **result,
                    "ok": i % 3 != 0,
                    "duration_s": 0.5 * i if timed else None,
                    "turn": i + 1,
                }
            )
        rows.append({"kind": "limit", "text": "timeout", "turn": calls})
        return pd.DataFrame(rows).assign(seq=range(1, len(rows) + 1))

    return draw


@pytest.fixture(scope="session")
def judged() -> Callable[..., tuple[pd.DataFrame, pd.DataFrame]]:
    """Return judgments and labels of some arms; the judge favours arm-0."""

    def draw(arms: int = 3, each: int = 40) -> tuple[pd.DataFrame, pd.DataFrame]:
        rng = np.random.default_rng([arms, each])
        index = pd.MultiIndex.from_product([range(arms), range(each)], names=["number", "item"])
        rows = index.to_frame(index=False)
        good = rng.random(len(rows)) < 0.6
        noise = rng.normal(0, 0.15, len(rows)) + 0.15 * (rows["number"] == 0)
        rows = rows.assign(
            run_id="r", rubric="v1", judge="judge/one", arm="arm-" + rows["number"].astype(str),
            task_id="task-" + (rows["item"] % 20).astype(str), score=np.clip(0.3 + 0.5 * good + noise, 0, 1),
            trial_id=rows["number"].astype(str) + "-" + rows["item"].astype(str),
        )  # fmt: skip
        labels = rows[["run_id", "trial_id"]].assign(annotator="ada", passed=good)
        return rows.drop(columns=["number", "item"]), labels.iloc[::2]

    return draw
