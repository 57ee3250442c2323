"""Recordings by trial: what their files are called, and whether each trial will find its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agenteval.engine.spec import TrialSpec
from agenteval.errors import InvalidInput
from agenteval.records import Arm, StoreFolder

if TYPE_CHECKING:
    from agenteval.engine.model_access import ModelAccess
    from agenteval.engine.plan import Plan
    from agenteval.engine.settings import Settings

ENDING = ".jsonl.zst"
NAMED_FILES = 4


class Kept(NamedTuple):
    """What the name of a recording's file says."""

    arm: str
    repeat: str
    trial: str
    attempt: int
    path: Path


def recorded_as(arm: Arm) -> str:
    """What a recording's file calls an arm: without its model, which is another one in a replay."""
    return arm.agent if arm.variant is None else f"{arm.agent}+{arm.variant}"


def recording_file(folder: Path, spec: TrialSpec) -> Path:
    """Where an attempt is recorded."""
    name = f"{recorded_as(spec.arm)}-{spec.repeat}-{spec.trial_id}-{spec.attempt}{ENDING}"
    return folder / spec.task.task.id / name


def recording_for(place: Path, spec: TrialSpec) -> Path:
    """The recording that plays the model of a trial: the last attempt of the one trial there is.

    Parameters
    ----------
    place
        File, which plays every trial; or a folder of recordings.

    Raises
    ------
    InvalidInput
        When a folder holds none for the trial, or those of several trials.
    """
    return _Recordings(place).of(spec) if place.is_dir() else place


def check_recordings(plan: Plan, settings: Settings) -> list[str]:
    """Refuse a new run whose trials would not all find their recording, or could not be recorded.

    Returns
    -------
    list of str
        What has to be said of what will be recorded.

    Raises
    ------
    InvalidInput
        As `check_trials`.
    """
    access = settings.models
    replayed = any(_replayed(arm) is not None for arm in plan.arms)
    held = StoreFolder(settings.store).run(plan.run_id).journal.exists()
    if not held and (replayed or access.record is not None):
        trials = plan.trials()
        part = trials if settings.shard is None else settings.shard.of(plan, trials)
        check_trials(part, access)
    return [] if access.record is None else _alike(plan.arms)


def check_trials(trials: Iterable[TrialSpec], access: ModelAccess) -> None:
    """Refuse trials that find no recording or several, or whose own would lie beside others of them.

    Raises
    ------
    InvalidInput
        With the files.
    """
    from agenteval.gateway import read_recording

    folders: dict[Path, _Recordings] = {}
    files: set[Path] = set()
    for spec in trials:
        place = _replayed(spec.arm)
        if place is not None and place.is_dir():
            folders.setdefault(place, _Recordings(place)).of(spec)
        elif place is not None and place not in files:
            files.add(place)
            read_recording(place)
        if access.record is not None:
            kept = folders.setdefault(access.record, _Recordings(access.record))
            kept.refuse_others(spec)


class _Recordings:
    """A folder of recordings, each of whose folders is looked through once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._of: dict[str, dict[tuple[str, str], list[Kept]]] = {}

    def like(self, spec: TrialSpec) -> list[Kept]:
        """Recordings of the trial's task, arm and repeat."""
        task = spec.task.task.id
        if task not in self._of:
            self._of[task] = {}
            for kept in _kept_in(self.folder / task):
                self._of[task].setdefault((kept.arm, kept.repeat), []).append(kept)
        return self._of[task].get((recorded_as(spec.arm), str(spec.repeat)), [])

    def of(self, spec: TrialSpec) -> Path:
        found = self.like(spec)
        trials = {kept.trial for kept in found}
        if len(trials) == 1:
            return max(found, key=lambda kept: kept.attempt).path
        named = f"task {spec.task.task.id}, {recorded_as(spec.arm)}, repeat {spec.repeat}"
        where = f"--model replay:{self.folder}"
        if not found:
            raise InvalidInput(
                f"There is no recording of {named}",
                f"{where}, in {self.folder / spec.task.task.id}",
                "record that trial with --record, or name one file",
            )
        raise InvalidInput(
            f"There are recordings of {len(trials)} trials of {named}: {_listed(found)}",
            where,
            "name one file, or record into an empty folder",
        )

    def refuse_others(self, spec: TrialSpec) -> None:
        others = [kept for kept in self.like(spec) if kept.trial != spec.trial_id]
        if others:
            raise InvalidInput(
                f"The folder holds recordings of task {spec.task.task.id}, {recorded_as(spec.arm)}, repeat {spec.repeat} already, by another run ({_listed(others)}): a replay could not tell them apart",
                f"--record {self.folder}",
                "record into an empty folder, or move these files away",
            )


def _kept_in(folder: Path) -> Iterator[Kept]:
    for path in folder.iterdir() if folder.is_dir() else ():
        parts = path.name.removesuffix(ENDING).rsplit("-", 3)
        if path.name.endswith(ENDING) and len(parts) == 4:
            arm, repeat, trial, attempt = parts
            yield Kept(arm, repeat, trial, int(attempt) if attempt.isdigit() else 0, path)


def _replayed(arm: Arm) -> Path | None:
    kind, colon, place = (arm.model or "").partition(":")
    return Path(place) if colon and kind == "replay" else None


def _alike(arms: Iterable[Arm]) -> list[str]:
    """What a replay of the folder as a whole cannot tell apart."""
    named: dict[str, list[str]] = {}
    for arm in arms:
        named.setdefault(recorded_as(arm), []).append(arm.full_label)
    return [
        f"--record: recordings of {' and '.join(labels)} are all named {name}, so that a replay of the folder cannot tell them apart. Fix: record each in a run and a folder of its own, or replay single files"
        for name, labels in named.items()
        if len(labels) > 1
    ]


def _listed(kept: list[Kept]) -> str:
    names = sorted(str(one.path) for one in kept)
    more = len(names) - NAMED_FILES
    return ", ".join(names[:NAMED_FILES]) + (f" and {more} more" if more > 0 else "")
