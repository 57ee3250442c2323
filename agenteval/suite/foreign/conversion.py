"""What one foreign task becomes: its files, and what was dropped or changed on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from agenteval.suite.authoring.task_toml import Value, task_toml

M = TypeVar("M", bound=BaseModel)


class Malformed(ValueError):
    """A record cannot be converted.

    Parameters
    ----------
    field
        Where in the record.
    reason
        What is wrong there, to be read after the field's name.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


@dataclass(frozen=True)
class Note:
    """What a conversion did not carry over as it was.

    Attributes
    ----------
    key
        In the foreign format.
    what
        `dropped` (nothing of it is left), `changed` (it means something else now) or `skipped`
        (the task cannot be run by it, and says so).
    why
        One sentence for people.
    """

    key: str
    what: Literal["dropped", "changed", "skipped"]
    why: str


@dataclass
class Conversion:
    """One task on its way.

    Attributes
    ----------
    task_id
        Its folder's name.
    origin
        File and record that it came from.
    keys
        Of task.toml, in order.
    checks
        The same of its checks.
    tables
        The same of `env`, `environment` and `source`.
    files
        Place in the task folder to contents.
    copies
        Place in the task folder to a file or folder that is copied as it is.
    notes
        What is not as it was.
    document
        Whether task.toml is written; else the task brings a file of its own.
    """

    task_id: str
    origin: str
    keys: dict[str, Value] = field(default_factory=dict)
    checks: list[dict[str, Value]] = field(default_factory=list)
    tables: dict[str, Mapping[str, Value]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    copies: dict[str, Path] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    document: bool = True

    def dropped(self, key: str, why: str) -> None:
        """Note that nothing of a key is left."""
        self.notes.append(Note(key, "dropped", why))

    def changed(self, key: str, why: str) -> None:
        """Note that a key means something else now."""
        self.notes.append(Note(key, "changed", why))

    def skip(self, key: str, why: str) -> None:
        """Have the task skipped, with the first reason that is given."""
        self.notes.append(Note(key, "skipped", why))
        self.keys.setdefault("skip", f"{key}: {why}")

    @property
    def skipped(self) -> str | None:
        """Why it cannot be run; None when it can, as far as its files say."""
        return str(self.keys["skip"]) if "skip" in self.keys else None

    def toml(self) -> str:
        """Its task.toml."""
        return task_toml(self.keys, self.checks, tables=self.tables)


class Clone(Protocol):
    """A git repository on this machine, which only a layer above can read."""

    def name_of(self, rev: str) -> str:
        """Full name of a commit."""
        ...

    def paths(self, commit: str) -> list[str]:
        """Files of a commit."""
        ...

    def contents(self, commit: str, path: str) -> bytes:
        """Contents of a file of a commit."""
        ...

    def patched(self, commit: str, patch: bytes) -> Mapping[str, bytes | None]:
        """What a patch makes of a commit: path to new contents, None for a deleted file."""
        ...


class Clones(Protocol):
    """Opens repositories."""

    def __call__(self, path: Path) -> Clone:
        """Open one.

        Raises
        ------
        AgentEvalError
            When it is no git repository.
        """
        ...


def fitted(model: type[M], data: Any, *, within: str = "") -> M:
    """Check a record against its model.

    Raises
    ------
    Malformed
        With the first field that is wrong.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = _place(first["loc"])
        message = str(first["msg"]).removeprefix("Value error, ")
        name = ".".join(part for part in (within, place) if part) or "(record)"
        given = "" if first["type"] == "missing" else f", is {_short(first['input'])}"
        raise Malformed(name, f"{message[:1].lower()}{message[1:]}{given}") from None


def told(bad: Malformed, file: Path, record: str) -> str:
    """One line that names file, record and field."""
    return ", ".join(part for part in (str(file), record, f"field {bad.field}") if part)


def _place(location: Sequence[str | int]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
