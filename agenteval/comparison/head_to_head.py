"""Is the candidate better than the baseline, by how much, and how sure is that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.difference_rows import difference_rows, pairing_notes
from agenteval.comparison.head_to_head_result import DTYPES, HeadToHead
from agenteval.comparison.pairing import (
    pair_groups,
    require_common_tasks,
    rows_of_sides,
    sides_of,
)
from agenteval.comparison.trial_table import TrialsLike, as_frame, read_trials
from agenteval.comparison.verdict import decide_verdict
from agenteval.errors import InvalidInput
from agenteval.stats import adjust_p_values

Adjust = Literal["holm", "bh", "none"]


def head_to_head(
    trials: TrialsLike,
    *,
    baseline: Any,
    candidate: Any = None,
    by: str = "arm",
    level: float = 0.95,
    margin: float = 0.05,
    adjust: Adjust | None = None,
    cache_premium_usd: Mapping[str, float] | None = None,
) -> HeadToHead:
    """Compare a candidate with a baseline on the tasks both were graded on.

    The independent unit is the task. The difference is that of the task means, its interval the
    generalised Newcombe one (95.8 % simulated coverage on average, 94.2 % at worst), its p-value the
    sign-flip mid-p. Verdicts, in this order:

    - `cannot tell` when the tasks are so few that no outcome could reach 1 - level (fewer than 5 at
      95 %);
    - `better` (`worse`) when the interval lies above (below) zero **and** the p-value, adjusted for
      the number of candidates, is at most 1 - level;
    - `cannot tell` when the interval holds both a loss and a gain larger than `margin`: the minimum
      detectable effect is then larger than the margin;
    - `no difference shown` otherwise. It does not mean that there is none.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    baseline
        Name of the side to compare with; None compares all pairs.
    candidate
        Name of the other side; None takes all others.
    by
        Column that names the sides: `arm`, or `run_id`, `model`, `variant` and so on.
    level
        Level of the intervals, in (0, 1).
    margin
        Difference that would matter, as a share (0.05 is five points).
    adjust
        `holm`, `bh` or `none`; by default Holm against one baseline and Benjamini-Hochberg for all
        pairs. The family is the rows of the table.
    cache_premium_usd
        US dollars by which a token written to the cache costs more than one read from it, by model:
        with it the cost ratio is given again as if no trial's first request had found a warm cache.

    Returns
    -------
    HeadToHead
        `.verdict` in words, `.flips` by task, and `.table` with one row a candidate:

        - `tasks` in common, counted `trials_baseline` and `trials_candidate` on them, `rate_*`;
        - `difference` (candidate - baseline) with `low`, `high`, `level`, `method`; `pvalue`,
          `pvalue_adjusted`, `verdict`;
        - `margin`; `mde`, the difference this size detects with probability 0.8; `tasks_needed` (at
          these repeats) and `repeats_needed` (on these tasks; NA when no number would do) to detect
          the margin;
        - `tasks_dropped_*`: graded on that side but not compared, because the other side lacks them
          or they changed; `left_out_*`: trials left out of the rate on that side;
        - `cost_ratio`, `time_ratio`: candidate over baseline, geometric mean over `cost_tasks` and
          `time_tasks` tasks with values above zero on both sides, with t limits on the logarithms
          (95.0 to 96.7 % simulated); NaN when unknown. `cache_neutral_ratio` is the cost ratio with
          first-request cache reads priced as writes. `time_column` says which time.

    Raises
    ------
    InvalidInput
        For a side that is not there, sides that are the same, a margin that is not positive.
    NotEnoughData
        When two sides have no graded task in common, or there is nothing to compare with.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(arm, task, arm == "v2") for arm in ("base", "v2") for task in "abcdefgh"]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> print(head_to_head(trials, baseline="base", candidate="v2").verdict)
    v2 passes 100.0 points more than base (95 % interval 54.1 to 100.0, 8 tasks x 1): better.
    """
    if not (isinstance(margin, int | float) and 0 < margin < 1):
        fix = "pass a share such as 0.05 for five points"
        raise InvalidInput(f"margin is {margin!r}", "argument margin", fix)
    if adjust not in (None, *get_args(Adjust)):
        fix = f"choose one of {', '.join(get_args(Adjust))}"
        raise InvalidInput(f"adjust is {adjust!r}", "argument adjust", fix)
    frame = as_frame(trials)
    table = read_trials(rows_of_sides(frame, by, baseline, candidate), by=by)
    cells = cells_of(table)
    sides = sides_of(table, baseline, candidate)
    pairs = tuple(pair_groups(table, cells, a, b) for a, b in sides)
    for pair in pairs:
        require_common_tasks(table, pair)
    rows = difference_rows(
        table, cells, pairs, level=level, margin=margin, premiums=cache_premium_usd
    )
    method = adjust or ("bh" if baseline is None else "holm")
    p_values = [row["pvalue"] for row in rows]
    adjusted = p_values if method == "none" else adjust_p_values(p_values, method=method)
    for row, p in zip(rows, adjusted, strict=True):
        row["pvalue_adjusted"] = float(p)
        row["verdict"] = decide_verdict(
            tasks=row["tasks"],
            low=row["low"],
            high=row["high"],
            pvalue=row["pvalue_adjusted"],
            alpha=1 - level,
            margin=margin,
        )
    numbers = pd.DataFrame(rows)[["baseline", "candidate", *DTYPES]].astype(DTYPES)
    return HeadToHead(
        table=numbers,
        notes=(*table.said, *pairing_notes(table, pairs)),
        by=by,
        baseline=baseline,
        candidate=candidate,
        level=level,
        margin=margin,
        adjust=method,
        trials=frame.copy(deep=False),
        pairs=pairs,
    )
