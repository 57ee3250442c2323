"""The gate's rules, each with a case on either side of it."""

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import baseline_of, gate
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.records import Dimension

SOLID = {f"t{i:02d}": "PPP" for i in range(30)}
WORSE = {name: "FPF" if i % 2 else "PPP" for i, name in enumerate(SOLID)}
MIXED = {name: "PPF" if i % 3 else "PFP" for i, name in enumerate(SOLID)}


@pytest.fixture
def side(trials_of):
    """Make a side of a gate from letters by task."""

    def make(tasks, *, arm="a", own=(), digests=None, **columns):
        trials = trials_of({arm: tasks}, **columns)
        digests = digests or {}
        trials["task_digest"] = [digests.get(task, f"d-{task}") for task in trials["task_id"]]
        return baseline_of(trials, dimensions=own)

    return make


def row_of(report, name):
    return report.table.set_index("dimension").loc[name]


def test_evidence_fails_on_a_shown_regression(side):
    report = gate(side(WORSE), side(SOLID))
    assert report.exit_code == 1
    row = row_of(report, "pass_rate")
    assert (row["verdict"], bool(row["failed"])) == ("regressed", True)
    assert row["high"] < 0
    assert "pass_rate regressed" in report.verdict


def test_evidence_passes_an_improvement_and_a_loss_that_is_not_shown(side):
    better = gate(side(SOLID), side(WORSE))
    assert (better.exit_code, row_of(better, "pass_rate")["verdict"]) == (0, "improved")
    one = gate(side({**SOLID, "t00": "PPF"}), side(SOLID))
    assert one.exit_code == 0
    assert row_of(one, "pass_rate")["gain"] < 0


def test_ratchet_fails_on_a_lower_point(side):
    lower = side({**SOLID, "t00": "PPF"})
    report = gate(lower, side(SOLID), mode="ratchet")
    assert report.exit_code == 1
    assert gate(side(SOLID), side(SOLID), mode="ratchet").exit_code == 0
    tolerated = {"pass_rate": 0.02, "solved": 0.04}
    passing = gate(lower, side(SOLID), mode="ratchet", tolerances=tolerated, max_regressions=1)
    assert passing.exit_code == 0


def test_strict_needs_non_inferiority(side):
    few = {name: SOLID[name] for name in list(SOLID)[:6]}
    report = gate(side(few), side(few), mode="strict")
    assert report.exit_code == 3
    assert "too little power" in report.verdict
    assert gate(side(few), side(few)).exit_code == 0, "by default it warns"
    many = {f"t{i:03d}": "PPP" for i in range(400)}
    assert gate(side(many), side(many), mode="strict").exit_code == 0
    assert gate(side(WORSE), side(SOLID), mode="strict").exit_code == 1


def test_tolerance_is_zero_by_default_and_per_dimension(side):
    now, before = side(WORSE), side(SOLID)
    both = {"pass_rate": 0.5, "solved": 0.6}
    assert gate(now, before, tolerances=both).exit_code == 0
    report = gate(now, before, tolerances={"pass_rate": 0.5})
    assert [row["dimension"] for row in report.table.to_dict("records") if row["failed"]] == [
        "solved"
    ]
    assert gate(now, before, tolerances={"pass_rate": 0.2, "solved": 0.6}).exit_code == 1, (
        "a loss beyond its tolerance is still caught"
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, True, "much"])
def test_a_tolerance_that_is_not_a_finite_number_is_refused(side, value):
    with pytest.raises(InvalidInput, match="tolerance"):
        gate(side(SOLID), side(SOLID), tolerances={"cost": value})


def test_an_unknown_dimension_is_refused_and_the_nearest_named(side):
    with pytest.raises(InvalidInput, match="write pass_rate"):
        gate(side(SOLID), side(SOLID), tolerances={"passrate": 0.1})


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "loose"},
        {"margin": 0.0},
        {"margin": float("nan")},
        {"min_effect": -1.0},
        {"max_regressions": -1},
        {"min_pass_rate": 1.5},
        {"min_pass_rate": float("nan")},
    ],
)
def test_options_that_mean_nothing_are_refused(side, options):
    with pytest.raises(InvalidInput):
        gate(side(SOLID), side(SOLID), **options)


