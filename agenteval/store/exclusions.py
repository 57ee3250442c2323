"""What people left out of every rate, as readers see it: voids.jsonl and quarantine.toml."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import duckdb

from agenteval.errors import RecordError, StoreError
from agenteval.records import (
    QuarantinedTask,
    StoreFolder,
    Void,
    column_names,
    read_objects,
    read_quarantine,
    read_remark,
)
from agenteval.store.journals import POSITION

_CHANGED = {
    "status": "'skipped'",
    "passed": "null",
    "score": "null",
    "error_class": "case when x.voided is not null then 'voided' else 'quarantined' end",
    "error_message": "coalesce(x.voided, x.quarantined)",
}


@dataclass(frozen=True)
class Exclusions:
    """Voids in force and quarantined tasks; equal for two looks when the same is left out."""

    voids: tuple[Void, ...] = ()
    quarantined: tuple[QuarantinedTask, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.voids or self.quarantined)


def read_exclusions(folder: StoreFolder) -> Exclusions:
    """Read what is left out of a store.

    Raises
    ------
    StoreError
        When one of the files cannot be read: a rate that should leave something out must not be
        shown as if it did.
    """
    try:
        return Exclusions(
            tuple(voids_in_force(read_voids(folder))), read_quarantine(folder.quarantine)
        )
    except RecordError as error:
        raise StoreError(error.what, error.where, error.fix) from error


def read_voids(folder: StoreFolder) -> list[Void]:
    """All lines of voids.jsonl, in order; a torn last line was never promised to anybody.

    Raises
    ------
    RecordError
        For a whole line that is no void.
    """
    if not folder.voids.exists():
        return []
    lines = enumerate(read_objects(folder.voids), start=1)
    return [read_remark(Void, line, f"{folder.voids}:{number}") for number, line in lines]


def voids_in_force(voids: Iterable[Void]) -> list[Void]:
    """The last word on each run or trial, where it is not taken back."""
    last = {void.target: void for void in voids}
    return [void for void in last.values() if not void.undone]


def exclude(connection: duckdb.DuckDBPyConnection, source: str, exclusions: Exclusions) -> str:
    """Give the query of trials in which what is left out is skipped, and keeps its cost.

    Tables of what is left out are made beside `source`; its columns stay as they are.
    """
    if not exclusions:
        return f"select * from {source}"
    connection.execute("create table sources.voids (run_id text, trial_id text, reason text)")
    connection.execute("create table sources.quarantine (suite text, task_id text, reason text)")
    for void in exclusions.voids:
        row = [void.run_id, void.trial_id, void.reason]
        connection.execute("insert into sources.voids values (?, ?, ?)", row)
    for task in exclusions.quarantined:
        row = [task.suite, task.id, task.told]
        connection.execute("insert into sources.quarantine values (?, ?, ?)", row)
    left_out = "x.voided is not null or x.quarantined is not null"
    selected = [
        f"case when {left_out} then {_CHANGED[name]} else x.{name} end as {name}"
        if name in _CHANGED
        else f"x.{name}"
        for name in [*column_names("trials"), POSITION]
    ]
    return f"""
    select {", ".join(selected)} from (
      select t.*, coalesce(own.reason, whole.reason) as voided,
        coalesce(here.reason, anywhere.reason) as quarantined
      from {source} t
        left join sources.voids own on own.run_id = t.run_id and own.trial_id = t.trial_id
        left join sources.voids whole on whole.run_id = t.run_id and whole.trial_id is null
        left join sources.quarantine here on here.task_id = t.task_id and here.suite = t.suite
        left join sources.quarantine anywhere
          on anywhere.task_id = t.task_id and anywhere.suite is null
    ) x"""
