"""One run: what was planned, how far it is, and what its arms came to."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from agenteval.errors import StoreError
from agenteval.store.display import table_html

if TYPE_CHECKING:
    from agenteval.store.store import Store

_STATUSES = ("pass", "fail", "error", "skipped")


class RunView:
    """A run as the store has it; every property looks anew, also while the run goes on.

    Attributes
    ----------
    id
        Id of the run.
    row
        Its row of `runs`; None is unknown.
    """

    def __init__(self, store: Store, row: dict[str, Any]) -> None:
        self._store = store
        self.id: str = row["run_id"]
        self.row = row

    @property
    def trials(self) -> pd.DataFrame:
        """Its trials so far, as `store.trials` gives them."""
        return self._store.trials(run=self.id)

    @property
    def tasks(self) -> pd.DataFrame:
        """Its tasks, as `store.tasks` gives them."""
        return self._store.tasks(run=self.id)

    @property
    def outcomes(self) -> pd.DataFrame:
        """One row an arm: `arm, trials, pass, fail, error, skipped, cost_usd` (NaN where unknown).

        These are counts of trials; rates with intervals are what `ae.scoreboard(run.trials)` gives.
        """
        trials = self.trials
        counts = pd.crosstab(trials["arm"], trials["status"]).reindex(
            columns=list(_STATUSES), fill_value=0
        )
        costs = trials.groupby("arm")["all_attempts_cost_usd"].sum(min_count=1)
        table = counts.assign(cost_usd=costs).reset_index()
        table.insert(1, "trials", table[list(_STATUSES)].sum(axis="columns"))
        table.columns.name = None
        return table

    def __repr__(self) -> str:
        return f"<Run {self.id}: suite {self.row['suite']}, {len(self.trials)} of {self.row['planned_trials']} trials>"

    def _repr_html_(self) -> str:
        table = self.outcomes
        facts = [
            f"suite <b>{escape(self.row['suite'])}</b>",
            f"{table['trials'].sum()} of {self.row['planned_trials']} trials",
            f"{len(table)} arms",
            f"planned {self.row['created_at']:%Y-%m-%d %H:%M} UTC",
        ]
        if self.row["source"] != "engine":
            facts.append(f"from {escape(self.row['source'])}")
        shown = table.assign(
            cost_usd=["–" if pd.isna(cost) else f"${cost:.2f}" for cost in table["cost_usd"]]
        ).rename(columns={"cost_usd": "cost"})
        return f"<div><b>Run</b> {escape(self.id)}: {', '.join(facts)}{table_html(shown)}</div>"


class HasRuns:
    """The part of a store that looks at one run."""

    def run(self, run_id: str | None = None) -> RunView:
        """Look at one run.

        Parameters
        ----------
        run_id
            Its id; the newest when None.

        Raises
        ------
        StoreError
            When it is not in the store, or the store holds none.
        """
        store = cast("Store", self)
        name = run_id or self.newest_run()
        store.run_folder(name)  # names the nearest ids where there is none
        runs = store.runs()
        row = runs[runs["run_id"] == name].to_dict("records")[0]
        return RunView(
            store, {key: None if _unknown(value) else value for key, value in row.items()}
        )

    def newest_run(self) -> str:
        """Id of the run that was planned last.

        Raises
        ------
        StoreError
            When the store holds no run.
        """
        store = cast("Store", self)
        runs = store.runs()
        if runs.empty:
            raise StoreError(
                "The store holds no runs yet",
                str(store.path),
                "run a suite with `agenteval run`, or import results with `agenteval import`",
            )
        return str(runs["run_id"].iloc[-1])


def _unknown(value: Any) -> bool:
    return value is None or (not isinstance(value, list) and bool(pd.isna(value)))
