"""Plans: tasks, repeats, dollars and hours, checked against the formulas behind them."""

from math import ceil, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from agenteval.comparison import Stated, StudyPlan, compare, plan
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import paired_t_power, variance_components

Z = norm.ppf(0.975) + norm.ppf(0.8)


def pilot(tasks=40, repeats=4, arms=("base", "v2"), seed=3, **columns):
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.1, 0.9, tasks)
    rows = [
        (arm, f"t{task:03d}", repeat + 1, bool(rng.random() < chance[task]))
        for arm in arms
        for task in range(tasks)
        for repeat in range(repeats)
    ]
    table = pd.DataFrame(rows, columns=["arm", "task_id", "repeat", "passed"])
    table["status"] = np.where(table["passed"], "pass", "fail")
    table["trial_id"] = [str(i) for i in range(len(table))]
    return table.assign(run_id="r", **columns)


def test_tasks_are_those_of_the_published_formula():
    found = plan(effect=0.03, repeats=[1, 4], stated=Stated(omega2=1 / 9, sigma2=1 / 6)).table
    want = [ceil(Z**2 * (1 / 9 + 2 / 6 / k) / 0.03**2) for k in (1, 4)]
    assert found["tasks"].tolist() == want
    assert found["trials"].tolist() == [2 * want[0], 8 * want[1]]


def test_few_tasks_are_planned_with_the_noncentral_t():
    found = plan(effect=0.3, repeats=[4], stated=Stated(omega2=0.05, sigma2=0.1)).table.iloc[0]
    sd = sqrt(0.05 + 0.05)
    assert found["tasks"] == paired_t_power(effect=0.3, sd=sd, power=0.8).tasks
    assert found["power"] >= 0.8
    assert paired_t_power(effect=0.3, sd=sd, tasks=found["tasks"] - 1).power < 0.8


def test_variances_come_from_the_pilot():
    table = pilot()
    found = plan(table, effect=0.1)
    counts = table.groupby(["arm", "task_id"])["passed"].sum().unstack(0)
    want = variance_components(counts["base"], 4, counts["v2"], 4)
    got = found.assumptions
    assert (got.omega2, got.sigma2_a, got.sigma2_b) == pytest.approx(
        (want.omega2, want.sigma2_a, want.sigma2_b)
    )
    assert got.source == "from these trials: 40 tasks"
    assert got.tasks == 40


def test_several_arms_are_averaged_and_a_pair_can_be_named():
    table = pilot(arms=("a", "b", "c"))
    assert "3 pairs of arms" in plan(table).assumptions.source
    named = plan(table, baseline="a", candidate="c").assumptions
    only = plan(table[table["arm"] != "b"]).assumptions
    assert named.omega2 == pytest.approx(only.omega2)
    against = plan(table, baseline="a").assumptions
    assert "2 pairs of arms" in against.source
    with pytest.raises(InvalidInput, match="no trial has arm 'x'"):
        plan(table, baseline="x")


def test_what_is_stated_wins_over_the_pilot():
    stated = Stated(omega2=0.2, sigma2=0.1, tasks=7, cost_usd=2.0, trial_s=60.0)
    found = plan(pilot(cost_usd=0.1, duration_s=5.0), effect=0.2, repeats=[2], stated=stated)
    assert (found.assumptions.omega2, found.assumptions.sigma2_b) == (0.2, 0.1)
    row = found.table.iloc[0]
    assert row["tasks_here"] == 7
    assert row["cost_usd"] == pytest.approx(2.0 * row["trials"])
    assert row["time_s"] == pytest.approx(60.0 * row["trials"])
    assert np.isnan(row["cost_low_usd"])


def test_cost_and_time_are_those_of_the_trials_with_prediction_limits():
    rng = np.random.default_rng(1)
    table = pilot()
    by_task = dict(zip(table["task_id"].unique(), rng.lognormal(-1, 0.5, 40), strict=True))
    table["cost_usd"] = table["task_id"].map(by_task) * np.where(table["arm"] == "v2", 3.0, 1.0)
    table["duration_s"] = 10.0
    row = plan(table, repeats=[3]).table.iloc[0]
    each = 4.0 * np.mean(list(by_task.values()))
    assert row["cost_usd"] == pytest.approx(each * 3 * row["tasks"])
    assert row["cost_low_usd"] < row["cost_usd"] < row["cost_high_usd"]
    assert row["time_s"] == pytest.approx(10.0 * row["trials"])


