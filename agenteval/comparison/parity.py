"""What differs between two sides' records, and whether comparing them is fair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.pairing import Pair, find_side, pair_groups, side_name
from agenteval.comparison.parity_checks import CHECKS
from agenteval.comparison.parity_finding import Finding, Side
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import count_of, listed
from agenteval.errors import InvalidInput, NotEnoughData

DTYPES: dict[str, str] = {
    "property": "str", "value_baseline": "str", "value_candidate": "str", "same": "bool",
    "severity": "str", "affects": "str", "meaning": "str",
}  # fmt: skip
SEVERITIES = ("unfair", "caution", "intended", "same")


@dataclass(frozen=True, kw_only=True, eq=False)
class Parity(Result):
    """The table of `parity`."""

    @property
    def fair(self) -> bool:
        """Whether nothing makes the comparison of pass rates unfair."""
        bad = (self.table["severity"] == "unfair") & (self.table["affects"] == "pass rate")
        return not bad.any()

    @property
    def verdict(self) -> str:
        """Whether the comparison is fair, in words."""
        if self.table["severity"].isin(["same", "intended"]).all():
            return "Nothing recorded speaks against the comparison."
        rows = self.table[self.table["severity"].isin(["unfair", "caution"])]
        said = " ".join(dict.fromkeys(rows["meaning"]))
        if not self.fair:
            return f"Not a fair comparison. {said}"
        if (rows["severity"] == "unfair").any():
            return f"Pass rates can be compared, with limits. {said}"
        return f"Fair, with cautions. {said}"

    def remarks(self) -> tuple[str, ...]:
        """Return the verdict, then what has to be said beside it."""
        return (self.verdict, *self.notes)

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        rows = [
            [
                str(row["candidate"]),
                row["property"],
                row["value_baseline"],
                row["value_candidate"],
                row["severity"],
            ]
            for row in self.table.to_dict("records")
            if row["severity"] != "same"
        ]
        same = int((self.table["severity"] == "same").sum())
        title = f"Parity: what differs ({same} of {len(self.table)} properties are the same)"
        return Sheet(title, ["candidate", "property", "baseline", "its value", "severity"], rows, 2)


def parity(trials: TrialsLike, *, baseline: Any, candidate: Any = None, by: str = "arm") -> Parity:
    """List what differs between the sides besides what was meant to differ.

    Read it before the difference: it says whether a difference in pass rate can be put down to the
    arm, and whether times and costs were taken under the same conditions.

    Parameters
    ----------
    trials, baseline, candidate, by
        As for `head_to_head`.

    Returns
    -------
    Parity
        `.verdict` in words, `.fair`, and `.table` with one row a candidate and property:
        `property`, `value_baseline`, `value_candidate`, `same`, `severity` (`unfair`: do not compare
        what it affects; `caution`; `intended`: agent, model and variant, which is what an arm is;
        `same`), `affects` (`pass rate`, `time`, `cost`), `meaning` (one sentence when it matters). A
        property that neither side recorded is left out.

    Raises
    ------
    InvalidInput
        For a side that is not there.
    NotEnoughData
        When there is nothing to compare with.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": ["a", "b"], "task_id": "t", "passed": True, "status": "pass"})
    >>> trials["concurrent_trials"] = [1, 8]
    >>> print(parity(trials, baseline="a").verdict)
    Pass rates can be compared, with limits. b ran 8.0 at once, a 1.0: times are not comparable.
    """
    table = read_trials(trials, by=by)
    cells = cells_of(table)
    a = find_side(table, baseline, "baseline")
    others = (
        range(len(table.groups))
        if candidate is None
        else [find_side(table, candidate, "candidate")]
    )
    sides = [b for b in others if b != a]
    if not sides:
        only = side_name(table, a)
        if candidate is not None:
            fix = "name two different sides"
            raise InvalidInput(
                f"baseline and candidate are both {only!r}", "argument candidate", fix
            )
        raise NotEnoughData(f"there is only {only!r}", f"column {by}", "run a second arm")
    rows = [row for b in sides for row in _rows(table, pair_groups(table, cells, a, b))]
    frame = pd.DataFrame(rows, columns=["baseline", "candidate", *DTYPES])
    frame = frame.astype({k: v for k, v in DTYPES.items() if k in frame})
    return Parity(table=frame, notes=table.said)


def _rows(table: TrialTable, pair: Pair) -> Iterator[dict[str, Any]]:
    a, b = (
        Side(str(name), table.keep(table.group == group))
        for name, group in ((pair.baseline, pair.group_a), (pair.candidate, pair.group_b))
    )
    for finding in [*_task_findings(table, pair), *_record_findings(a, b)]:
        yield {"baseline": pair.baseline, "candidate": pair.candidate, **vars(finding)}


def _record_findings(a: Side, b: Side) -> Iterator[Finding]:
    for check in CHECKS:
        yield from check(a, b)


def _task_findings(table: TrialTable, pair: Pair) -> Iterator[Finding]:
    names = table.tasks["task_id"]
    a = np.setdiff1d(pair.dropped_a, pair.changed)
    b = np.setdiff1d(pair.dropped_b, pair.changed)
    common = len(pair.task) + len(pair.changed)
    alone = len(a) + len(b)
    yield Finding(
        property="tasks graded",
        value_baseline=f"{common + len(a)}",
        value_candidate=f"{common + len(b)}",
        same=alone == 0,
        severity="caution" if alone else "same",
        affects="pass rate",
        meaning=f"{count_of(alone, 'task')} graded on one side only ({listed(names.iloc[np.union1d(a, b)])}), "
        "so overall rates are not of the same tasks."
        if alone
        else "",
    )
    if "task_digest" not in table.frame.columns:
        return
    changed = len(pair.changed)
    yield Finding(
        property="task versions",
        value_baseline=f"{common} task{'' if common == 1 else 's'}",
        value_candidate=f"{changed} changed",
        same=changed == 0,
        severity="unfair" if changed else "same",
        affects="pass rate",
        meaning=f"{count_of(changed, 'task')} changed between the sides "
        f"({listed(names.iloc[pair.changed])}): only head_to_head, which drops them, is fair."
        if changed
        else "",
    )
