"""A variant: a named overlay on an agent, as written, and as an arm carries it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, field_validator, model_validator

from agenteval.records.faults import Faults
from agenteval.records.layout import digest
from agenteval.records.strict import Strict, inside

VARIANT_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
Variable = Annotated[str, StringConstraints(pattern=VARIABLE)]
OverlayKey = Literal["settings", "env", "pass_env", "args", "files", "plugin_dirs", "mcp", "faults"]
# NAME is the agent's own to fill in from a variable it was passed
_REFERENCE = re.compile(r"(?:[A-Za-z]+ )?\$\{?[A-Za-z_][A-Za-z0-9_]*\}?")
_SECRET = re.compile(
    r"(?:^|[_-])(?:(?:api|access|secret|private|auth|account)[_-]?key|token|secret|password|passwd|credentials?|authorization)$"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Variant(Strict):
    """variants/NAME.toml or .json: what an arm has on top of its agent. Secrets go by name only."""

    name: str = Field("", description="The file's name, and that when left out.")
    description: str = Field("", description="What it tries, for people.")
    settings: dict[str, Any] = Field(
        default_factory=dict, description="Settings of the agent program, in its own words."
    )
    env: dict[Variable, str] = Field(
        default_factory=dict, description="Variables for the agent; no secrets."
    )
    pass_env: list[Variable] = Field(
        default_factory=list,
        description="Names of the operator's variables to hand over, as --pass-env does.",
    )
    args: list[str] = Field(default_factory=list, description="Further arguments of the agent.")
    files: dict[str, str] = Field(
        default_factory=dict,
        description="Path in the workspace to the file or folder that is laid there, relative to the variant's own folder.",
    )
    plugin_dirs: list[str] = Field(
        default_factory=list,
        description="Folders of plugins, relative to the variant's own folder.",
    )
    mcp: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="MCP servers by name, as the agent's configuration has them.",
    )
    faults: Faults | None = Field(
        None, description="Faults that the gateway plants between the agent and its model."
    )

    @field_validator("env")
    @classmethod
    def _not_the_engines(cls, value: dict[str, str]) -> dict[str, str]:
        own = next((name for name in value if name.startswith("AGENTEVAL_")), None)
        if own is not None:
            raise ValueError(f"sets {own}, which is the engine's to say")
        return value

    @field_validator("files")
    @classmethod
    def _targets_inside(cls, value: dict[str, str]) -> dict[str, str]:
        for target in value:
            if not target or ".git" in PurePosixPath(inside(target)).parts:
                raise ValueError(f"lays a file at {target!r}; name a path outside of .git")
        return value

    @model_validator(mode="after")
    def _no_secret(self) -> Variant:
        for where, value in secrets_written(
            {"env": self.env, "settings": self.settings, "mcp": self.mcp}
        ):
            del value
            raise ValueError(
                f"holds the value of a secret at {where}; name its variable in pass_env"
            )
        return self


def secrets_written(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Texts below keys that are named like secrets, unless they only refer to a variable."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            place = f"{where}.{key}" if where else str(key)
            name = _HUMP.sub("_", str(key)).lower()
            if isinstance(inner, str):
                if inner and _SECRET.search(name) and not _REFERENCE.fullmatch(inner):
                    yield place, inner
            else:
                yield from secrets_written(inner, place)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from secrets_written(inner, f"{where}[{position}]")


class LaidFile(Strict):
    """Contents of one file that a variant lays into the workspace."""

    text: str | None = Field(None, description="Its text; of other files `base64` holds the bytes.")
    base64: str | None = None
    executable: bool = False

    @classmethod
    def of(cls, data: bytes, *, executable: bool) -> LaidFile:
        """The file with these bytes."""
        try:
            return cls(text=data.decode("utf-8"), executable=executable)
        except UnicodeDecodeError:
            return cls(base64=base64.b64encode(data).decode(), executable=executable)

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return base64.b64decode(self.base64 or "") if self.text is None else self.text.encode()


class Overlay(Strict):
    """A variant as an arm carries it: everything it hands the agent, with the contents of its files.

    `plugin_dirs` are where the plugins lie on this machine; `plugins` are their names with hashes
    of their contents, which count in their place. `hands` names what `loads` can ask for.
    """

    settings: dict[str, Any] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    pass_env: list[str] = Field(default_factory=list)
    args: list[str] = Field(default_factory=list)
    files: dict[str, LaidFile] = Field(default_factory=dict)
    plugin_dirs: list[str] = Field(default_factory=list)
    plugins: dict[str, str] = Field(default_factory=dict)
    mcp: dict[str, dict[str, Any]] = Field(default_factory=dict)
    faults: Faults | None = None
    hands: list[str] = Field(
        default_factory=list, description="Names of skills, plugins and MCP servers."
    )

    @property
    def digest(self) -> str:
        """Hash of all of it; where plugins lie does not count."""
        told = self.model_dump(mode="json", exclude={"plugin_dirs"}, exclude_defaults=True)
        return digest("variant-1", json.dumps(told, sort_keys=True, ensure_ascii=False))

    @property
    def keys(self) -> frozenset[OverlayKey]:
        """Keys of the variant that hold something."""
        return frozenset(name for name in get_args(OverlayKey) if getattr(self, name))