def test_all_attempts_are_paid_for():
    table = pilot(cost_usd=1.0, all_attempts_cost_usd=1.5)
    row = plan(table, repeats=[1]).table.iloc[0]
    assert row["cost_usd"] == pytest.approx(1.5 * row["trials"])


def test_unknown_cost_stays_unknown():
    row = plan(pilot(), repeats=[1], max_cost_usd=10).table.iloc[0]
    assert np.isnan(row["cost_usd"])
    assert pd.isna(row["within_budget"])
    assert "about" not in plan(pilot()).verdict


def test_what_a_budget_buys():
    found = plan(effect=0.1, max_cost_usd=100, repeats=[2], stated=Stated(cost_usd=0.5))
    row = found.table.iloc[0]
    assert row["budget_tasks"] == 50
    assert row["budget_mde"] == pytest.approx(Z * sqrt((1 / 9 + 1 / 6) / 50))
    assert not row["within_budget"]
    assert "above the budget of $100.00, which buys 50 tasks x 2" in found.verdict
    rich = plan(effect=0.1, max_cost_usd=1000, repeats=[2], stated=Stated(cost_usd=0.5))
    assert rich.table["within_budget"].all()
    assert "budget" not in rich.verdict


def test_new_tasks_cost_what_writing_them_costs():
    stated = Stated(cost_usd=0.5, cost_task_usd=10.0, tasks=20)
    row = plan(effect=0.1, repeats=[1], stated=stated, max_cost_usd=130).table.iloc[0]
    assert row["cost_usd"] == pytest.approx(row["trials"] * 0.5 + (row["tasks"] - 20) * 10)
    assert row["budget_tasks"] == 20 + 10


def test_dear_tasks_are_worth_more_repeats():
    stated = Stated(cost_usd=0.5, cost_task_usd=12.0, omega2=1 / 9, sigma2=1 / 6)
    [note] = plan(effect=0.1, stated=stated).notes
    assert "about 6 repeats" in note
    assert plan(effect=0.1, stated=Stated(cost_usd=0.5)).notes == ()


def test_the_recommended_row_fits_the_tasks_there_are_then_is_cheapest():
    stated = Stated(cost_usd=1.0, tasks=500)
    found = plan(effect=0.1, stated=stated)
    assert found.recommended["repeats"] == 1
    few = plan(effect=0.1, stated=Stated(cost_usd=1.0, tasks=200))
    assert few.recommended["repeats"] == 3
    assert few.table["recommended"].sum() == 1


def test_repeats_never_make_up_for_differences_between_tasks():
    found = plan(effect=0.05, repeats=[1, 10, 100], stated=Stated(omega2=0.1, sigma2=0.2, tasks=50))
    assert found.table["mde_here"].is_monotonic_decreasing
    assert (found.table["mde_here"] > Z * sqrt(0.1 / 50)).all()


def test_one_arm_shows_the_noise_of_repeats_only():
    found = plan(pilot(arms=("a",)))
    assert found.assumptions.omega2 == pytest.approx(1 / 9)
    assert found.assumptions.sigma2_a == found.assumptions.sigma2_b < 1 / 4
    assert any("assumed, not measured" in note for note in found.notes)


def test_without_repeats_or_spread_it_says_so():
    single = plan(pilot(repeats=1))
    assert any("No task was repeated" in note for note in single.notes)
    assert (single.assumptions.sigma2_a, single.assumptions.sigma2_b) == (0.0, 0.0)
    flat = pilot().assign(passed=True, status="pass")
    assert any("no spread at all" in note for note in plan(flat).notes)


def test_from_a_head_to_head():
    table = pilot(cost_usd=0.2).rename(columns={"arm": "variant"}).assign(arm="one")
    h = compare(table, baseline="base", candidate="v2", by="variant", margin=0.1)
    found = h.plan(max_cost_usd=50)
    assert isinstance(found, StudyPlan)
    assert found.effect == 0.1
    direct = plan(table.assign(arm=table["variant"]), effect=0.1, max_cost_usd=50)
    pd.testing.assert_frame_equal(found.table, direct.table)


