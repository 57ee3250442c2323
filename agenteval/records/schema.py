"""The version of what is written, and the steps that bring older lines up to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agenteval.errors import RecordError

SCHEMA_VERSION = 1

# version -> step to the next one; each takes and returns a decoded JSON object
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


class NewerRecordError(RecordError):
    """A record that a newer agenteval wrote: nothing is wrong with it, and it must be kept."""


def upgrade(data: Any, where: str) -> dict[str, Any]:
    """Bring a decoded object up to `SCHEMA_VERSION`.

    Raises
    ------
    RecordError
        When it is no object or has no version.
    NewerRecordError
        When it was written by a newer agenteval.
    """
    if not isinstance(data, dict) or not isinstance(data.get("schema_version"), int):
        raise RecordError(
            "A record has no schema_version", where, "check that the file was written by agenteval"
        )
    version = data["schema_version"]
    if version > SCHEMA_VERSION:
        raise NewerRecordError(
            f"A record has schema version {version}, this agenteval knows {SCHEMA_VERSION}",
            where,
            "install a newer agenteval",
        )
    while version < SCHEMA_VERSION:
        if version not in UPGRADES:
            raise RecordError(
                f"Records of schema version {version} cannot be read",
                where,
                "export them with the version that wrote them",
            )
        data = UPGRADES[version](data)
        version += 1
        data["schema_version"] = version
    return data
