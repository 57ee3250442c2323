"""What is asked of a gate: modes, margins, tolerances and limits, checked before anything is compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches

from agenteval.comparison.dimensions import Measure
from agenteval.comparison.gate_dimension import MODES, Mode, Rule
from agenteval.errors import InvalidInput


def rules_of(
    measures: tuple[Measure, ...],
    tolerances: Mapping[str, float],
    mode: Mode,
    margin: float,
    min_effect: float,
) -> dict[str, Rule]:
    """Check what was asked for and give each dimension its rule.

    Raises
    ------
    InvalidInput
        For an unknown dimension or mode, or a number that means nothing.
    """
    names = [measure.name for measure in measures]
    if mode not in MODES:
        raise InvalidInput(f"there is no mode {mode!r}", "mode", f"use one of {', '.join(MODES)}")
    for name, value in tolerances.items():
        if name not in names:
            near = get_close_matches(name, names, n=1)
            fix = f"write {near[0]}" if near else f"use one of {', '.join(names)}"
            raise InvalidInput(f"there is no dimension {name!r}", f"tolerance {name}", fix)
        if not _finite(value) or value < 0:
            fix = "give a finite number of at least 0, in the dimension's unit"
            raise InvalidInput(f"the tolerance is {value!r}", f"tolerance {name}", fix)
    if not _finite(margin) or margin <= 0:
        raise InvalidInput(f"the margin is {margin!r}", "margin", "give a number above 0")
    if not _finite(min_effect) or min_effect < 0:
        fix = "give a finite number of at least 0"
        raise InvalidInput(f"the smallest effect is {min_effect!r}", "min_effect", fix)
    return {name: Rule(mode, margin, min_effect, tolerances.get(name, 0.0)) for name in names}


def _finite(value: object) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and math.isfinite(float(str(value)))


def check_limits(max_regressions: int | None, min_pass_rate: float | None) -> None:
    """Refuse limits that mean nothing."""
    if max_regressions is not None and max_regressions < 0:
        fix = "give a whole number of at least 0"
        raise InvalidInput(f"max_regressions is {max_regressions}", "max_regressions", fix)
    if min_pass_rate is not None and not (_finite(min_pass_rate) and 0 <= min_pass_rate <= 1):
        fix = "give a share from 0 to 1"
        raise InvalidInput(f"min_pass_rate is {min_pass_rate!r}", "min_pass_rate", fix)