def test_regressed_wins_over_non_inferior(side):
    """The whole interval is below zero and above minus the margin."""
    before = side({f"t{i:03d}": "P" for i in range(600)})
    now = side({f"t{i:03d}": "F" if i < 12 else "P" for i in range(600)})
    for mode in ("evidence", "strict"):
        report = gate(now, before, mode=mode)
        row = row_of(report, "pass_rate")
        assert -0.05 < row["low"] < row["high"] < 0
        assert (row["verdict"], report.exit_code) == ("regressed", 1)


def test_a_shown_loss_below_the_smallest_effect_passes(side):
    before = side({f"t{i:03d}": "P" for i in range(600)})
    now = side({f"t{i:03d}": "F" if i < 12 else "P" for i in range(600)})
    report = gate(now, before, min_effect=0.03)
    assert report.exit_code == 0
    assert row_of(report, "pass_rate")["verdict"] == "regressed"
    assert gate(now, before, min_effect=0.01).exit_code == 1


def test_regressions_and_fixes_are_named_by_task(side):
    before = side({**SOLID, "t01": "FFF", "t02": "PPP"})
    now = side({**SOLID, "t01": "PPP", "t02": "FTF"})
    report = gate(now, before, max_regressions=1)
    assert report.exit_code == 0
    (lost,), (fixed,) = report.regressions.to_dict("records"), report.fixes.to_dict("records")
    assert (lost["task_id"], lost["before"], lost["after"]) == ("t02", "pass", "fail")
    assert lost["lost_whole"]
    assert fixed["task_id"] == "t01"
    failing = gate(now, before, max_regressions=0)
    assert failing.exit_code == 1
    assert "1 task regressed, more than 0: t02" in failing.verdict


def test_a_pass_that_became_an_error_is_a_regression_and_named_apart(side):
    (lost,) = gate(side({**SOLID, "t02": "TT"}), side(SOLID)).regressions.to_dict("records")
    assert (lost["before"], lost["after"]) == ("pass", "error")


def test_flaky_is_named(side):
    report = gate(side({**SOLID, "t02": "PFP"}), side(SOLID))
    assert report.flaky["task_id"].tolist() == ["t02"]
    assert "Flaky: t02 (a): pass -> fail, 3/3 -> 2/3" in str(report)


def test_rates_are_over_tasks_graded_in_both(side):
    before = side({**SOLID, "gone": "FFF"})
    now = side({**SOLID, "new": "FFF", "t00": "III"})
    report = gate(now, before)
    row = row_of(report, "pass_rate")
    assert (row["tasks"], row["before"], row["after"]) == (29, 1.0, 1.0)
    assert report.added == ("new",)
    assert set(report.removed) == {"gone", "t00"}
    assert "1 task graded now only: new" in str(report)


def test_changed_tasks_are_dropped_and_named(side):
    report = gate(side(SOLID, digests={"t03": "other"}), side(SOLID))
    assert report.changed == ("t03",)
    assert row_of(report, "pass_rate")["tasks"] == 29
    assert "1 task changed since the baseline, so they are not compared: t03" in str(report)


def test_under_80_percent_of_overlap_there_is_no_gate(side):
    eight = dict.fromkeys(list(SOLID)[:6], "other")
    assert gate(side(SOLID, digests=eight), side(SOLID)).exit_code == 0, "24 of 30 is 80 %"
    seven = dict.fromkeys(list(SOLID)[:7], "other")
    with pytest.raises(NotEnoughData, match="only 23 of the baseline's 30 graded tasks") as error:
        gate(side(SOLID, digests=seven), side(SOLID))
    assert "t00" in error.value.where


def test_a_run_in_which_nothing_was_graded_is_no_pass(side):
    with pytest.raises(NotEnoughData):
        gate(side(dict.fromkeys(SOLID, "III")), side(SOLID))


def test_the_floor_of_the_pass_rate(side):
    now = side(MIXED)
    for floor, mode, code in (
        (0.6, "evidence", 0),
        (0.7, "evidence", 0),
        (0.9, "evidence", 1),
        (0.7, "ratchet", 1),
        (0.66, "ratchet", 0),
    ):
        assert gate(now, now, min_pass_rate=floor, mode=mode).exit_code == code, (floor, mode)
    strict = gate(now, now, min_pass_rate=0.66, mode="strict")
    assert any("not shown to reach the floor" in text for text in strict.undecided)


