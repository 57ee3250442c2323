"""Tags on trials and looks at the holdout: what people add, read as tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from agenteval.errors import InvalidInput, RecordError, StoreError
from agenteval.records import (
    HOLDOUT,
    HOLDOUT_LOOKS,
    Look,
    StoreFolder,
    Tag,
    read_objects,
    read_remark,
)
from agenteval.records.rows import Row
from agenteval.store.filters import OneOrMore, Since, as_list
from agenteval.store.ledger import append_line, held_ledger
from agenteval.store.reading import trial_keys

R = TypeVar("R", bound=Row)
_DTYPES: dict[str, Any] = {
    "at": "datetime64[us, UTC]",
    "run_id": pd.StringDtype(na_value=np.nan),
    "trial_id": pd.StringDtype(na_value=np.nan),
    "text": pd.StringDtype(na_value=np.nan),
    "step": pd.Int64Dtype(),
    "suites": "object",
    "runs": "object",
    "tasks": pd.Int64Dtype(),
    "trials": pd.Int64Dtype(),
}


class _Store(Protocol):
    @property
    def path(self) -> Path: ...

    def trials(
        self, *, run: OneOrMore, suite: OneOrMore, arm: OneOrMore, since: Since
    ) -> pd.DataFrame: ...


class Remarks:
    """The part of a store that people write by hand."""

    def tags(
        self: _Store, trials: pd.DataFrame | None = None, *, run: OneOrMore = None
    ) -> pd.DataFrame:
        """One row a tag in force, oldest first: `at, run_id, trial_id, text, step`.

        Parameters
        ----------
        trials
            Keeps those of a trial table.
        run
            One run or several; all when None.

        Raises
        ------
        StoreError
            When a line of tags.jsonl is no tag.
        """
        last = {tag.target: tag for tag in read_ledger(StoreFolder(self.path).tags, Tag)}
        kept = [tag for tag in last.values() if not tag.undone]
        if run is not None:
            wanted = set(as_list(run))
            kept = [tag for tag in kept if tag.run_id in wanted]
        if trials is not None:
            keys = trial_keys(trials)
            pairs = set(zip(*(column.to_pylist() for column in keys.columns), strict=True))
            kept = [tag for tag in kept if (tag.run_id, tag.trial_id) in pairs]
        return _frame(kept, ["at", "run_id", "trial_id", "text", "step"])

    def looks(self: _Store) -> pd.DataFrame:
        """One row a look at the holdout, oldest first: `at, suites, runs, tasks, trials`.

        Raises
        ------
        StoreError
            When a line of looks.jsonl is no look.
        """
        found = read_ledger(StoreFolder(self.path).looks, Look)
        return _frame(found, ["at", "suites", "runs", "tasks", "trials"])

    def holdout(
        self: _Store,
        *,
        run: OneOrMore = None,
        suite: OneOrMore = None,
        arm: OneOrMore = None,
        since: Since = None,
    ) -> pd.DataFrame:
        """Look at the trials of holdout tasks, and count the look.

        Scoreboards and comparisons leave holdout tasks out of any other trial table. Every look
        spends some of what a holdout is for, so each is written down in looks.jsonl, and tables made
        from it say how often it was looked at.

        Parameters
        ----------
        run, suite, arm, since
            As for `trials`.

        Raises
        ------
        StoreError
            When the look cannot be written down: then nothing is shown.
        """
        frame = self.trials(run=run, suite=suite, arm=arm, since=since)
        rows = frame[(frame["split"] == HOLDOUT).to_numpy(bool, na_value=False)]
        rows = rows.reset_index(drop=True)
        path = StoreFolder(self.path).looks
        seen = len(read_ledger(path, Look))
        if len(rows):
            look = Look(
                at=datetime.now(UTC),
                suites=sorted(rows["suite"].unique().tolist()),
                runs=sorted(rows["run_id"].unique().tolist()),
                tasks=len(rows[["suite", "task_id"]].drop_duplicates()),
                trials=len(rows),
            )
            with held_ledger(path, "look at the holdout") as file:
                append_line(file, look.model_dump_json().encode())
            seen += 1
        rows.attrs[HOLDOUT_LOOKS] = seen
        return rows


def add_tag(
    path: Path,
    row: dict[str, Any],
    text: str,
    *,
    step: int | None,
    steps: Sequence[int],
    undo: bool,
) -> Tag:
    """Write one tag on a trial durably.

    Raises
    ------
    InvalidInput
        For a blank text, a step that the trial does not have, or nothing to take back.
    StoreError
        When it cannot be written.
    """
    where = f"trial {row['trial_id']}"
    if not (isinstance(text, str) and text.strip()):
        fix = 'say what was seen, as in trial.tag("stopped before testing")'
        raise InvalidInput("The tag is empty", where, fix)
    if step is not None and step not in steps:
        known = f"its steps run from {min(steps)} to {max(steps)}" if len(steps) else "it kept none"
        raise InvalidInput(f"The trial has no step {step}", f"{where}: {known}", "leave out step=")
    folder = StoreFolder(path)
    said = Tag(
        at=datetime.now(UTC),
        run_id=row["run_id"],
        trial_id=row["trial_id"],
        text=" ".join(text.split()),
        step=step,
        undone=undo,
    )
    with held_ledger(folder.tags, "tag") as file:
        last = {tag.target: tag for tag in read_ledger(folder.tags, Tag)}.get(said.target)
        stands = last is not None and not last.undone
        if undo and not stands:
            raise InvalidInput("There is no such tag to take back", where, "see trial.tags")
        if undo or not stands:
            append_line(file, said.model_dump_json().encode())
    return said


def read_ledger(path: Path, model: type[R]) -> list[R]:
    """Read all lines of a ledger; a torn last line was never promised to anybody.

    Raises
    ------
    StoreError
        For a whole line that is none of the model's.
    """
    if not path.exists():
        return []
    try:
        lines = enumerate(read_objects(path), start=1)
        return [read_remark(model, line, f"{path}:{number}") for number, line in lines]
    except RecordError as error:
        raise StoreError(error.what, error.where, error.fix) from error


def _frame(rows: Sequence[Row], names: list[str]) -> pd.DataFrame:
    columns = {
        name: pd.Series([getattr(row, name) for row in rows], dtype=_DTYPES[name]) for name in names
    }
    return pd.DataFrame(columns)
