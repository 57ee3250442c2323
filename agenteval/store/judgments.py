"""Judgments and labels: what models and people said of trials, read as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pandas as pd
import pyarrow as pa

from agenteval.errors import InvalidInput
from agenteval.records import (
    JUDGMENTS,
    Judgment,
    JudgmentRow,
    Label,
    LabelRow,
    RunFolder,
    StoreFolder,
    column_names,
)
from agenteval.store.filters import OneOrMore, as_list
from agenteval.store.frames import arrow_schema, table_frame
from agenteval.store.ledger import append_line, held_ledger
from agenteval.store.reading import Reader, trial_keys
from agenteval.store.remarks import read_ledger

_JUDGED = """
select distinct run_id, trial_id, attempt, grading from (
  select run_id, trial_id, attempt, grading from sources.checks where kind = 'judge'
  union all
  select run_id, trial_id, attempt, grading from sources.attempts
  where error_class = 'judge_provider_down'
) order by all"""
Place = tuple[str, str, int, int]


class _Store(Protocol):
    _reader: Reader

    @property
    def path(self) -> Path: ...


class Opinions:
    """The part of a store that holds what models and people said of its trials."""

    def judgments(
        self: _Store, trials: pd.DataFrame | None = None, *, run: OneOrMore = None
    ) -> pd.DataFrame:
        """One row a sample of a judge, whether made while grading or in a rejudging; oldest first.

        Nothing is ever overwritten: `judging` says which judging a row belongs to, and `grading`
        which grading.

        Parameters
        ----------
        trials
            Keeps those of a trial table.
        run
            One run or several; all when None.

        Raises
        ------
        StoreError
            When a line is no judgment.
        """
        wanted = None if run is None else as_list(run)
        snapshot = self._reader.snapshot(wanted)
        places: list[Place] = self._reader.ask(
            lambda connection: connection.execute(_JUDGED).fetchall(), runs=wanted
        )
        folder = StoreFolder(self.path)
        rows = read_judgments(snapshot.folders, places, folder)
        return _frame(_kept(rows, trials, wanted), "judgments")

    def labels(
        self: _Store, trials: pd.DataFrame | None = None, *, run: OneOrMore = None
    ) -> pd.DataFrame:
        """One row a person, trial and rubric: the last label in force; oldest first.

        Parameters
        ----------
        trials
            Keeps those of a trial table.
        run
            One run or several; all when None.

        Raises
        ------
        StoreError
            When a line of labels.jsonl is no label.
        """
        wanted = None if run is None else as_list(run)
        rows = labels_in_force(StoreFolder(self.path))
        return _frame(_kept(rows, trials, wanted), "labels")


def read_judgments(
    folders: dict[str, RunFolder], places: Iterable[Place], store: StoreFolder
) -> list[Judgment]:
    """All judgments: those in the artifacts of gradings, and those added to the store."""
    found: list[Judgment] = []
    for run_id, trial_id, attempt, grading in places:
        if run_id not in folders:
            continue
        folder = folders[run_id].grading(trial_id, attempt, grading)
        own = {"run_id": run_id, "trial_id": trial_id, "attempt": attempt, "grading": grading}
        # where a file lies says whose it is, which a copied folder cannot get wrong
        found += [row.model_copy(update=own) for row in read_ledger(folder / JUDGMENTS, Judgment)]
    found += read_ledger(store.judgments, Judgment)
    return sorted(found, key=lambda row: row.at)


def labels_in_force(store: StoreFolder) -> list[Label]:
    """The last thing each person said of each trial, unless it was taken back."""
    last: dict[Any, Label] = {}
    for label in read_ledger(store.labels, Label):
        last.pop(label.target, None)
        last[label.target] = label
    return [label for label in last.values() if not label.undone]


def add_judgments(store_path: Path, rows: Sequence[Judgment]) -> None:
    """Append judgments durably to the store's judgments.jsonl; what is there stays.

    Raises
    ------
    StoreError
        When they cannot be written.
    """
    with held_ledger(StoreFolder(store_path).judgments, "judgment") as file:
        for row in rows:
            append_line(file, row.model_dump_json().encode("utf-8", "replace"))


def add_label(
    path: Path,
    row: dict[str, Any],
    passed: bool | None,  # noqa: FBT001 - what is said, not a switch
    *,
    annotator: str,
    score: float | None,
    rubric: str | None,
    note: str | None,
    undo: bool,
) -> Label:
    """Write one person's label of a trial durably.

    Raises
    ------
    InvalidInput
        Without an annotator, without anything said, for a score outside 0 to 1, or when there is
        nothing to take back.
    StoreError
        When it cannot be written.
    """
    where, folder = f"trial {row['trial_id']}", StoreFolder(path)
    if not (isinstance(annotator, str) and annotator.strip()):
        raise InvalidInput("A label needs a person", where, 'say who, as in by="ada"')
    if not undo and passed is None and score is None:
        raise InvalidInput("The label says nothing", where, "give passed=True or False, or a score")
    if score is not None and not 0 <= score <= 1:
        raise InvalidInput(
            f"The score {score} is outside 0 to 1", where, "give a number from 0 to 1"
        )
    said = Label(
        at=datetime.now(UTC),
        run_id=row["run_id"],
        trial_id=row["trial_id"],
        annotator=annotator.strip(),
        passed=None if undo else passed,
        score=None if undo else score,
        rubric=rubric,
        note=note,
        undone=undo,
    )
    with held_ledger(folder.labels, "label") as file:
        if undo and all(label.target != said.target for label in labels_in_force(folder)):
            raise InvalidInput("There is no such label to take back", where, "see trial.labels")
        append_line(file, said.model_dump_json().encode("utf-8", "replace"))
    return said


def register_opinions(
    connection: duckdb.DuckDBPyConnection, folders: dict[str, RunFolder], store: StoreFolder
) -> None:
    """Make the views `judgments` and `labels` in a connection over the store."""
    places: list[Place] = connection.execute(_JUDGED).fetchall()
    rows: dict[str, list[Any]] = {
        "judgments": read_judgments(folders, places, store),
        "labels": labels_in_force(store),
    }
    for table, found in rows.items():
        connection.register(f"incoming_{table}", _arrow(found, table))
        connection.execute(f"create table {table} as select * from incoming_{table}")
        connection.unregister(f"incoming_{table}")


def _kept(
    rows: Sequence[Any], trials: pd.DataFrame | None, runs: Sequence[str] | None
) -> list[Any]:
    kept = [row for row in rows if runs is None or row.run_id in runs]
    if trials is not None:
        keys = trial_keys(trials)
        pairs = set(zip(*(column.to_pylist() for column in keys.columns), strict=True))
        kept = [row for row in kept if (row.run_id, row.trial_id) in pairs]
    return kept


def _frame(rows: Sequence[JudgmentRow | LabelRow], table: str) -> pd.DataFrame:
    return table_frame(_arrow(rows, table), table)


def _arrow(rows: Sequence[JudgmentRow | LabelRow], table: str) -> pa.Table:
    names = set(column_names(table))
    dumped = [row.model_dump(include=names) for row in rows]
    return pa.Table.from_pylist(dumped, schema=arrow_schema(table))
