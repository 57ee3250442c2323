"""Worked numbers of papers, and judges' agreement with people from published labels."""

from pathlib import Path

import numpy as np
import pytest

from agenteval.stats import (
    cohen_kappa,
    minimum_detectable_effect,
    panel_verdict,
    power_plan,
    variance_reduction,
)

PANDALM = Path(__file__).parents[3] / "shared" / "data" / "pandalm" / "testset_v1_judgments.csv"


@pytest.fixture(scope="module")
def pandalm():
    if not PANDALM.is_file():
        pytest.skip("the published results are not beside this checkout")
    text = np.genfromtxt(PANDALM, delimiter=",", dtype=str, skip_header=1)
    people = text[:, 3:6].astype(int)
    return people, text[:, 6], text[:, 7]


def crossed(a, b):
    table = np.zeros((3, 3), dtype=int)
    np.add.at(table, (a, b), 1)
    return table


def test_agreement_of_pandalms_people(pandalm):
    """Their README: .85, .88, .86 by Cohen's kappa."""
    people, _, _ = pandalm
    found = [
        cohen_kappa(crossed(people[:, i], people[:, j])).estimate
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert sorted(round(kappa, 2) for kappa in found) == [0.85, 0.86, 0.88]
    assert sorted(found) == pytest.approx([0.852, 0.862, 0.879], abs=5e-4)


def test_judges_against_pandalms_people(pandalm):
    """Accuracies of their paper; GPT-3.5 answers that name no winner count as a tie."""
    people, gpt, pandalm_7b = pandalm
    majority = np.array([np.bincount(row, minlength=3).argmax() for row in people])
    assert np.bincount(majority).tolist() == [105, 422, 472]
    judged = np.array([int(x) if x in {"0", "1", "2"} else 0 for x in gpt])
    assert np.mean(judged == majority) == pytest.approx(0.7107, abs=5e-5)
    assert np.mean(pandalm_7b.astype(int) == majority) == pytest.approx(0.6677, abs=5e-5)
    trusted = cohen_kappa(crossed(judged, majority))
    assert trusted.low < trusted.estimate < trusted.high < 0.85


def test_a_panel_of_pandalms_people_prefers_as_they_do(pandalm):
    people, _, _ = pandalm
    settled = people[(people > 0).all(axis=1)]
    panel = panel_verdict(settled == 1, rule="majority")
    assert panel.mean == pytest.approx(np.mean((settled == 1).sum(axis=1) >= 2))
    assert panel.sensitivity < 0.05
    assert (panel.correlation > 0.8).all()


def test_millers_worked_numbers():
    """Miller (2024), section 5: 969 questions; 13.2 % and 7.5 % (truncated there) at 198."""
    plan = power_plan(effect=0.03, omega2=1 / 9)
    assert plan.tasks == 969
    assert plan.tasks_exact == pytest.approx(968.998, abs=1e-3)
    given = {"tasks": 198, "omega2": 1 / 9, "sigma2_a": 1 / 6, "sigma2_b": 1 / 6}
    assert minimum_detectable_effect(**given) == pytest.approx(0.1327, abs=5e-5)
    ten = minimum_detectable_effect(**given, repeats_a=10, repeats_b=10)
    assert ten == pytest.approx(0.0757, abs=5e-5)


def test_millers_resampling_removes_what_he_says():
    """His example: uniform difficulty, variance 1/12 between and 1/6 within; K = 2, 4, 6 remove a
    third, a half and five ninths."""
    kept = {"var_between": 1 / 12, "var_within": 1 / 6}
    found = [variance_reduction(**kept, repeats=k) for k in (2, 4, 6)]
    assert found == pytest.approx([1 / 3, 1 / 2, 5 / 9])
