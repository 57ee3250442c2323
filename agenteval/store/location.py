"""Finding a store: by its own path, by the project it lies in, or near the current folder."""

from __future__ import annotations

from pathlib import Path

from agenteval.errors import StoreError
from agenteval.records import DEFAULT_STORE

_HOW_TO_MAKE_ONE = "make one with `agenteval demo` or `agenteval run`, or give the path of a store"


def locate(path: str | Path | None = None) -> Path:
    """Return the folder of a store.

    Parameters
    ----------
    path
        A store, a `.agenteval` folder, or a folder that holds `.agenteval/store`. None looks
        in the current folder and its parents.

    Raises
    ------
    StoreError
        When there is none.
    """
    if path is not None:
        given = Path(path).expanduser()
        found = _store_at(given)
        if found is None:
            what = "The folder is not a store" if given.is_dir() else "There is no store"
            raise StoreError(what, str(given), _HOW_TO_MAKE_ONE)
        return found
    here = Path.cwd()
    for folder in (here, *here.parents):
        found = _store_at(folder / DEFAULT_STORE)
        if found is not None:
            return found
    raise StoreError(
        f"There is no {DEFAULT_STORE} here or in a parent folder", str(here), _HOW_TO_MAKE_ONE
    )


def locate_or_plan(path: str | Path) -> Path:
    """Return the store at `path`, or `path` itself where a new store can be made.

    Raises
    ------
    StoreError
        When something else is there.
    """
    given = Path(path).expanduser()
    found = _store_at(given)
    if found is not None:
        return found
    if given.exists() and (not given.is_dir() or any(given.iterdir())):
        raise StoreError(
            "The path is taken by something that is not a store",
            str(given),
            "give the path of a store, or one that does not exist yet",
        )
    return given


def _store_at(path: Path) -> Path | None:
    candidates = (path, path / DEFAULT_STORE, path / DEFAULT_STORE.name)
    return next((c for c in candidates if _is_store(c)), None)


def _is_store(path: Path) -> bool:
    """Tell a store from its own folder of parquet tables, one of which is called runs too."""
    return (path / "runs").is_dir() and not (path / "manifest.json").exists()
