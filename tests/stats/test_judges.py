"""Agreement, corrected rates, calibration, preferences, position."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    Agreement,
    BradleyTerry,
    CalibrationTable,
    CorrectedRate,
    Panel,
    PositionBias,
    PredictionPowered,
    bradley_terry,
    calibration_table,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    panel_verdict,
    position_bias,
    ppi_mean,
    rogan_gladen_interval,
    wilson_interval,
)

NAN = float("nan")
RNG = np.random.default_rng(9)
TRUTH = RNG.integers(1, 4, 60).astype(float)
RATINGS = np.where(RNG.random((60, 3)) < 0.75, TRUTH[:, None], RNG.integers(1, 4, (60, 3)))
square = st.lists(st.integers(0, 20), min_size=9, max_size=9).filter(sum)


@given(square)
def test_kappa_and_its_error_are_statsmodels(cells):
    table = np.array(cells).reshape(3, 3)
    ours = cohen_kappa(table)
    if ours.degenerate or np.count_nonzero(table.sum(0)) < 2 or np.count_nonzero(table.sum(1)) < 2:
        return
    theirs = cohens_kappa(table)
    assert ours.estimate == pytest.approx(theirs.kappa)
    assert ours.standard_error == pytest.approx(theirs.std_kappa, abs=1e-9)
    weighted = cohen_kappa(table, weights="linear")
    theirs = cohens_kappa(table, wt="linear")
    assert weighted.estimate == pytest.approx(theirs.kappa)


def test_kappas_paradox_and_its_remedy():
    kappa = cohen_kappa([[118, 5], [2, 0]])
    ratings = [[1, 1]] * 118 + [[1, 0]] * 5 + [[0, 1]] * 2
    ac1 = gwet_ac1(ratings)
    assert kappa.agreement == ac1.agreement == pytest.approx(0.944)
    assert kappa.estimate < 0 < 0.94 < ac1.estimate


MEASURES = [
    gwet_ac1,
    lambda r: gwet_ac1(r, weights="quadratic"),
    krippendorff_alpha,
    lambda r: krippendorff_alpha(r, measurement="ordinal"),
    lambda r: krippendorff_alpha(r, measurement="interval"),
    lambda r: krippendorff_alpha(r, measurement="ratio"),
]


@pytest.mark.parametrize("measure", MEASURES)
def test_agreement_ignores_who_rated_and_in_what_order(measure):
    r = measure(RATINGS)
    assert isinstance(r, Agreement)
    assert r.low < r.estimate < r.high <= 1
    shuffled = measure(np.random.default_rng(0).permutation(RATINGS)[:, ::-1])
    assert (r.estimate, *r) == (shuffled.estimate, *shuffled)
    gaps = measure(np.vstack([RATINGS, [[2, NAN, NAN]], [[NAN, NAN, NAN]]]))
    assert gaps.estimate == pytest.approx(r.estimate, abs=0.02)


@pytest.mark.parametrize("measure", MEASURES)
def test_perfect_agreement_is_1(measure):
    r = measure(np.repeat(TRUTH[:, None], 2, axis=1))
    assert r.estimate == pytest.approx(1)


def test_one_category_leaves_agreement_beyond_chance_undefined():
    same = [[1, 1], [1, 1], [1, 1]]
    assert math.isnan(krippendorff_alpha(same).estimate)
    assert krippendorff_alpha(same).degenerate
    assert math.isnan(cohen_kappa([[3, 0], [0, 0]]).estimate)
    ac1 = gwet_ac1(same)
    assert (ac1.estimate, ac1.degenerate) == (1, True)
    assert math.isnan(ac1.low)


def test_an_interval_of_which_nothing_is_left_says_so():
    known = {"sensitivity": 1, "specificity": 0.8, "n_sensitivity": 10, "n_specificity": 10}
    nothing = rogan_gladen_interval(0, 100, **known)
    assert nothing.low == nothing.high == 0
    assert nothing.degenerate
    assert nothing.raw < 0
    assert "degenerate" in str(nothing)
    assert not rogan_gladen_interval(30, 100, **known).degenerate


def test_a_perfect_judge_needs_no_correction():
    known = {"n_sensitivity": 1e9, "n_specificity": 1e9}
    r = rogan_gladen_interval(40, 100, sensitivity=1, specificity=1, **known)
    plain = wilson_interval(40, 100)
    assert isinstance(r, CorrectedRate)
    assert (r.estimate, r.raw, r.apparent) == pytest.approx((0.4, 0.4, 0.4))
    assert (r.low, r.high) == pytest.approx((plain.low, plain.high), abs=0.01)


@given(
    st.integers(0, 100),
    st.floats(0.65, 1),
    st.floats(0.65, 1),
    st.sampled_from([20, 50, 200]),
)
def test_corrected_rates_stay_in_range_and_mirror(passed, se, sp, labels):
    sizes = {"n_sensitivity": labels, "n_specificity": labels}
    r = rogan_gladen_interval(passed, 100, sensitivity=se, specificity=sp, **sizes)
    assert 0 <= r.low <= r.high <= 1
    assert 0 <= r.estimate <= 1
    failed = rogan_gladen_interval(100 - passed, 100, sensitivity=sp, specificity=se, **sizes)
    assert (r.low, r.high) == pytest.approx((1 - failed.high, 1 - failed.low), abs=1e-9)


def test_a_judge_close_to_a_coin_is_refused():
    with pytest.raises(NotEnoughData, match="too little"):
        rogan_gladen_interval(
            40, 100, sensitivity=0.6, specificity=0.55, n_sensitivity=50, n_specificity=50
        )


def test_tuning_never_trusts_noise():
    y = RNG.integers(0, 2, 200).astype(float)
    noise, rest = RNG.random(200), RNG.random(5_000)
    tuned = ppi_mean(y, noise, rest)
    assert isinstance(tuned, PredictionPowered)
    assert tuned.tuning < 0.25
    assert tuned.standard_error <= y.std() / np.sqrt(200) * 1.01
    good = ppi_mean(y, y, RNG.integers(0, 2, 5_000))
    assert good.tuning > 0.9
    assert good.width < tuned.width / 3


def test_constant_predictions_leave_the_labels():
    y = [1.0, 0, 1, 1]
    r = ppi_mean(y, [0.5] * 4, [0.5] * 10)
    assert (r.estimate, r.tuning, r.few_labels) == (0.75, 0, True)
    flat = ppi_mean([1.0, 1.0], [1.0, 1.0], [1.0, 1.0])
    assert flat.degenerate
    assert math.isnan(flat.low)


@pytest.mark.parametrize("edges", ["quantile", "uniform"])
def test_calibration_loses_no_prediction(edges):
    p = RNG.random(500)
    y = (RNG.random(500) < p).astype(float)
    table = calibration_table(y, p, edges=edges)
    assert isinstance(table, CalibrationTable)
    assert table.n.sum() == 500
    assert (table.low <= table.predicted).all()
    assert (table.predicted <= table.high).all()
    assert table.expected_error_debiased < table.expected_error < 0.1
    assert table.brier == pytest.approx(np.mean((p - y) ** 2))
    order = RNG.permutation(500)
    again = calibration_table(y[order], p[order], edges=edges)
    assert again.expected_error_debiased == table.expected_error_debiased
    assert table.enough.all()
    assert "Brier" in str(table)


def test_equal_predictions_fall_into_one_bin():
    table = calibration_table([1, 0, 1, 1], [0.7] * 4)
    assert table.n.tolist() == [4]
    assert not table.enough.any()
    assert table.observed.estimate.tolist() == [0.75]
    ends = calibration_table([0, 1], [0.0, 1.0], edges="uniform")
    assert ends.high[-1] == 1


def games(strength, rounds):
    p = 1 / (1 + np.exp(np.subtract.outer(strength, strength)))
    wins = rounds * p.T
    np.fill_diagonal(wins, 0)
    return wins


def test_strengths_are_recovered_and_turn_with_the_order():
    strength = np.array([0.9, 0.1, -0.3, -0.7])
    r = bradley_terry(games(strength, 50))
    assert isinstance(r, BradleyTerry)
    assert r.strength == pytest.approx(strength, abs=1e-8)
    assert r.elo == pytest.approx(strength * 400 / np.log(10))
    order = [2, 0, 3, 1]
    assert bradley_terry(games(strength[order], 50)).strength == pytest.approx(strength[order])
    assert r.probability(0, 3) + r.probability(3, 0) == pytest.approx(1)


def test_an_arm_that_never_loses_needs_a_ridge():
    wins = [[0, 3, 4], [0, 0, 2], [0, 2, 0]]
    with pytest.raises(NotEnoughData, match="infinite"):
        bradley_terry(wins)
    r = bradley_terry(wins, ridge=0.1)
    assert np.isfinite(r.strength).all()
    assert r.strength.argmax() == 0


def test_comparisons_of_one_task_go_together():
    task = RNG.integers(0, 2, 40)
    by_task = np.zeros((40, 2, 2))
    by_task[np.arange(40), task, 1 - task] = 5
    r = bradley_terry(by_task)
    alone = bradley_terry(by_task.sum(axis=0))
    assert r.strength == pytest.approx(alone.strength)
    assert r.difference_error(0, 1) == pytest.approx(
        np.sqrt(5) * alone.difference_error(0, 1), rel=0.15
    )
    assert bradley_terry(by_task[::-1]).standard_error.tolist() == r.standard_error.tolist()


def test_position_bias_of_a_judge_that_always_prefers_the_first():
    r = position_bias([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1])
    assert isinstance(r, PositionBias)
    assert (r.flip_rate.estimate, r.first_rate.estimate) == (1, 1)
    assert r.preference.tolist() == [0.5] * 6
    assert r.test.pvalue < 0.05
    fair = position_bias([[1, 0], [1, 0.5]], [[1, 0], [1, 0.5]])
    assert (fair.flip_rate.estimate, fair.first_rate.estimate, fair.test.pvalue) == (0, 0.5, 1)
    assert fair.preference.tolist() == [[1, 0], [1, 0.5]]


def test_a_panel_shows_the_judge_it_hangs_on():
    scores = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [NAN, 0, 0], [NAN, NAN, NAN]])
    r = panel_verdict(scores, rule="majority")
    assert isinstance(r, Panel)
    np.testing.assert_array_equal(r.values, [1, 1, 0, 0, NAN])
    assert (r.mean, r.without.tolist()) == (0.5, [0.25, 0.25, 0.5])
    assert r.sensitivity == 0.25
    assert r.correlation[0, 1] == pytest.approx(1)
    assert panel_verdict(scores).values[0] == pytest.approx(2 / 3)
    assert panel_verdict(scores, rule="median").values[0] == 1
    same = panel_verdict([[1, 1], [1, 1]])
    assert np.isnan(same.correlation).all()
    assert "2 judges" in str(same)


@pytest.mark.parametrize(
    "call",
    [
        lambda: panel_verdict([[0.5, 1]], rule="majority"),
        lambda: panel_verdict([[1], [0]]),
        lambda: panel_verdict([[1, 0]], rule="best"),
        lambda: cohen_kappa([[1, 2, 3], [1, 2, 3]]),
        lambda: cohen_kappa([[1, -2], [1, 2]]),
        lambda: cohen_kappa([[1, 2], [1, 2]], weights="cubic"),
        lambda: gwet_ac1([1, 2, 3]),
        lambda: gwet_ac1([["pass", "fail"]]),
        lambda: krippendorff_alpha([[1, 2]], measurement="circular"),
        lambda: krippendorff_alpha([[-1, 2], [1, 1]], measurement="ratio"),
        lambda: rogan_gladen_interval(
            5, 4, sensitivity=0.9, specificity=0.9, n_sensitivity=9, n_specificity=9
        ),
        lambda: rogan_gladen_interval(
            3, 4, sensitivity=90, specificity=0.9, n_sensitivity=9, n_specificity=9
        ),
        lambda: ppi_mean([1, 0], [1], [1, 0]),
        lambda: ppi_mean([1, NAN], [1, 0], [1, 0]),
        lambda: calibration_table([1, 2], [0.5, 0.5]),
        lambda: calibration_table([1, 0.5], [0.5, 0.5]),
        lambda: calibration_table([1, 0], [0.5, 1.5]),
        lambda: calibration_table([1, 0], [0.5]),
        lambda: calibration_table([1, 0], [0.5, 0.5], bins=0),
        lambda: bradley_terry([[0, 1, 2], [1, 0, 2]]),
        lambda: bradley_terry([[1, 1], [1, 0]]),
        lambda: bradley_terry([[0, -1], [1, 0]]),
        lambda: bradley_terry([[0, 1], [1, 0]], ridge=-1),
        lambda: position_bias([1, 0], [1]),
        lambda: position_bias([1, 0.3], [1, 0]),
    ],
)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


@pytest.mark.parametrize(
    "call",
    [
        lambda: panel_verdict([[NAN, NAN]]),
        lambda: cohen_kappa([[0, 0], [0, 0]]),
        lambda: gwet_ac1([[1, NAN], [NAN, 2]]),
        lambda: krippendorff_alpha([[NAN, NAN]]),
        lambda: ppi_mean([1], [1], [1, 0]),
        lambda: ppi_mean([1, 0], [1, 0], []),
        lambda: calibration_table([], []),
    ],
)
def test_too_little_is_said_so(call):
    with pytest.raises(NotEnoughData):
        call()
