"""Claude Code, headless: `claude -p`, with the prompt on standard input."""

from __future__ import annotations

import json
from pathlib import Path

from agenteval.agents.claude_code_output import read_claude_code
from agenteval.agents.installed import InstalledAgent
from agenteval.agents.programs import Distribution
from agenteval.agents.protocol import AgentReport, Job, Launch, Output
from agenteval.records import Overlay
from agenteval.sandbox import View

MODEL = "claude-sonnet-4-5"
# the release in which the flag was first seen; older ones end at once where it is given
KNOWS_PROMPTS = (2, 1, 332)
TOOLS = ("Bash", "Skill")
# a file on standard input: an argument holds 128 KB at most, and may not begin with a dash
START = 'mkdir -p "${CLAUDE_CONFIG_DIR:-$HOME/.claude}" || exit 125; prompt=$1; shift; exec "$@" <"$prompt"'
QUIET = {
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
# of its own ten it waits three minutes, also after a 401; the gateway asks again where that helps
RETRIES = {"CLAUDE_CODE_MAX_RETRIES": "3"}


class ClaudeCode(InstalledAgent):
    """Runs Claude Code with a private configuration folder and the project's own settings alone.

    It may edit files and run any command: the box is its sandbox. What else would need somebody's
    permission is denied, and told among the denials. Its MCP servers are those of the variant, never
    the project's `.mcp.json`.
    """

    name = "claude-code"
    distribution = Distribution(
        "claude",
        "npm install @anthropic-ai/claude-code",
        (
            "@anthropic-ai/claude-code-*/claude",
            "@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-*/claude",
        ),
    )
    wire_formats = ("anthropic",)
    applies = frozenset(("settings", "args", "plugin_dirs", "mcp"))
    passes_on = frozenset(("turns", "cost"))
    user_config = (".claude", ".claude.json")
    # what its own sandbox, if a variant turns that on, leaves in the workspace as empty files when
    # it is killed
    stubs = (
        *(".bash_profile", ".bashrc", ".profile", ".zprofile", ".zshrc", ".gitconfig"),
        *(".gitmodules", ".mcp.json", ".ripgreprc", ".idea", ".vscode"),
    )

    def launch(self, job: Job, view: View) -> Launch:
        """The prompt goes in as a file; settings and MCP servers are files too."""
        overlay = self._overlay(job)
        files = {"claude-mcp.json": _json({"mcpServers": overlay.mcp})} if overlay.mcp else {}
        if overlay.settings:
            files["claude-settings.json"] = _json(overlay.settings)
        return Launch(
            argv=[
                *("sh", "-c", START, "sh", f"{view.inputs}/prompt.md"),
                *self.program.command,
                *self._flags(job),
                *_overlaid(overlay, view),
            ],
            env=self._environment(job, view),
            files=files,
            read_only=(*self.program.shown, *map(Path, overlay.plugin_dirs)),
        )

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read its events; the exit code is 0 also after an interrupt, and decides nothing."""
        del job
        return read_claude_code(output.stdout)

    def _flags(self, job: Job) -> list[str]:
        limits = job.task.task
        flags = ["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]
        flags += ["--permission-mode", "acceptEdits"]
        if self.program.release >= KNOWS_PROMPTS:
            flags += ["--permission-prompts", "none"]
        flags += ["--model", self._endpoint(job).model or MODEL]
        if limits.max_turns is not None:
            flags += ["--max-turns", str(limits.max_turns)]
        if limits.max_cost_usd is not None:
            flags += ["--max-budget-usd", f"{limits.max_cost_usd:g}"]
        if not self.with_user_config:
            flags += ["--setting-sources", "project", "--strict-mcp-config"]
        return flags

    def _environment(self, job: Job, view: View) -> dict[str, str]:
        endpoint = self._endpoint(job)
        told = self._overlay(job).env
        env = {
            **{name: value for name, value in RETRIES.items() if name not in told},
            **QUIET,
            # without it the operator's .claude.json is looked for where it is
            **({} if self.with_user_config else {"CLAUDE_CONFIG_DIR": f"{view.home}/.claude"}),
            "ANTHROPIC_BASE_URL": endpoint.url,
            "ANTHROPIC_API_KEY": endpoint.key,
        }
        model = endpoint.model
        if model is not None and not model.startswith("claude-"):
            # side requests would ask for models that no provider of this one has
            env |= {
                f"ANTHROPIC_DEFAULT_{size}_MODEL": model for size in ("HAIKU", "SONNET", "OPUS")
            }
        return env


def _overlaid(overlay: Overlay, view: View) -> list[str]:
    """Flags for what a variant brings; its own arguments are last."""
    flags: list[str] = []
    if overlay.settings:
        flags += ["--settings", f"{view.inputs}/claude-settings.json"]
    if overlay.mcp:
        flags += ["--mcp-config", f"{view.inputs}/claude-mcp.json"]
    for folder in overlay.plugin_dirs:
        flags += ["--plugin-dir", folder]
    allowed = ",".join((*TOOLS, *(f"mcp__{name}" for name in overlay.mcp)))
    return [*flags, "--allowedTools", allowed, *overlay.args]


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
