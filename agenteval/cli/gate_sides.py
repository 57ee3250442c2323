"""What the two sides of a gate are read from: baseline files, runs, or files of another tool."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from agenteval.errors import ForeignFormatError, InvalidInput, StoreError

if TYPE_CHECKING:
    from agenteval.records import ArmRecord, Baseline
    from agenteval.store import Store

FOLDER = Path("baselines")


def baseline_path(name: str, folder: Path = FOLDER) -> Path:
    """Where a baseline of this name lies; a path with an ending or a folder is taken as it is."""
    plain = Path(name)
    return plain if plain.suffix == ".json" or plain.name != name else folder / f"{name}.json"


def baseline_side(
    name: str, *, store: Path | None, folder: Path = FOLDER, format_: str | None = None
) -> Baseline:
    """Read what a gate compares with.

    Parameters
    ----------
    name
        A file, the name of a baseline in the folder, or a run of the store.

    Raises
    ------
    RecordError, ForeignFormatError
        When the file cannot be read.
    InvalidInput
        When it is none of them.
    """
    from agenteval.records import read_baseline

    path = Path(name)
    if path.exists():
        return _read(path, format_)
    saved = baseline_path(name, folder)
    if saved.exists():
        return read_baseline(saved)
    opened = _store_if_any(store)
    if opened is not None and name in opened.runs()["run_id"].tolist():
        return run_side(name, None, store=store)
    raise InvalidInput(
        f"There is no baseline {name!r}",
        f"neither a file {path}, nor {saved}, nor a run of the store",
        "save one with `agenteval baseline save NAME`, or correct the name",
    )


def run_side(
    run: str | None, arm: str | None, *, store: Path | None, format_: str | None = None
) -> Baseline:
    """Sum up the run that is judged: the one named, the newest, or a file.

    Raises
    ------
    StoreError
        When there is no store, or no such run in it.
    InvalidInput, NotEnoughData
        When it has no such arm, or no trials.
    """
    from agenteval.comparison import baseline_of
    from agenteval.store import open_store

    if run is not None and Path(run).exists():
        return _read(Path(run), format_)
    opened = open_store(store)
    return baseline_of(opened, run=run or opened.newest_run(), arm=arm)


def _store_if_any(path: Path | None) -> Store | None:
    from agenteval.store import open_store

    try:
        return open_store(path)
    except StoreError:
        if path is not None:
            raise
        return None


def _read(path: Path, format_: str | None) -> Baseline:
    """A baseline's file, else the results of another tool."""
    from agenteval.records import read_baseline

    if format_ is None and path.is_file():
        data = path.read_bytes()
        if _is_baseline(data) or not data.strip():
            return read_baseline(path)
    return _foreign(path, format_)


def _is_baseline(data: bytes) -> bool:
    """Whether this is a baseline, or the torn beginning of one."""
    try:
        found = json.loads(data)
    except ValueError:
        return b'"record": "baseline"' in data
    return isinstance(found, dict) and found.get("record") == "baseline"


def _foreign(path: Path, format_: str | None) -> Baseline:
    """Results of another tool; what its tasks were like then it does not tell."""
    from agenteval.comparison import baseline_of
    from agenteval.store import FORMATS, import_results, open_store

    failed: list[str] = []
    for kind in [format_] if format_ else list(FORMATS):
        with tempfile.TemporaryDirectory(prefix="agenteval-gate-") as folder:
            target = Path(folder) / "store"
            try:
                report = import_results(target, kind, path)
            except ForeignFormatError as error:
                if format_:
                    raise
                failed.append(f"{kind}: {error.where.rpartition('field ')[2] or error.what}")
                continue
            store = open_store(target)
            sides = [
                baseline_of(store, run=run, name=path.stem, digests_known=False)
                for run in report.run_ids
            ]
            return _joined(sides, path)
    raise ForeignFormatError(
        "The file is no baseline, and no reader of other tools' results knows it",
        f"{path} ({'; '.join(failed)})",
        f"save a baseline with `agenteval baseline save`, or name the format with --format, one of {', '.join(FORMATS)}",
    )


def _joined(sides: list[Baseline], path: Path) -> Baseline:
    """Runs of one file as one baseline: an arm each, or one arm's suites put together."""
    arms: dict[str, ArmRecord] = {}
    for arm in (arm for side in sides for arm in side.arms):
        before = arms.get(arm.arm)
        tasks = arm.tasks if before is None else [*before.tasks, *arm.tasks]
        if len({(task.suite, task.task_id) for task in tasks}) < len(tasks):
            raise InvalidInput(
                f"The results hold several runs of the arm {arm.arm}",
                str(path),
                "import them with `agenteval import`, and name one run",
            )
        arms[arm.arm] = arm.model_copy(update={"tasks": tasks})
    return sides[0].model_copy(update={"arms": list(arms.values()), "source": path.name})
