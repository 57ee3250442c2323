"""Gemini CLI, headless: the prompt on standard input, `-o stream-json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agenteval.agents.gemini_output import read_gemini
from agenteval.agents.installed import InstalledAgent
from agenteval.agents.programs import Distribution
from agenteval.agents.protocol import AgentReport, Job, Launch, Output
from agenteval.sandbox import View

MODEL = "gemini-2.5-flash"
SETTINGS = "gemini-settings.json"
# settings of the system's own place would count for more, but are only taken where root has the folder
START = """prompt=$1 settings=$2; shift 2
mkdir -p "$HOME/.gemini" && rm -rf "$HOME/.gemini/settings.json" || exit 125
cp "$settings" "$HOME/.gemini/settings.json" || exit 125
exec "$@" <"$prompt"
"""
NO_SERVER = "none"
# it exits while its last lines wait for the pipe to be read, and they are lost: let writes wait
BLOCKING = "gemini-blocking.cjs"
SCRIPT = b"for (const s of [process.stdout, process.stderr]) s._handle?.setBlocking?.(true);\n"


class Gemini(InstalledAgent):
    """Runs Gemini CLI with settings of its own in a private HOME.

    It may do everything that its box allows. Of MCP servers it gets those of the variant, never the
    project's own. Of an operator's configuration it uses memory, commands and extensions; its
    settings are the variant's in any case.
    """

    name = "gemini"
    distribution = Distribution("gemini", "npm install @google/gemini-cli")
    wire_formats = ("gemini",)
    applies = frozenset(("settings", "args", "mcp"))
    passes_on = frozenset(("turns",))
    user_config = (".gemini",)

    def launch(self, job: Job, view: View) -> Launch:
        """Its settings are copied into HOME, where it reads them as the user's."""
        endpoint, overlay = self._endpoint(job), self._overlay(job)
        argv = [
            *("sh", "-c", START, "sh", f"{view.inputs}/prompt.md", f"{view.inputs}/{SETTINGS}"),
            *(*self._command(view), "-m", endpoint.model or MODEL, "-o", "stream-json"),
            *("--approval-mode", "yolo", "--skip-trust"),
            *(f"--allowed-mcp-server-names={name}" for name in self._servers(job)),
            *overlay.args,
        ]
        return Launch(
            argv=argv,
            env={
                "GEMINI_API_KEY": endpoint.key,
                "GOOGLE_GEMINI_BASE_URL": endpoint.url,
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
            files={SETTINGS: json.dumps(self._settings(job)).encode(), BLOCKING: SCRIPT},
            read_only=self.program.shown,
        )

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read its events; the exit code is 0 also after a signal, and decides nothing."""
        return read_gemini(output.stdout, self._overlay(job).mcp)

    def _command(self, view: View) -> list[str]:
        first, *rest = self.program.command
        if not rest:
            return [first]
        node = "node" if view.own_path else first  # an image has its own
        return [node, "--require", f"{view.inputs}/{BLOCKING}", *rest]

    def _servers(self, job: Job) -> list[str]:
        """Names of the MCP servers that may be started: the project can bring some too."""
        return [] if self.with_user_config else [*self._overlay(job).mcp] or [NO_SERVER]

    def _settings(self, job: Job) -> dict[str, Any]:
        """The variant's settings, and above them what keeps the run hermetic."""
        overlay, turns = self._overlay(job), job.task.task.max_turns
        settings = merged(overlay.settings, {"mcpServers": overlay.mcp} if overlay.mcp else {})
        own: dict[str, Any] = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            **({} if turns is None else {"model": {"maxSessionTurns": turns}}),
        }
        return merged(settings, own)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two settings as one, in which the second has the last word.

    >>> merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 4}})
    {'a': {'b': 4, 'c': 2}, 'd': 3}
    """
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(old, value) if both and old else value
    return result
