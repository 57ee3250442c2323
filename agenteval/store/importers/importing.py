"""Results of other tools, imported as ordinary runs: all of a path, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agenteval.errors import ForeignFormatError, InvalidInput, StoreError
from agenteval.records import StoreFolder
from agenteval.store.importers.chatcli import read_chatcli
from agenteval.store.importers.drafts import Reader, Reading, RunDraft, Skipped
from agenteval.store.importers.neuralinverse import read_neuralinverse
from agenteval.store.importers.shell_harness import read_shell_harness
from agenteval.store.importers.tau_bench import read_tau_bench
from agenteval.store.importers.terminal_bench import read_terminal_bench
from agenteval.store.importers.writing import imported_origins, run_id_for, write_runs
from agenteval.store.location import locate_or_plan
from agenteval.store.snapshot import take_snapshot

FORMATS: dict[str, Reader] = {
    "tau-bench": read_tau_bench,
    "terminal-bench": read_terminal_bench,
    "chatcli": read_chatcli,
    "neuralinverse": read_neuralinverse,
    "shell-harness": read_shell_harness,
}


@dataclass(frozen=True)
class ImportReport:
    """What an import did.

    Attributes
    ----------
    store
        Where the runs are now.
    run_ids
        Runs that were made.
    trials
        Trials in them together.
    skipped
        Records and files that were left out, and why; empty unless bad ones were to be skipped.
    notes
        What a reader of the numbers should know: copies, values the tool counts in its own way.
    """

    store: Path
    run_ids: tuple[str, ...]
    trials: int
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()


def import_results(
    store_path: str | Path,
    format: str,  # noqa: A002 - the word people type
    path: str | Path,
    *,
    run_id: str | None = None,
    skip_bad: bool = False,
    agent: str | None = None,
    model: str | None = None,
    suite: str | None = None,
) -> ImportReport:
    """Import results of another tool by that tool's own rule of what a success is.

    Parameters
    ----------
    store_path
        Store to write to; it is made when there is none.
    format
        One of `FORMATS`.
    path
        File or folder that the tool wrote.
    run_id
        Id of the run; only where the path holds one. Made from the file's name when None.
    skip_bad
        Import the good records and count the bad ones, in place of refusing all.
    agent, model, suite
        Names for what the files do not tell, or tell otherwise.

    Raises
    ------
    ForeignFormatError
        Names file, record and field; nothing was written.
    StoreError
        When a run is in the store already, or the store cannot be written.
    InvalidInput
        When the format is unknown or the run id cannot be used.
    """
    reader = FORMATS.get(format)
    if reader is None:
        raise InvalidInput(
            f"There is no format {format!r}", "format", f"use one of {', '.join(FORMATS)}"
        )
    source = Path(path)
    if not source.exists():
        raise ForeignFormatError("The results are not there", str(source), "check the path")
    folder = StoreFolder(locate_or_plan(store_path))
    reading = Reading(skip_bad=skip_bad, agent=agent, model=model, suite=suite)
    drafts = _new(reader(source, reading), folder, reading)
    if not drafts:
        raise ForeignFormatError("The path holds no results to import", str(source), _why(reading))
    named = _named(drafts, source, run_id)
    _refuse_taken(named, folder)
    write_runs(folder, named, f"import:{format}")
    trials = sum(len(draft.trials) for draft in named.values())
    return ImportReport(
        folder.path, tuple(named), trials, tuple(reading.skipped), tuple(reading.notes)
    )


def _new(drafts: list[RunDraft], folder: StoreFolder, reading: Reading) -> list[RunDraft]:
    """Leave out runs without a good record, and those that the store has by any name."""
    origins = imported_origins(folder)
    new = []
    for draft in drafts:
        if draft.origin in origins:
            known = f"is in the store already as run {origins[draft.origin]}"
            if not reading.skip_bad:
                raise StoreError(
                    f"{draft.file} {known}; nothing was imported",
                    str(folder.path),
                    "use the run that is there, or leave known runs out with --skip-bad",
                )
            reading.skipped.append(Skipped(str(draft.file), None, "(file)", known))
        elif draft.trials:
            new.append(draft)
    return new


def _named(drafts: list[RunDraft], source: Path, run_id: str | None) -> dict[str, RunDraft]:
    if run_id is None:
        named: dict[str, RunDraft] = {}
        for draft in drafts:
            base = name = run_id_for(draft.name)
            number = 2
            while name in named:
                name, number = f"{base}-{number}", number + 1
            named[name] = draft
        return named
    if run_id_for(run_id) != run_id:
        raise InvalidInput(
            f"{run_id!r} cannot be the id of a run",
            "run_id",
            "use letters, digits and . _ + = -, with a letter or digit first",
        )
    if len(drafts) > 1:
        raise InvalidInput(
            f"{source} holds {len(drafts)} runs, and a run id names one",
            "run_id",
            "leave it out, or give the path of one run",
        )
    return {run_id: drafts[0]}


def _refuse_taken(named: dict[str, RunDraft], folder: StoreFolder) -> None:
    taken = {*take_snapshot(folder).run_ids, *(path.name for path in folder.runs.glob("*"))}
    for run_id, draft in named.items():
        if run_id in taken:
            raise StoreError(
                f"The store already has a run {run_id}; nothing was imported",
                str(folder.path),
                f"give {draft.file} another id with --run-id",
            )


def _why(reading: Reading) -> str:
    if reading.skipped:
        first = reading.skipped[0]
        return f"mend the {len(reading.skipped)} bad ones first; {first.file}, field {first.field}: {first.reason}"
    return "check that it is what the tool wrote"
