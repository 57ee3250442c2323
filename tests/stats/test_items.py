"""How well a task separates arms: against scipy's correlation, and by hand."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from agenteval.errors import InvalidInput
from agenteval.stats import item_discrimination


def test_it_is_the_correlation_with_the_mean_of_the_other_tasks():
    rates = np.random.default_rng(7).random((6, 5))
    found = item_discrimination(rates)
    for task in range(6):
        rest = np.delete(rates, task, axis=0).mean(axis=0)
        assert found[task] == pytest.approx(scipy_stats.pearsonr(rates[task], rest)[0])


def test_a_task_that_better_arms_fail_is_below_zero():
    rates = [[0.1, 0.5, 0.9], [0.2, 0.6, 0.8], [0.9, 0.5, 0.1]]
    found = item_discrimination(np.vstack([rates[:2], rates[:2], rates[2:]]))
    assert (found[:4] > 0.5).all()
    assert found[4] == pytest.approx(-1, abs=0.02)


def test_what_an_arm_did_not_take_is_left_out():
    rates = np.array([[0.1, 0.5, 0.9, 0.3], [0.2, 0.6, 0.8, np.nan], [0.3, 0.4, 0.9, np.nan]])
    found = item_discrimination(rates)
    # the fourth arm took nothing but the first task, so there is no rest to compare with
    assert found == pytest.approx(item_discrimination(rates[:, :3]))


def test_nothing_is_said_where_nothing_can_be():
    assert np.isnan(item_discrimination([[0, 1], [0.1, 0.9]])).all()
    assert np.isnan(item_discrimination([[1, 1, 1], [0.1, 0.5, 0.9]])).all()
    assert np.isnan(item_discrimination([[0.1, 0.5, 0.9]])).all()
    assert item_discrimination(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize("rates", [[0.5, 0.5], [[1.5, 0, 1]], [["a", "b", "c"]]])
def test_what_is_no_table_of_rates_is_refused(rates):
    with pytest.raises(InvalidInput):
        item_discrimination(rates)
