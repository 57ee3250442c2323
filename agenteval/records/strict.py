"""The base of every model a user writes: unknown keys are errors, paths stay inside."""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """Refuses unknown keys and cannot be changed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def inside(path: str) -> str:
    """Return `path` if it is relative and stays below its folder, else raise ValueError."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or "\0" in path:
        raise ValueError(f"path {path!r} leaves the folder; use a relative path without '..'")
    return path


def all_inside(paths: list[str]) -> list[str]:
    """Apply `inside` to every path of a list."""
    return [inside(path) for path in paths]
