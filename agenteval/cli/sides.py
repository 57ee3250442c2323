"""What the two names of `agenteval compare` stand for: arms, runs, or files of another tool."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agenteval.errors import ForeignFormatError, InvalidInput, StoreError

if TYPE_CHECKING:
    import pandas as pd

    from agenteval.store import Store


@dataclass(frozen=True)
class Sides:
    """Trials of both sides, the column that names them, their names, and where they are from."""

    trials: pd.DataFrame
    by: str
    baseline: str
    candidate: str
    source: str


def sides_of(
    baseline: str,
    candidate: str,
    *,
    store: Path | None,
    runs: Sequence[str],
    by: str | None,
    format_: str | None,
    holdout: bool,
) -> Sides:
    """Find both sides.

    Raises
    ------
    InvalidInput
        When a name is no arm, run or file, or a run holds several arms.
    StoreError, ForeignFormatError
        When the store or a file cannot be read.
    """
    from agenteval.store import open_store

    try:
        opened = open_store(store)
    except StoreError:
        if store is not None or runs or not all(map(_is_file, (baseline, candidate))):
            raise
        # two files need no store
        parts = [_file(name, format_) for name in (baseline, candidate)]
        return _joined(parts, (baseline, candidate))
    if by is not None:
        trials = _trials(opened, runs, holdout=holdout)
        return Sides(trials, by, baseline, candidate, _told(runs))
    if not runs:
        runs = _newest_with_both(opened, baseline, candidate)
    arms = set(_arms(opened, runs)) if runs else set()
    if {baseline, candidate} <= arms:
        return Sides(
            _trials(opened, runs, holdout=holdout), "arm", baseline, candidate, _told(runs)
        )
    parts = [_one(opened, name, runs, format_, holdout=holdout) for name in (baseline, candidate)]
    return _joined(parts, (baseline, candidate))


def _trials(store: Store, runs: Sequence[str], *, holdout: bool) -> pd.DataFrame:
    wanted = list(runs) or None
    return store.holdout(run=wanted) if holdout else store.trials(run=wanted)


def _arms(store: Store, runs: Sequence[str]) -> list[str]:
    return sorted(store.arms(run=list(runs))["arm"].unique().tolist())


def _told(runs: Sequence[str]) -> str:
    if not runs:
        return "all runs"
    return f"run{'s' if len(runs) > 1 else ''} {', '.join(runs)}"


def _newest_with_both(store: Store, baseline: str, candidate: str) -> list[str]:
    """The newest run that has both arms; else all that have one of them; none where one has none."""
    arms = store.arms()
    order = store.runs()["run_id"].tolist()
    has = {name: set(arms.loc[arms["arm"] == name, "run_id"]) for name in (baseline, candidate)}
    both = [run for run in order if all(run in runs for runs in has.values())]
    if both:
        return both[-1:]
    if not all(has.values()):
        return []
    return [run for run in order if any(run in runs for runs in has.values())]


def _one(
    store: Store, name: str, runs: Sequence[str], format_: str | None, *, holdout: bool
) -> pd.DataFrame:
    known = store.runs()["run_id"].tolist()
    if name in known:
        found = _trials(store, [name], holdout=holdout)
        arms = sorted(found["arm"].dropna().unique().tolist())
        if len(arms) > 1:
            raise InvalidInput(
                f"Run {name} holds {len(arms)} arms",
                f"agenteval compare, side {name}",
                f"name one of them: {', '.join(f'{name}/{arm}' for arm in arms[:4])}",
            )
        return found
    run, slash, arm = name.partition("/")
    if slash and run in known and arm in _arms(store, [run]):
        found = _trials(store, [run], holdout=holdout)
        return found[(found["arm"] == arm).to_numpy(bool, na_value=False)]
    everywhere = list(runs) or known
    if everywhere and name in _arms(store, everywhere):
        found = _trials(store, everywhere, holdout=holdout)
        return found[(found["arm"] == name).to_numpy(bool, na_value=False)]
    if _is_file(name):
        return _file(name, format_)
    arms = _arms(store, everywhere) if everywhere else []
    raise InvalidInput(
        f"{name!r} is no arm, run, RUN/ARM or file",
        f"store {store.path}, {_told(runs)}",
        f"name one of the arms {', '.join(arms[:6]) or '(none)'}, or one of the runs {', '.join(known[-4:]) or '(none)'}",
    )


def _is_file(name: str) -> bool:
    return Path(name).exists()


def _file(name: str, format_: str | None) -> pd.DataFrame:
    """Trials of a file that another tool exported, read without touching any store."""
    from agenteval.store import FORMATS, import_results, open_store

    failed: list[str] = []
    for kind in [format_] if format_ else list(FORMATS):
        with tempfile.TemporaryDirectory(prefix="agenteval-compare-") as folder:
            target = Path(folder) / "store"
            try:
                import_results(target, kind, Path(name))
            except ForeignFormatError as error:
                if format_:
                    raise
                failed.append(f"{kind}: {error.what}")
                continue
            return open_store(target).trials()
    raise ForeignFormatError(
        "No reader knows this file",
        f"{name} ({'; '.join(failed)})",
        f"name its format with --format, one of {', '.join(FORMATS)}",
    )


def _joined(parts: list[pd.DataFrame], names: tuple[str, str]) -> Sides:
    """Put two tables into one, the side as a column; runs of both may bear the same name."""
    import pandas as pd

    looks = {key: value for part in parts for key, value in part.attrs.items()}
    rows = []
    for part, name in zip(parts, names, strict=True):
        named = part.assign(side=name)
        named.attrs = {}
        rows.append(named)
    whole = pd.concat(rows, ignore_index=True)
    if whole.duplicated(["run_id", "trial_id"]).any():
        whole = whole.assign(run_id=whole["side"] + "/" + whole["run_id"])
    whole.attrs = looks
    return Sides(whole, "side", *names, f"{names[0]} and {names[1]}")