def test_the_table_has_one_schema_and_the_input_stays_as_it_was():
    table = pilot(cost_usd=0.2)
    before = table.copy(deep=True)
    full = plan(table, max_cost_usd=5).table
    pd.testing.assert_frame_equal(table, before)
    assert full.dtypes.equals(plan().table.dtypes)
    again = plan(table.sample(frac=1, random_state=1), max_cost_usd=5).table
    pd.testing.assert_frame_equal(full, again)


def test_curves_meet_the_table():
    found = plan(effect=0.1, repeats=[1, 3])
    for row in found.table.itertuples():
        curve = found.curves[found.curves["repeats"] == row.repeats]
        assert np.interp(row.tasks, curve["tasks"], curve["power"]) == pytest.approx(0.8, abs=0.03)
        assert curve["mde"].is_monotonic_decreasing
        assert curve["power"].is_monotonic_increasing


def test_text_and_html():
    found = plan(pilot(cost_usd=0.2), effect=0.1, max_cost_usd=3)
    text = str(found)
    assert text.startswith("To show a difference of 10.0 points with probability 0.8")
    assert "Variances from these trials: 40 tasks." in text
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    "options",
    [{"effect": 0}, {"effect": 5}, {"power": 1}, {"max_cost_usd": -1}, {"repeats": []},
     {"repeats": [0]}, {"effect": float("nan")}],
)  # fmt: skip
def test_what_means_nothing_is_refused_in_three_parts(options):
    with pytest.raises(InvalidInput) as error:
        plan(**options)
    assert all((error.value.what, error.value.where, error.value.fix))


@pytest.mark.parametrize(
    "stated",
    [{"omega2": -1}, {"sigma2": float("inf")}, {"tasks": 0}, {"alpha": 1}, {"cost_usd": -1}],
)
def test_what_cannot_be_stated_is_refused(stated):
    with pytest.raises(InvalidInput):
        Stated(**stated)


def test_no_rows_are_not_enough():
    with pytest.raises(NotEnoughData):
        plan(pilot().iloc[:0])


def test_a_plan_of_few_tasks_says_that_it_promises_a_little_too_much():
    few = plan(effect=0.5, repeats=[1, 10])
    assert few.table["tasks"].min() < 30
    assert "up to 7 points too high" in " ".join(few.remarks())
    assert "too high" not in " ".join(plan(effect=0.05).remarks())


@pytest.mark.slow
def test_a_planned_study_finds_the_effect_as_often_as_planned():
    """The plan's power, reproduced by running the planned study many times."""
    rng = np.random.default_rng(11)
    tasks, repeats, effect = 60, 3, 0.15

    def study():
        p = rng.uniform(0.1, 0.7, tasks)
        q = np.clip(p + effect + rng.normal(0, 0.1, tasks), 0, 1)
        return rng.binomial(repeats, p), rng.binomial(repeats, q)

    parts = [variance_components(a, repeats, b, repeats) for a, b in (study() for _ in range(400))]
    omega2, sigma2_a, sigma2_b = np.mean(
        [(p.omega2, p.sigma2_a, p.sigma2_b) for p in parts], axis=0
    )
    sigma2 = float(sigma2_a + sigma2_b) / 2
    stated = Stated(omega2=float(omega2), sigma2=sigma2, tasks=tasks)
    planned = plan(effect=effect, repeats=[repeats], stated=stated).table["power_here"].iloc[0]
    shown = 0
    for _ in range(800):
        a, b = study()
        d = (b - a) / repeats
        shown += d.mean() / (d.std(ddof=1) / sqrt(tasks)) > 2.0
    assert shown / 800 == pytest.approx(planned, abs=0.06)


@pytest.mark.parametrize("asked", [{"repeats": [2.9]}, {"repeats": [1, 0]}])
def test_repeats_are_whole_numbers_and_never_cut_to_some(asked):
    with pytest.raises(InvalidInput, match="repeats is"):
        plan(**asked)
    with pytest.raises(InvalidInput, match="tasks is"):
        Stated(tasks=2.5)
