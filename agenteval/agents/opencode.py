"""opencode, headless: `opencode run --format json`, with the prompt on standard input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from agenteval.agents.installed import InstalledAgent
from agenteval.agents.litellm_names import CHAT_MODEL, provider_of
from agenteval.agents.opencode_output import read_opencode
from agenteval.agents.programs import Distribution
from agenteval.agents.protocol import AgentReport, Endpoint, Job, Launch, Output
from agenteval.records import OverlayKey
from agenteval.sandbox import View

# a file on standard input: an argument holds 128 KB at most, and may not begin with a dash
START = 'prompt=$1; shift; exec "$@" <"$prompt"'
PROVIDER = "agenteval"
PACKAGES = {"anthropic": "@ai-sdk/anthropic"}
# the box is the sandbox; what would be asked is stopped, since nobody could answer
PERMISSION = {
    **dict.fromkeys(("bash", "doom_loop", "edit", "external_directory", "webfetch"), "allow"),
    "question": "deny",
}


class Opencode(InstalledAgent):
    """Runs opencode with private folders for all that it keeps, and without plugins.

    It has no limit on turns or cost that holds. The project's own opencode.json is read, its MCP
    servers included (the only switch against that would hide its AGENTS.md too); the variant's
    settings come on top of it.
    """

    name = "opencode"
    distribution = Distribution(
        "opencode",
        "npm install opencode-ai",
        # without its install script, the first is a text that says so
        ("opencode-ai/bin/opencode.exe", "opencode-linux-*/bin/opencode"),
    )
    wire_formats: ClassVar[tuple[str, ...]] = ("chat", "anthropic")
    applies: ClassVar[frozenset[OverlayKey]] = frozenset({"settings", "args", "mcp"})
    user_config: ClassVar[tuple[str, ...]] = (".config/opencode",)

    def launch(self, job: Job, view: View) -> Launch:
        """Everything it needs to know is in variables; the prompt goes in as a file."""
        endpoint, overlay = self._endpoint(job), self._overlay(job)
        model = endpoint.model or CHAT_MODEL
        config = merged(_defaults(model), overlay.settings, _fixed(job, endpoint, model))
        config = merged(config, {"mcp": {n: _server(s) for n, s in overlay.mcp.items()}})
        argv = [
            *("sh", "-c", START, "sh", f"{view.inputs}/prompt.md", *self.program.command),
            *("run", "--format", "json", "--pure", "-m", f"{PROVIDER}/{model}", "--title", "task"),
            *overlay.args,
        ]
        folders = {
            f"XDG_{kind}_HOME": f"{view.home}/{path}"
            for kind, path in (
                ("DATA", ".local/share"),
                ("CONFIG", ".config"),
                ("CACHE", ".cache"),
                ("STATE", ".local/state"),
            )
        }
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "PRUNE")
        return Launch(
            argv=argv,
            env={
                **folders,
                **{f"OPENCODE_DISABLE_{name}": "1" for name in switches},
                "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            },
            read_only=self.program.shown,
        )

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read its events; the exit code decides nothing."""
        return read_opencode(output.stdout, self._overlay(job).mcp)


def _defaults(model: str) -> dict[str, Any]:
    """What a variant may set otherwise."""
    known = {"limit": {"context": 200_000, "output": 32_000}, "tool_call": True}
    return {
        "permission": PERMISSION,
        "snapshot": False,
        "provider": {PROVIDER: {"models": {model: {"name": model, **known}}}},
    }


def _fixed(job: Job, endpoint: Endpoint, model: str) -> dict[str, Any]:
    """What holds in any case."""
    package = PACKAGES.get(provider_of(job), "@ai-sdk/openai-compatible")
    options = {"baseURL": f"{endpoint.url}/v1", "apiKey": endpoint.key}
    return {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "model": f"{PROVIDER}/{model}",
        "small_model": f"{PROVIDER}/{model}",
        "provider": {PROVIDER: {"npm": package, "name": PROVIDER, "options": options}},
    }


def merged(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Settings on top of each other; objects are merged, of all else the last one holds.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    found: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            both = isinstance(value, Mapping) and isinstance(found.get(key), Mapping)
            found[key] = merged(found[key], value) if both else value
    return found


def _server(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """An MCP server as opencode has it; the usual form (`command`, `args`, `env`) is translated."""
    if isinstance(told.get("command"), str):
        command = [told["command"], *told.get("args", ())]
        return {"type": "local", "command": command, "environment": told.get("env", {})}
    if "url" in told and told.get("type") not in ("local", "remote"):
        return {"type": "remote", "url": told["url"], "headers": told.get("headers", {})}
    return told
