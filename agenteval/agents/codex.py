"""Codex, headless: `codex exec --json`, with the prompt on standard input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.agents.codex_output import read_codex
from agenteval.agents.installed import InstalledAgent
from agenteval.agents.programs import Distribution
from agenteval.agents.protocol import AgentReport, Job, Launch, Output
from agenteval.errors import InvalidInput
from agenteval.sandbox import View

MODEL = "gpt-5.1-codex"
OPEN = "danger-full-access"
PROVIDER = "agenteval"
KEY = "AGENTEVAL_MODEL_KEY"
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
START = 'mkdir -p "$CODEX_HOME" "$TMPDIR" || exit 125; prompt=$1; shift; exec "$@" <"$prompt"'


class Codex(InstalledAgent):
    """Runs Codex with a private CODEX_HOME and without the operator's configuration and rules.

    It may do everything that its box allows: its own sandbox is off, because inside
    of another one it lets every command fail, without an event. It knows no limit on turns or
    cost. Settings of a variant become `-c key=value`, its MCP servers `mcp_servers`.
    """

    name = "codex"
    distribution = Distribution(
        "codex",
        "npm install @openai/codex",
        (
            "@openai/codex-*/vendor/*/bin/codex",
            "@openai/codex/node_modules/@openai/codex-*/vendor/*/bin/codex",
        ),
        shows=2,
    )
    wire_formats = ("responses",)
    applies = frozenset(("settings", "args", "mcp"))
    user_config = (".codex",)

    def launch(self, job: Job, view: View) -> Launch:
        """Everything is on the command line; only the prompt is a file."""
        endpoint, overlay = self._endpoint(job), self._overlay(job)
        _refuse_own_sandbox(overlay.settings)
        provider = {
            "name": PROVIDER,
            "base_url": f"{endpoint.url}/v1",
            "env_key": KEY,
            "wire_api": "responses",
        }
        settings = {
            "analytics": {"enabled": False},
            "check_for_update_on_startup": False,
            "shell_environment_policy": {"exclude": [KEY]},
        }
        told = [
            *settings_flags(settings),
            *settings_flags(overlay.settings),
            *settings_flags({"mcp_servers": overlay.mcp} if overlay.mcp else {}),
            # last, so that a variant cannot lead its agent past the gateway
            *settings_flags({"model": endpoint.model or MODEL, "model_provider": PROVIDER}),
            *settings_flags({"model_providers": {PROVIDER: provider}}),
        ]
        flags = ["exec", "--json", "--ephemeral", "--skip-git-repo-check", "--disable", "plugins"]
        if not self.with_user_config:
            flags += ["--ignore-user-config", "--ignore-rules"]
        flags += ["-s", OPEN, "-C", view.workspace]
        # its helper links are not made where CODEX_HOME lies below TMPDIR
        inside = view.home == view.tmp or view.home.startswith(f"{view.tmp}/")
        return Launch(
            argv=[
                *("sh", "-c", START, "sh", f"{view.inputs}/prompt.md"),
                *(*self.program.command, *flags, *told, *overlay.args, "-"),
            ],
            env={
                "CODEX_HOME": f"{view.home}/.codex",
                "TMPDIR": f"{view.home}/tmp" if inside else view.tmp,
                KEY: endpoint.key,
            },
            read_only=self.program.shown,
        )

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read its events; a refused command is told on standard error alone."""
        del job
        return read_codex(output.stdout, output.stderr)


def _refuse_own_sandbox(settings: Mapping[str, Any]) -> None:
    mode = settings.get("sandbox_mode", OPEN)
    if mode != OPEN:
        raise InvalidInput(
            f"The variant has Codex use its own sandbox ({mode}), which cannot work inside of agenteval's",
            "variant, key settings.sandbox_mode",
            "leave it out: --sandbox of agenteval says what the agent may reach",
        )


def settings_flags(settings: Mapping[str, Any]) -> list[str]:
    """Settings as `-c dotted.key=value`, with values in TOML.

    >>> settings_flags({"a": {"b": ["x", 1], "c d": True}, "e": 0.5})
    ['-c', 'a={b = ["x", 1], "c d" = true}', '-c', 'e=0.5']
    >>> settings_flags({"a": {"b": {"c": "d"}}})
    ['-c', 'a.b.c="d"']
    """
    return [word for key, value in _leaves(settings) for word in ("-c", f"{key}={_toml(value)}")]


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and their values; a table with a key that cannot stand in one is a value itself."""
    for key, value in settings.items():
        dotted = f"{prefix}{key}"
        if isinstance(value, Mapping) and value and all(map(BARE_KEY.fullmatch, value)):
            yield from _leaves(value, f"{dotted}.")
        else:
            yield dotted, value


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(str(key))} = {_toml(inner)}" for key, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    raise InvalidInput(
        f"A setting of the variant holds {value!r}, which Codex has no word for",
        "variant, key settings or mcp",
        "leave the key out",
    )


def _toml_key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else _toml(key)
