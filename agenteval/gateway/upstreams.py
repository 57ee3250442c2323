"""Providers: where their API is, which wire formats they speak, and whose key goes along."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from agenteval.errors import InvalidInput
from agenteval.gateway.litellm_library import require_library
from agenteval.gateway.pacing import Pace
from agenteval.records import Strict

WireName = Literal["anthropic", "chat", "responses", "gemini"]
Auth = Literal["bearer", "x-api-key", "x-goog-api-key"]
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
OAUTH_BETA = "oauth-2025-04-20"
Whole = Annotated[int, Field(strict=True, ge=1)]
LIMITS = ("concurrency", "requests_per_minute", "silence_s")


class Upstream(Strict):
    """One provider; `name` is what stands before the first slash of a model."""

    name: str = Field(pattern=r"^[^\s/:]+$", description="What stands before a model's slash.")
    base_url: str = Field(
        pattern=r"^https?://[^\s?#@]+$",
        description="Root of its API, as in http://127.0.0.1:8000 or http://127.0.0.1:8000/v1; no name and password.",
    )
    key_env: str | None = Field(
        None,
        pattern=VARIABLE,
        description="Name of the environment variable that holds the key; its value is stored nowhere.",
    )
    token_env: str | None = Field(
        None,
        pattern=VARIABLE,
        description="Name of the variable with a subscription's token, used where there is no key.",
    )
    auth: Auth = Field("bearer", description="Header that the key goes in.")
    wires: tuple[WireName, ...] = Field(
        ("anthropic", "chat", "responses", "gemini"), description="Wire formats that it speaks."
    )
    any_model: bool = Field(
        False,
        description="Whether requests for other models than the trial's go out as they are; else all are for the trial's model.",
    )
    stream_usage: bool = Field(
        True,
        description="Whether usage may be asked for where an agent does not, in streams of Chat Completions; a server that refuses `stream_options` has it false.",
    )
    headers: dict[str, str] = Field(
        default_factory=dict, description="Further headers; no secrets."
    )
    litellm: str | None = Field(
        None,
        pattern=r"^[a-z0-9_]+$",
        description="What litellm (extra `litellm`) calls it, where it is reached through litellm, in this process; address and keys are then found by litellm.",
    )
    concurrency: Whole | None = Field(
        None, description="Requests with it at the same time, of all trials of a run together."
    )
    requests_per_minute: Whole | None = Field(
        None, description="Requests begun in a minute, of all trials of a run together."
    )
    silence_s: Whole | None = Field(
        None, description="Seconds without a byte from it after which it counts as down."
    )

    def paced(self, pace: Pace) -> Pace:
        """How hard it is asked: by its own limits where it has them, else by those of all.

        >>> Upstream(name="x", base_url="http://127.0.0.1", concurrency=4).paced(Pace()).concurrency
        4
        """
        told = {name: getattr(self, name) for name in LIMITS}
        return replace(pace, **{name: value for name, value in told.items() if value is not None})

    def url(self, path: str) -> str:
        """Address of a path such as `/v1/messages`.

        >>> Upstream(name="local", base_url="http://127.0.0.1:8000/v1/").url("/v1/messages")
        'http://127.0.0.1:8000/v1/messages'
        """
        root = self.base_url.rstrip("/")
        version = "/" + root.rpartition("/")[2]
        if version in ("/v1", "/v1beta") and path.startswith(f"{version}/"):
            root = root.removesuffix(version)
        return root + path

    def secret(self, environ: Mapping[str, str]) -> tuple[str, str] | None:
        """Name and value of the variable that opens it; None where it needs none.

        Raises
        ------
        InvalidInput
            When it needs one that is not set.
        MissingProgram
            When it is reached through litellm, which is not installed.
        """
        if self.litellm is not None:
            require_library(self.litellm, f"{self.name}/...")
        names = [name for name in (self.key_env, self.token_env) if name is not None]
        for name in names:
            if environ.get(name):
                return name, environ[name]
        if not names:
            return None
        raise InvalidInput(
            f"There is no key for {self.name}",
            f"--model {self.name}/...",
            f"set {' or '.join(names)} for agenteval; agents do not see it",
        )

    def opened(self, headers: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
        """The agent's headers with the key of this provider; the agent's own was taken out before."""
        told = {name: value for name, value in headers.items() if name not in self.headers}
        told |= self.headers
        found = self.secret(environ)
        if found is None:
            return told
        name, value = found
        if name == self.token_env:
            beta = told.get("anthropic-beta", "")
            told["authorization"] = f"Bearer {value}"
            told["anthropic-beta"] = f"{beta},{OAUTH_BETA}".lstrip(",")
        elif self.auth == "bearer":
            told["authorization"] = f"Bearer {value}"
        else:
            told[self.auth] = value
        return told


KNOWN_UPSTREAMS: tuple[Upstream, ...] = (
    Upstream(
        name="anthropic",
        base_url="https://api.anthropic.com",
        key_env="ANTHROPIC_API_KEY",
        token_env="CLAUDE_CODE_OAUTH_TOKEN",
        auth="x-api-key",
        wires=("anthropic",),
        any_model=True,
    ),
    Upstream(
        name="openai",
        base_url="https://api.openai.com",
        key_env="OPENAI_API_KEY",
        wires=("chat", "responses"),
        any_model=True,
    ),
    Upstream(
        name="google",
        base_url="https://generativelanguage.googleapis.com",
        key_env="GEMINI_API_KEY",
        auth="x-goog-api-key",
        wires=("gemini",),
        any_model=True,
    ),
    # litellm finds their addresses, and credentials in the ways that the clouds' own tools do
    Upstream(
        name="bedrock",
        base_url="http://127.0.0.1",
        litellm="bedrock",
        wires=("anthropic", "chat", "responses"),
    ),
    Upstream(name="vertex", base_url="http://127.0.0.1", litellm="vertex_ai"),
)


def read_upstreams(path: Path) -> tuple[Upstream, ...]:
    """Read providers from a file: one table `[NAME]` each, with the keys of `Upstream`.

    A table with a known provider's name and no `base_url` changes only what it names of it.

    Raises
    ------
    InvalidInput
        When the file cannot be read, or says what an upstream cannot be.
    """
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"The upstreams cannot be read: {error}", str(path), "name a TOML file"
        ) from error
    found = []
    for name, fields in told.items():
        try:
            if not isinstance(fields, dict):
                raise ValueError(f"{fields!r} is no table")
            found.append(Upstream.model_validate(_completed(name, fields)))
        except ValueError as error:
            detail = error.errors()[0] if isinstance(error, ValidationError) else None
            key = ".".join(map(str, detail["loc"])) if detail else ""
            raise InvalidInput(
                f"The upstream {name!r} cannot be used: {_said(key, detail) if detail else error}",
                f"{path}, table [{name}]",
                f"write a whole number from 1, or leave {key} out"
                if key in LIMITS
                else 'write base_url = "http://127.0.0.1:8000/v1" and, for a key, key_env = "NAME"',
            ) from error
    return tuple(found)


def _completed(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a table, with those of the known provider that it only changes."""
    known = {upstream.name: upstream for upstream in KNOWN_UPSTREAMS}
    whole = "base_url" in fields or name not in known
    return {"name": name} | ({} if whole else known[name].model_dump()) | dict(fields)


def _said(key: str, detail: ErrorDetails) -> str:
    """What pydantic found, without its patterns."""
    odd = detail["type"] == "string_pattern_mismatch"
    return (
        f"{key} = {detail['input']!r} has not the form of one" if odd else f"{key}: {detail['msg']}"
    )


def upstream_of(model: str, upstreams: Sequence[Upstream]) -> tuple[Upstream, str]:
    """The provider of `provider/name`, and the name as that provider spells it.

    Own upstreams come before the known ones of the same name.

    Raises
    ------
    InvalidInput
        When no such provider is known.
    """
    provider, slash, name = model.partition("/")
    every = {upstream.name: upstream for upstream in (*KNOWN_UPSTREAMS, *upstreams)}
    if not slash or not name or provider not in every:
        raise InvalidInput(
            f"No provider of {model!r} is known",
            f"--model {model}",
            f"write provider/name with one of: {', '.join(every)}; or describe another in upstreams.toml",
        )
    return every[provider], name