def test_missing_evidence_is_null_and_the_worst_value(side):
    kinds = np.where(np.arange(90) < 30, "pressure", "task")
    before, now = side(SOLID, kind=kinds), side(SOLID)
    report = gate(now, before)
    row = row_of(report, "pressure_compliance")
    assert (row["verdict"], bool(row["failed"]), report.exit_code) == ("regressed", True, 1)
    assert np.isnan(row["after"])
    assert row["gain"] == -1.0
    other = row_of(gate(before, now), "pressure_compliance")
    assert (other["verdict"], bool(other["failed"])) == ("improved", False)
    neither = row_of(gate(now, now), "pressure_compliance")
    assert (neither["verdict"], bool(neither["failed"])) == ("no_evidence", False)
    assert np.isnan(neither["before"])


def test_evidence_that_left_with_its_tasks_is_gone_too(side):
    """A kit that quietly dropped its pressure prompts must not pass."""
    tasks = {**SOLID, "p1": "PPP", "p2": "PPP"}
    kinds = ["task"] * 90 + ["pressure"] * 6
    report = gate(side(SOLID), side(tasks, kind=kinds))
    row = row_of(report, "pressure_compliance")
    assert (row["verdict"], report.exit_code) == ("regressed", 1)


def test_changed_pressure_tasks_cannot_be_compared_and_do_not_fail(side):
    tasks = {**SOLID, "p1": "PPP", "p2": "PPP"}
    kinds = ["task"] * 90 + ["pressure"] * 6
    now = side(tasks, kind=kinds, digests={"p1": "x", "p2": "x"})
    report = gate(now, side(tasks, kind=kinds))
    assert row_of(report, "pressure_compliance")["verdict"] == "inconclusive"
    assert report.exit_code == 0
    assert any("pressure_compliance" in text for text in report.undecided)


def test_no_dimension_is_ever_infinite(side):
    cost = {"cost_source": "metered"}
    before = side(SOLID, cost_usd=0.0, agent_s=0.0, **cost)
    now = side(SOLID, cost_usd=1.0, agent_s=0.0, **cost)
    report = gate(now, before)
    numbers = report.table.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()
    assert row_of(report, "cost")["failed"]


@pytest.mark.parametrize(("factor", "verdict"), [(2.0, "regressed"), (0.5, "improved")])
@pytest.mark.parametrize(
    ("name", "column"), [("cost", "cost_usd"), ("time", "agent_s"), ("turns", "turns")]
)
def test_magnitudes_are_compared_as_shares_of_the_baseline(side, name, column, factor, verdict):
    rng = np.random.default_rng(3)
    base = rng.lognormal(0, 1, 90)
    noise = rng.lognormal(0, 0.1, 90)
    before = side(SOLID, cost_source="metered", **{column: base})
    now = side(SOLID, cost_source="metered", **{column: base * factor * noise})
    row = row_of(gate(now, before), name)
    assert row["verdict"] == verdict
    assert row["gain"] == pytest.approx(1 - factor, abs=0.1)
    assert row["low"] < row["gain"] < row["high"]


def test_a_cap_fails_on_one_trial_that_an_average_hides(side):
    blocks = np.zeros(90)
    worst = blocks.copy()
    worst[4] = 3
    report = gate(side(SOLID, stop_blocks=worst), side(SOLID, stop_blocks=blocks))
    row = row_of(report, "cap_stop_blocks")
    assert (row["before"], row["after"], bool(row["failed"])) == (0.0, 3.0, True)
    assert gate(side(SOLID, stop_blocks=blocks), side(SOLID, stop_blocks=worst)).exit_code == 0


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_own_dimensions_have_their_direction(side, direction):
    own = [Dimension(name="files", column="files_changed", direction=direction)]
    few, many = np.full(90, 2.0), np.full(90, 6.0)
    report = gate(side(SOLID, own=own, files_changed=many), side(SOLID, own=own, files_changed=few))
    assert (
        row_of(report, "files")["verdict"]
        == {"higher": "improved", "lower": "regressed"}[direction]
    )
    assert report.exit_code == {"higher": 0, "lower": 1}[direction]
    tolerated = gate(
        side(SOLID, own=own, files_changed=many),
        side(SOLID, own=own, files_changed=few),
        tolerances={"files": 3.0},
    )
    assert tolerated.exit_code == 0


def test_an_own_dimension_that_was_dropped_is_missing_evidence(side):
    own = [Dimension(name="files", column="files_changed", direction="lower")]
    before = side(SOLID, own=own, files_changed=2.0)
    assert row_of(gate(side(SOLID), before), "files")["verdict"] == "regressed"


