"""What every result and every public function of the layer has in common."""

import dataclasses
import doctest
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from agenteval import stats
from agenteval.stats import (
    BootstrapInterval,
    Flakiness,
    GateVerdict,
    HypothesisTest,
    Interval,
    IntraclassCorrelation,
    MissingBand,
    PowerPlan,
    VarianceComponents,
)

MODULES = [f"agenteval.stats.{m.name}" for m in pkgutil.iter_modules(stats.__path__)]
FUNCTIONS = [n for n in stats.__all__ if inspect.isfunction(getattr(stats, n))]
A, B = [3, 3, 2, 0, 1, 3, 0, 3], [3, 2, 2, 1, 1, 3, 0, 2]
RATES_A, RATES_B = np.array(A) / 3, np.array(B) / 3
DIFFERENCE = stats.newcombe_cluster_difference(A, 3, B, 3, level=0.90)

RESULTS = {
    "wilson": lambda: stats.wilson_interval(8, 10),
    "wilson of rows": lambda: stats.wilson_interval([8, 2], [10, 10]),
    "wilson_cluster": lambda: stats.wilson_cluster_interval(A, 3),
    "bootstrap": lambda: stats.bootstrap_interval(RATES_A, resamples=200),
    "newcombe_cluster": lambda: DIFFERENCE,
    "paired_t": lambda: stats.paired_t_difference(RATES_A, RATES_B),
    "tango": lambda: stats.tango_interval(5, 2, 1, 3),
    "geometric_mean_ratio": lambda: stats.geometric_mean_ratio([1, 2, 3], [2, 3, 3]),
    "paired_bayes": lambda: stats.paired_bayes(RATES_A, RATES_B),
    "kappa": lambda: stats.cohen_kappa([[20, 5], [10, 15]]),
    "ppi": lambda: stats.ppi_mean([1, 0, 1], [1, 0, 0], [1, 0]),
    "sign_flip": lambda: stats.sign_flip_test(RATES_B - RATES_A),
    "mcnemar": lambda: stats.mcnemar_test(6, 16),
    "wilcoxon": lambda: stats.wilcoxon_test(RATES_A, RATES_B),
    "gate": lambda: stats.gate_verdict(DIFFERENCE),
    "flakiness": lambda: stats.flakiness(3, A),
    "icc": lambda: stats.intraclass_correlation(A, 3),
    "missing_band": lambda: stats.missing_band(A, 3, 1),
    "power": lambda: stats.power_plan(effect=0.05, omega2=0.1),
    "components": lambda: stats.variance_components(A, 3, B, 3),
    "prediction": lambda: stats.prediction_interval([1.0, 2.0, 4.0], new_tasks=5),
    "sequence": lambda: stats.confidence_sequence(RATES_A),
    "calibration": lambda: stats.calibration_table([0, 1, 1], [0.2, 0.7, 0.8]),
    "bradley_terry": lambda: stats.bradley_terry([[0, 2], [1, 0]]),
    "panel": lambda: stats.panel_verdict([[1, 0], [1, 1]]),
    "position": lambda: stats.position_bias([1, 0], [1, 1]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_frozen_prints_in_one_line_and_pickles(name):
    result = RESULTS[name]()
    assert "\n" not in str(result)
    first = dataclasses.fields(result)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, first, 0)
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_in_a_notebook(name):
    html = RESULTS[name]()._repr_html_()
    assert html.startswith("<")
    assert "<script" not in html


def test_kinds_of_results():
    assert isinstance(RESULTS["bootstrap"](), BootstrapInterval)
    assert isinstance(RESULTS["sign_flip"](), HypothesisTest)
    assert isinstance(RESULTS["gate"](), GateVerdict)
    assert isinstance(RESULTS["flakiness"](), Flakiness)
    assert isinstance(RESULTS["icc"](), IntraclassCorrelation)
    assert isinstance(RESULTS["missing_band"](), MissingBand)
    assert isinstance(RESULTS["power"](), PowerPlan)
    assert isinstance(RESULTS["components"](), VarianceComponents)


def test_an_interval_answers_questions():
    r = stats.wilson_interval([8, 2], [10, 10])
    low, high = r
    assert (r.width == high - low).all()
    assert r.contains(0.3).tolist() == [False, True]
    nothing = Interval(estimate=1.0, low=np.nan, high=np.nan, level=0.95, method="none")
    assert not nothing.contains(1.0)


def test_markup_in_a_method_name_is_escaped():
    r = Interval(estimate=0.5, low=0.1, high=0.9, level=0.95, method="<script>x</script>")
    assert "<script" not in r._repr_html_()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_are_keyword_only_and_nothing_is_swallowed(name):
    for parameter in inspect.signature(getattr(stats, name)).parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        if isinstance(parameter.default, bool | str | float | int):
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_says_all_there_is_to_say(name):
    text = inspect.getdoc(getattr(stats, name))
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"{section}\n{'-' * len(section)}" in text
    assert "unit" in text
    for parameter in inspect.signature(getattr(stats, name)).parameters:
        assert parameter in text


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_run(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert not failed


def test_names_are_sorted_and_complete():
    assert stats.__all__ == sorted(stats.__all__, key=str.casefold)
    public = {n for n, v in vars(stats).items() if inspect.isfunction(v) or inspect.isclass(v)}
    assert public == set(stats.__all__)


def test_importing_is_light():
    code = (
        "import sys, agenteval.stats; "
        "heavy = {'scipy.stats', 'statsmodels', 'scipy.optimize', 'pandas', 'altair', 'duckdb'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
