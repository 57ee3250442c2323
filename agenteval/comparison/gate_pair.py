"""What a gate says of two sides: regressed, improved, equivalent, non-inferior or undecided."""

from __future__ import annotations

from agenteval.comparison.pairing import Pair
from agenteval.stats import GateVerdict, gate_verdict, newcombe_cluster_difference
from agenteval.stats.gate import GATE_LEVEL


def gate_of_pair(pair: Pair, *, margin: float = 0.05, min_effect: float = 0.0) -> GateVerdict:
    """Judge the difference of two sides on their common tasks by its 90 % interval.

    Parameters
    ----------
    pair
        The sides.
    margin
        Largest acceptable loss, as a share.
    min_effect
        A shown regression smaller than this does not fail.
    """
    found = newcombe_cluster_difference(
        pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b, level=GATE_LEVEL
    )
    return gate_verdict(found, margin=margin, min_effect=min_effect)
