"""Published results, reproduced from the published data beside this checkout."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from agenteval.comparison import compare, frontier, reliability, scoreboard
from agenteval.stats import adjust_p_values, wilson_interval

DATA = Path(__file__).parents[3] / "shared" / "data"


def published(folder):
    if not (DATA / folder).is_dir():
        pytest.skip("the published results are not beside this checkout")
    return DATA / folder


@pytest.fixture(scope="module")
def scylla():
    """ProjectScylla: 3 tasks, 120 configurations in 7 tiers, 3 runs each, of Claude Code."""
    folder = published("scylla_claude_code")
    runs = pd.read_csv(folder / "runs.csv")
    trials = pd.DataFrame(
        {
            "run_id": "scylla",
            "trial_id": [f"{i:04d}" for i in range(len(runs))],
            "arm": runs["tier"],
            "agent": runs["agent_model"],
            "task_id": runs["experiment"],
            "configuration": runs["subtest"].astype(str),
            "repeat": runs.groupby(["tier", "experiment"]).cumcount() + 1,
            "passed": runs["passed"].astype(bool),
            "status": np.where(runs["passed"], "pass", "fail"),
            "score": runs["score"],
            "cost_usd": runs["cost_usd"],
            "duration_s": runs["duration_seconds"],
        }
    )
    summary = json.loads((folder / "summary.json").read_text())
    results = json.loads((folder / "statistical_results.json").read_text())
    return trials, summary, results


def test_scylla_overall(scylla):
    trials, summary, _ = scylla
    row = scoreboard(trials, by="agent", over="trials").table.iloc[0]
    want = summary["overall_stats"]
    assert row["trials"] == 1080
    assert row["rate"] == pytest.approx(0.96574, abs=5e-6)
    assert row["rate"] == pytest.approx(want["pass_rate"], abs=1e-12)
    assert row["cost_total_usd"] == pytest.approx(want["total_cost"])
    assert round(row["cost_total_usd"], 2) == 123.30
    assert row["score"] == pytest.approx(want["mean_score"])


def test_scylla_tier_table(scylla):
    trials, summary, results = scylla
    board = scoreboard(trials).table.set_index("arm")
    published_rows = {row["tier"]: row for row in results["tier_descriptives"]}
    for tier, want in summary["by_tier"].items():
        got, told = board.loc[tier], published_rows[tier]
        assert got["trials"] == want["total_runs"] == told["n"]
        assert got["rate"] == pytest.approx(want["pass_rate"], abs=1e-12)
        assert got["score"] == pytest.approx(want["mean_score"])
        assert got["cost_total_usd"] / got["trials"] == pytest.approx(told["mean_cost"])
        assert got["cost_median_usd"] == pytest.approx(told["median_cost"])
        assert got["cost_per_success_usd"] == pytest.approx(told["cop"])
    cheapest = board["cost_per_success_usd"].idxmin()
    assert cheapest == published_rows["frontier"]["frontier_tier"] == "T2"
    assert frontier(trials).table["tasks"].unique().tolist() == [3]


def pairs(results, metric):
    return [row for row in results["pairwise_comparisons"] if row["metric"] == metric]


def test_scylla_pairwise_tests_with_the_method_they_used(scylla):
    """Mann-Whitney over trials, Holm over the family: their p-values, to the last digit."""
    trials, _, results = scylla
    for metric, column in (("pass_rate", "passed"), ("duration_seconds", "duration_s")):
        family = pairs(results, metric)
        raw = []
        for row in family:
            a, b = (
                trials.loc[trials["arm"] == row[tier], column].astype(float)
                for tier in ("tier1", "tier2")
            )
            found = mannwhitneyu(a, b, alternative="two-sided")
            assert found.statistic == pytest.approx(row["u_statistic"])
            assert found.pvalue == pytest.approx(row["p_value_raw"], rel=1e-9)
            raw.append(found.pvalue)
        want = [row["p_value"] for row in family]
        assert adjust_p_values(raw, method="holm").tolist() == pytest.approx(want)


def test_scylla_effects_agree_and_what_they_show_does_not(scylla):
    """For verdicts, Cliff's delta is the difference of the pass rates: the estimates are the same.

    The published tests take 1,080 trials as independent. They are of three tasks, so whether a
    configuration helps on *other* tasks three units cannot say, whatever the number of trials: here
    every pair is "cannot tell", and the interval of one tier over tasks is several times as wide.
    """
    trials, _, results = scylla
    for row in results["effect_sizes"]:
        if row["metric"] != "pass_rate":
            continue
        found = compare(trials, baseline=row["tier1"], candidate=row["tier2"]).table.iloc[0]
        assert found["difference"] == pytest.approx(row["cliffs_delta"], abs=1e-12)
        assert found["verdict"] == "cannot tell"
    tier = scoreboard(trials).table.set_index("arm").loc["T3"]
    pooled = wilson_interval(int(tier["passes"]), int(tier["trials"]))
    assert tier["high"] - tier["low"] > 3 * pooled.width


FIVE_ATTEMPTS = (
    "20250902_orchestrator_claude-4-sonnet",
    "20250902_orchestrator_qwen-3-coder-480B",
    "20250906_orchestrator_claude-4.1-opus",
)


@pytest.mark.parametrize("name", FIVE_ATTEMPTS)
def test_terminal_bench_accuracy_and_pass_at_k(name):
    results = json.loads((published("terminal_bench") / name / "results.json").read_text())
    rows = pd.DataFrame(results["results"])
    passed = rows["is_resolved"].fillna(False).astype(bool)
    trials = pd.DataFrame({"arm": name, "task_id": rows["task_id"], "passed": passed})
    trials["status"] = np.where(passed, "pass", "fail")
    board = scoreboard(trials, over="trials").table.iloc[0]
    assert board["rate"] == pytest.approx(results["accuracy"], abs=1e-12)
    curve = reliability(trials).table.set_index("k")["pass_at_k"]
    for k, want in results["pass_at_k"].items():
        assert curve[int(k)] == pytest.approx(want, abs=1e-12)
    assert len(results["pass_at_k"]) == 3
