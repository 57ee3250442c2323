"""aider: edits files by what the model writes; it runs no commands and has no tools."""

from __future__ import annotations

from typing import ClassVar

from agenteval.agents.aider_output import read_aider
from agenteval.agents.litellm_names import reached_by
from agenteval.agents.programs import Distribution
from agenteval.agents.protocol import AgentReport, Job, Launch, Output
from agenteval.agents.venv_programs import VenvAgent
from agenteval.records import OverlayKey
from agenteval.sandbox import View

# The log is written as it goes to where the engine looks for an answer; the history follows it at
# the end. Its cache of tags is no part of the work. A table of prices keeps it from fetching one.
START = b"""trap : TERM INT
told=$AGENTEVAL_ANSWER
unset AGENTEVAL_ANSWER
rm -rf -- "$told" "$HOME/aider"
mkdir -p "$HOME/aider" "$HOME/.aider/caches"
echo '{"none": {}}' >"$HOME/.aider/caches/model_prices_and_context_window.json"
"$@" --analytics-log "$told" --chat-history-file "$HOME/aider/chat.md"
code=$?
if [ -f "$HOME/aider/chat.md" ]; then
  printf '\\n=== chat history ===\\n' >>"$told" && cat "$HOME/aider/chat.md" >>"$told"
fi
rm -rf .aider.tags.cache.v*
exit "$code"
"""
QUIET = (
    "--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-check-update",
    "--no-show-release-notes", "--no-analytics", "--no-show-model-warnings", "--no-pretty", "--no-stream",
    "--no-detect-urls", "--no-suggest-shell-commands", "--no-fancy-input", "--no-browser",
)  # fmt: skip
SCRIPTED = "scripted:"


class Aider(VenvAgent):
    """Runs aider on one message, in the workspace, without commits of its own.

    It is told the model's address by arguments: a `.env` of the workspace would win over variables.
    Its model is offered no tools: it edits by what is written. A scripted model tells files whole,
    so aider is started with that edit format then; a variant's `--edit-format` holds over it.
    """

    name = "aider"
    distribution = Distribution("aider", "python3 -m venv DIR && DIR/bin/pip install aider-chat")
    package = "aider-chat"
    wire_formats: ClassVar[tuple[str, ...]] = ("chat", "anthropic")
    applies: ClassVar[frozenset[OverlayKey]] = frozenset({"args"})
    toolless: ClassVar[bool] = True

    def launch(self, job: Job, view: View) -> Launch:
        """Start aider through a small script that sees to its log."""
        endpoint, overlay = self._endpoint(job), self._overlay(job)
        reached = reached_by(job, endpoint)
        histories = f"{view.home}/aider"
        scripted = (job.arm.model or "").startswith(SCRIPTED)
        argv = [
            *("sh", f"{view.inputs}/start.sh", *self.program.command),
            *("--model", reached.name, "--weak-model", reached.name),
            *("--set-env", f"{reached.base_name}={reached.base}"),
            *("--set-env", f"{reached.key_name}={endpoint.key}"),
            *("--message-file", f"{view.inputs}/prompt.md", *QUIET),
            *(("--edit-format", "whole") if scripted else ()),
            *("--input-history-file", f"{histories}/input"),
            *("--llm-history-file", f"{histories}/llm", *overlay.args),
        ]
        env = {
            "AIDER_ANALYTICS": "false",
            # it shows its files in the order of a set, which would be another one in a replay
            "PYTHONHASHSEED": "0",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_MODE": "PRODUCTION",
        }
        return Launch(argv=argv, env=env, files={"start.sh": START}, read_only=self.program.shown)

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read its log; without the entry that ends it, the run is a crash."""
        del job
        return read_aider(output.stdout, output.answer_file)
