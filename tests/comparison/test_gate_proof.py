"""The gate proves itself, and fails the proof as soon as any comparison in it is sabotaged."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

from agenteval.comparison import (
    DIMENSIONS,
    Step,
    dimensions,
    gate_dimension,
    gate_options,
    gate_proof,
    prove_gate,
)
from agenteval.comparison import gate as gate_function
from agenteval.records import Dimension, dimension_columns, read_baseline

NAMES = [measure.name for measure in DIMENSIONS]


def failed(steps):
    return [step.demand for step in steps if not step.held]


@pytest.fixture
def only(monkeypatch):
    """Let the declared list be some dimensions alone, as they are or made worse."""

    def shorten(*measures, samples=()):
        monkeypatch.setattr(dimensions, "DIMENSIONS", measures)
        monkeypatch.setattr(gate_proof, "SAMPLES", samples)

    return shorten


def named(name):
    return next(measure for measure in DIMENSIONS if measure.name == name)


def test_every_dimension_is_caught_and_own_ones_too():
    own = [Dimension(name="files", column="files_changed", direction="lower")]
    steps = prove_gate(own)
    assert failed(steps) == []
    assert all(isinstance(step, Step) for step in steps)
    told = " ".join(step.demand for step in steps)
    for name in (*NAMES, "files"):
        for demand in ("a planted regression is caught", "an improvement is no regression"):
            for mode in ("evidence", "ratchet", "strict"):
                assert f"{name}: {demand} ({mode})" in told
    assert "regressed wins over non_inferior" in told
    assert "a baseline that is torn is an error" in told


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize(
    "source",
    [
        {"column": "lint_failures"},
        {"column": "score"},
        {"column": "asked_user"},
        {"column": "passed"},
        {"column": "peak_memory_mb", "worst": True},
        {"column": "score", "worst": True},
        {"check": "speed"},
        {"check": "speed", "worst": True},
    ],
    ids=str,
)
def test_every_sort_of_own_dimension_is_proven(only, source, direction):
    only(named("pass_rate"))
    own = Dimension(name="own", direction=direction, **source)
    assert failed(prove_gate([own])) == []


def test_own_dimensions_over_every_column_can_be_planted(only):
    only(named("pass_rate"))
    for column in dimension_columns():
        plant = gate_proof.own_plant(Dimension(name="own", column=column, direction="lower"))
        assert plant.loss > 0


def test_a_dimension_added_tomorrow_has_to_be_proven(only):
    only(dataclasses.replace(named("turns"), name="novelty"))
    assert failed(prove_gate()) == ["novelty: a regression can be planted"]


@pytest.mark.parametrize("name", NAMES)
def test_a_direction_that_is_turned_round_is_found(only, name):
    measure = named(name)
    other = {"higher": "lower", "lower": "higher"}[measure.direction]
    only(dataclasses.replace(measure, direction=other))
    told = failed(prove_gate())
    assert f"{name}: a planted regression is caught (evidence)" in told
    assert f"{name}: a planted regression is caught (ratchet)" in told


@pytest.mark.parametrize("name", NAMES)
def test_a_dimension_that_reads_nothing_is_found(only, name):
    only(dataclasses.replace(named(name), read=lambda e: np.full(len(e.frame), np.nan)))
    told = failed(prove_gate())
    if name == "solved":  # read from passes, by the policy
        assert told == []
    else:
        assert f"{name}: a planted regression is caught (evidence)" in told


@pytest.mark.parametrize("name", [name for name in NAMES if name != "solved"])
def test_a_dimension_that_is_always_the_same_is_found(only, name):
    """What the agent cannot change cannot be caught: full marks by default."""
    only(dataclasses.replace(named(name), read=lambda e: np.ones(len(e.frame))))
    told = failed(prove_gate())
    assert f"{name}: a planted regression is caught (ratchet)" in told


def test_a_cap_that_is_an_average_is_found(only):
    only(dataclasses.replace(named("cap_stop_blocks"), scale="count"))
    assert "cap_stop_blocks: a planted regression is caught (evidence)" in failed(prove_gate())


def sabotage_verdict(order):
    """A verdict that looks at the margin before it looks for a regression."""
    true = gate_dimension.gate_verdict

    def verdict(difference, **options):
        found = true(difference, **options)
        if float(difference.low) > -options["margin"]:
            return dataclasses.replace(found, verdict=order)
        return found

    return verdict


def test_non_inferior_winning_over_regressed_is_found(only, monkeypatch):
    only(named("turns"))
    monkeypatch.setattr(gate_dimension, "gate_verdict", sabotage_verdict("non_inferior"))
    told = failed(prove_gate())
    assert "regressed wins over non_inferior (evidence)" in told
    assert "regressed wins over non_inferior (strict)" in told


SABOTAGE = {
    "a verdict that is never regressed": (
        "gate_verdict",
        lambda true: lambda d, **o: dataclasses.replace(true(d, **o), verdict="equivalent"),
        "a planted regression is caught (evidence)",
    ),
    "a verdict that is always regressed": (
        "gate_verdict",
        lambda true: lambda d, **o: dataclasses.replace(true(d, **o), verdict="regressed"),
        "an improvement is no regression (evidence)",
    ),
    "points that are never lower": (
        "_point_gain",
        lambda true: lambda m, a, b: abs(true(m, a, b)),
        "a planted regression is caught (ratchet)",
    ),
    "points that are always lower": (
        "_point_gain",
        lambda true: lambda m, a, b: -abs(true(m, a, b)) - 0.1,
        "an improvement is no regression (ratchet)",
    ),
    "sides that changed places": (
        "_gain",
        lambda true: lambda m, p, a, b: true(m, [(y, x) for x, y in p], b, a),
        "a planted regression is caught (evidence)",
    ),
    "missing evidence that passes": (
        "_without_evidence",
        lambda true: lambda *a: dataclasses.replace(true(*a), failed=False),
        "missing evidence is the worst value",
    ),
}


@pytest.mark.parametrize("case", SABOTAGE)
def test_a_sabotaged_comparison_is_found(only, monkeypatch, case):
    only(named("turns"), named("pressure_compliance"), named("mistakes"))
    name, change, demand = SABOTAGE[case]
    monkeypatch.setattr(gate_dimension, name, change(getattr(gate_dimension, name)))
    told = failed(prove_gate())
    assert f"turns: {demand}" in told
    assert f"pressure_compliance: {demand}" in told


def test_a_cap_that_is_sabotaged_is_found(only, monkeypatch):
    only(named("cap_stop_blocks"))
    true = gate_dimension._cap
    monkeypatch.setattr(
        gate_dimension, "_cap", lambda *a: dataclasses.replace(true(*a), failed=False)
    )
    assert "cap_stop_blocks: a planted regression is caught (strict)" in failed(prove_gate())


@pytest.mark.parametrize(
    ("tolerance", "demand"),
    [
        (1e6, "a loss beyond its tolerance is caught (evidence)"),
        (0.0, "a loss within its tolerance passes (evidence)"),
    ],
)
def test_a_tolerance_that_is_not_applied_is_found(only, monkeypatch, tolerance, demand):
    only(named("turns"))
    true = gate_dimension.Rule

    class Rule(true):
        def __init__(self, mode="evidence", margin=0.05, min_effect=0.0, given=0.0):
            super().__init__(mode, margin, min_effect, tolerance if given else 0.0)

    monkeypatch.setattr(gate_options, "Rule", Rule)
    assert f"turns: {demand}" in failed(prove_gate())


def test_an_exit_code_that_is_always_0_is_found(only, monkeypatch):
    only(named("turns"))
    from agenteval.comparison import GateReport

    monkeypatch.setattr(GateReport, "exit_code", property(lambda self: 0))
    assert "turns: a planted regression is caught (evidence)" in failed(prove_gate())


def test_a_gate_that_refuses_nothing_is_found(only, monkeypatch):
    only(named("turns"))
    module = sys.modules["agenteval.comparison.gate"]  # the name is the function's too
    monkeypatch.setattr(module, "ENOUGH_OVERLAP", 0.0)
    assert "too little overlap is refused" in failed(prove_gate())
    monkeypatch.setattr(gate_options, "_finite", lambda value: True)
    assert "a tolerance that is no number is refused" in failed(prove_gate())


@pytest.mark.parametrize(
    ("module", "name", "broken", "demand"),
    [
        ("gate", "_floor", lambda *_: ("passes",), "a pass rate below its floor is caught"),
        ("gate", "_too_many", lambda *_: [], "a task beyond max_regressions is caught"),
        ("gate", "too_many_left_out", lambda _: [], "too many trials left out cannot tell (strict)"),
        ("gate_tasks", "_changed", lambda *_: False, "a task that changed is not compared, and named"),
    ],
)  # fmt: skip
def test_a_limit_that_is_not_held_is_found(only, monkeypatch, module, name, broken, demand):
    only(named("turns"))
    assert failed(prove_gate()) == []
    monkeypatch.setattr(sys.modules[f"agenteval.comparison.{module}"], name, broken)
    assert demand in failed(prove_gate())


def test_a_reader_that_swallows_errors_is_found(only, tmp_path):
    only(named("turns"))
    good = tmp_path / "good.json"
    gate_proof._Sides("turns", None).before.write(good)

    def lenient(path: Path):
        try:
            return read_baseline(path)
        except Exception:  # noqa: BLE001 - the sabotage
            return read_baseline(good)

    told = failed(prove_gate(load=lenient))
    for what in ("is missing", "is empty", "is torn", "holds no arm", "holds NaN"):
        assert f"a baseline that {what} is an error" in told


def test_the_gate_of_the_layer_is_the_one_that_is_proven():
    assert gate_proof.gate is gate_function