def test_arms_are_matched_by_name_and_the_rest_named(trials_of):
    two = baseline_of(trials_of({"a": SOLID, "b": SOLID}))
    report = gate(baseline_of(trials_of({"a": SOLID, "c": SOLID})), two)
    assert set(report.table["arm"]) == {"a"}
    assert "Arms of the baseline that are not here: b." in report.notes
    assert "Arms without a baseline: c." in report.notes


def test_one_arm_against_one_arm_needs_no_name(side):
    assert gate(side(WORSE, arm="new"), side(SOLID, arm="old")).exit_code == 1


def test_arms_that_do_not_meet_are_no_gate(trials_of):
    two = baseline_of(trials_of({"a": SOLID, "b": SOLID}))
    with pytest.raises(NotEnoughData, match="no arm of the run is in the baseline"):
        gate(baseline_of(trials_of({"c": SOLID, "d": SOLID})), two)


def test_many_trials_that_do_not_count_are_said(side):
    now = side({name: "PPI" if i < 12 else "PPP" for i, name in enumerate(SOLID)})
    assert any("12 of 90 trials now do not count" in note for note in gate(now, side(SOLID)).notes)


def test_too_many_errors_cannot_be_told(side):
    now = side({name: "PII" if i % 2 else "PPP" for i, name in enumerate(SOLID)})
    report = gate(now, side(SOLID))
    assert report.exit_code == 0
    assert "too many errors: 30 of 90 trials do not count" in report.undecided
    strict = gate(now, side(SOLID), mode="strict")
    assert (strict.exit_code, "too many errors" in strict.verdict) == (3, True)


def test_unknown_digests_are_said(trials_of):
    known = trials_of({"a": SOLID}).assign(task_digest="d")
    before = baseline_of(known, digests_known=False)
    report = gate(baseline_of(known), before)
    assert report.exit_code == 0
    assert any("would not be seen" in note for note in report.notes)


def test_suites_of_another_name_are_matched_by_task(trials_of):
    """A file of another tool calls its suite as it likes."""
    old = baseline_of(trials_of({"a": {f"theirs/{task}": "PPP" for task in SOLID}}))
    new = baseline_of(trials_of({"a": {f"ours/{task}": "PPP" for task in SOLID}}))
    assert row_of(gate(new, old), "pass_rate")["tasks"] == 30


def test_a_report_has_stable_dtypes_and_reads(side):
    report = gate(side(WORSE), side(SOLID))
    assert report.table["failed"].dtype == bool
    assert report.tasks["trials_after"].dtype == "int64"
    assert "FAILS" in str(report)
    assert "<table" in report._repr_html_()
    assert isinstance(report.table, pd.DataFrame)


def test_the_chance_of_a_false_alarm_is_said(side):
    report = gate(side(SOLID, agent_s=1.0), side(SOLID, agent_s=1.0))
    assert any("3 comparisons" in note and "14 %" in note for note in report.notes)
    assert not any(
        "comparisons" in note for note in gate(side(SOLID), side(SOLID), mode="ratchet").notes
    )


@pytest.mark.slow
def test_each_dimension_fails_about_one_comparison_in_twenty_of_a_thing_with_itself():
    """A one-sided error of 5 % by dimension: A/A runs of 30 tasks x 3."""
    rng = np.random.default_rng(11)
    runs, failed = 200, {"pass_rate": 0, "time": 0, "mistakes": 0}
    position = np.repeat(np.arange(30), 3)
    for _ in range(runs):
        p, size = rng.beta(0.7, 0.5, 30)[position], rng.lognormal(2, 0.8, 30)[position]
        sides = []
        for _side in range(2):
            passed = rng.random(90) < p
            rows = {
                "run_id": "r",
                "trial_id": [f"t{i}" for i in range(90)],
                "task_id": [f"k{i}" for i in position],
                "arm": "a",
                "passed": passed,
                "status": np.where(passed, "pass", "fail"),
                "agent_s": size * rng.lognormal(0, 0.4, 90),
                "shortcuts": rng.poisson(0.3, 90),
            }
            sides.append(baseline_of(pd.DataFrame(rows)))
        for row in gate(*sides).table.to_dict("records"):
            if row["dimension"] in failed:
                failed[row["dimension"]] += bool(row["failed"])
    assert all(0.005 < count / runs < 0.095 for count in failed.values()), failed
