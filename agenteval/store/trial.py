"""One trial: what was asked, what came of it, what was changed, and every file kept of it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd

from agenteval.errors import StoreError
from agenteval.records import ANSWER, PATCH, PROMPT, STDERR, STDOUT, RunFolder, column_names
from agenteval.store.display import outcome_text, trial_html
from agenteval.store.judgments import add_label
from agenteval.store.remarks import add_tag

if TYPE_CHECKING:
    from agenteval.store.store import Store

CHECKS, REGRADED = "checks/", "grading-"


def find_trial(connection: duckdb.DuckDBPyConnection, trial_id: str, path: Path) -> dict[str, Any]:
    """Return the row of the trial whose id is, or begins with, `trial_id`.

    Raises
    ------
    StoreError
        When there is no such trial, or several.
    """
    query = "select run_id, trial_id from trials where {} order by trial_id, run_id limit 4"
    found = _fetch(connection, query.format("trial_id = $id"), trial_id)
    if not found and trial_id:
        found = _fetch(connection, query.format("starts_with(trial_id, $id)"), trial_id)
    if not found:
        near = _fetch(
            connection,
            "select run_id, trial_id from trials order by levenshtein(trial_id, $id), trial_id limit 3",
            trial_id,
        )
        fix = f"use one of {_names(near)}" if near else "the store holds no trials yet"
        raise StoreError(f"The store has no trial {trial_id!r}", str(path), fix)
    if len(found) > 1:
        more = ", ..." if len(found) > 3 else ""
        raise StoreError(
            f"{trial_id!r} is the beginning of several trials",
            str(path),
            f"write more of the id: {_names(found[:3])}{more}",
        )
    relation = connection.sql(
        f"select {', '.join(column_names('trials'))} from trials where run_id = $run and trial_id = $id",
        params={"run": found[0][0], "id": found[0][1]},
    )
    row: dict[str, Any] = relation.to_arrow_table().to_pylist()[0]
    return row


def _fetch(
    connection: duckdb.DuckDBPyConnection, query: str, trial_id: str
) -> list[tuple[str, str]]:
    return connection.execute(query, {"id": trial_id}).fetchall()


def _names(found: list[tuple[str, str]]) -> str:
    return ", ".join(f"{trial_id} (run {run_id})" for run_id, trial_id in found)


class TrialView:
    """A trial as the store has it; files are read when asked for, and are empty where none were kept.

    Attributes
    ----------
    id
        Id of the trial.
    row
        Its row of `trials`; None is unknown.
    """

    def __init__(self, store: Store, row: dict[str, Any]) -> None:
        self._store = store
        self.row = row
        self.id: str = row["trial_id"]

    @property
    def outcome(self) -> str:
        """What came of it, in one line."""
        return outcome_text(self.row, self.checks)

    @property
    def prompt(self) -> str:
        """What the agent was asked."""
        return self._text(PROMPT) or self._task_prompt

    @property
    def diff(self) -> str:
        """What the agent changed, as a git diff."""
        return self._text(PATCH)

    @property
    def answer(self) -> str:
        """The agent's last words."""
        return self._text(ANSWER)

    @property
    def stdout(self) -> str:
        """Standard output of the agent, as far as it was kept."""
        return self._text(STDOUT)

    @property
    def stderr(self) -> str:
        """Standard error of the agent, as far as it was kept."""
        return self._text(STDERR)

    @cached_property
    def attempts(self) -> pd.DataFrame:
        """All tries, in order."""
        return self._store.attempts(self._key)

    @cached_property
    def checks(self) -> pd.DataFrame:
        """The newest grading of the attempt that counts."""
        checks = self._store.checks(self._key)
        return checks[checks["attempt"] == self.row["attempt"]].reset_index(drop=True)

    @cached_property
    def events(self) -> pd.DataFrame:
        """Steps of the attempt that counts."""
        return self._store.events(self._key)

    @cached_property
    def requests(self) -> pd.DataFrame:
        """Requests of its agent to a model, as the gateway saw them; empty where none went through it."""
        return self._store.requests(self._key)

    @cached_property
    def transcript(self) -> pd.DataFrame:
        """Its steps to be read: what was said and done, turn by turn, and how it came out.

        Columns `seq, turn, kind, what, ok, text`: `what` is the command or file, else the tool.
        """
        events = self.events
        what = events["command"].fillna(events["path"]).fillna(events["tool"])
        return events.assign(what=what)[["seq", "turn", "kind", "what", "ok", "text"]]

    @property
    def tags(self) -> pd.DataFrame:
        """What people saw in it: `at, run_id, trial_id, text, step`, oldest first."""
        return self._store.tags(self._key)

    def tag(self, text: str, *, step: int | None = None, undo: bool = False) -> None:
        """Write down what was seen in it, in tags.jsonl; the same again changes nothing.

        Parameters
        ----------
        text
            What was seen, in few words that other trials can share: it is counted by arm.
        step
            Step it is about, as `seq` in `events`.
        undo
            Take back an earlier tag of the same text and step.

        Raises
        ------
        InvalidInput
            For an empty text, a step the trial does not have, or nothing to take back.
        StoreError
            When it cannot be written.
        """
        steps = [] if step is None else self.events["seq"].tolist()
        add_tag(self._store.path, self.row, text, step=step, steps=steps, undo=undo)

    @property
    def judgments(self) -> pd.DataFrame:
        """What judges said of it, one row a sample, oldest first."""
        return self._store.judgments(self._key)

    @property
    def labels(self) -> pd.DataFrame:
        """What people said of it, one row a person and rubric."""
        return self._store.labels(self._key)

    def label(
        self,
        passed: bool | None = None,  # noqa: FBT001 - what is said, not a switch
        *,
        by: str,
        score: float | None = None,
        rubric: str | None = None,
        note: str | None = None,
        undo: bool = False,
    ) -> None:
        """Write down what a person says of it, in labels.jsonl; saying it again replaces it.

        Parameters
        ----------
        passed
            Whether the work passes.
        by
            Who says it.
        score
            Score from 0 to 1, where one is given.
        rubric
            Version of the rubric it was read by, as in `judgments`; None for any.
        note
            Why.
        undo
            Take back what this person said.

        Raises
        ------
        InvalidInput
            Without a person or anything said, or when there is nothing to take back.
        StoreError
            When it cannot be written.
        """
        add_label(
            self._store.path,
            self.row,
            passed,
            annotator=by,
            score=score,
            rubric=rubric,
            note=note,
            undo=undo,
        )

    @property
    def artifacts(self) -> dict[str, Path]:
        """Files kept of the attempt that counts, by their name below its folder.

        Of check outputs those of the newest grading, under the same names as those of the first.
        """
        files = (
            path for path in self._folder.rglob("*") if path.is_file() and not path.is_symlink()
        )
        named = {path.relative_to(self._folder).as_posix(): path for path in sorted(files)}
        first = {name: path for name, path in named.items() if not name.startswith(REGRADED)}
        if self.row["grading"] == 1:
            return first
        own = f"{REGRADED}{self.row['grading']}/"
        return {name: path for name, path in first.items() if not name.startswith(CHECKS)} | {
            name.removeprefix(own): path for name, path in named.items() if name.startswith(own)
        }

    def __repr__(self) -> str:
        return f"<Trial {self.id}: {self.row['task_id']} by {self.row['arm']}, repeat {self.row['repeat']}: {self.outcome}>"

    def _repr_html_(self) -> str:
        return trial_html(self)

    @property
    def _key(self) -> pd.DataFrame:
        return pd.DataFrame({"run_id": [self.row["run_id"]], "trial_id": [self.id]})

    @cached_property
    def _folder(self) -> Path:
        return RunFolder(self._store.run_folder(self.row["run_id"])).attempt(
            self.id, self.row["attempt"]
        )

    @cached_property
    def _task_prompt(self) -> str:
        tasks = self._store.tasks(run=self.row["run_id"])
        prompts = tasks.loc[tasks["task_id"] == self.row["task_id"], "prompt"].dropna()
        return "" if prompts.empty else str(prompts.iloc[0])

    def _text(self, name: str) -> str:
        path = self._folder / name
        if path.is_symlink() or not path.is_file():
            return ""
        return path.read_bytes().decode("utf-8", errors="replace")
