"""mini-swe-agent: a loop with one tool, the shell; its trajectory is what the engine reads."""

from __future__ import annotations

import json
from typing import ClassVar, Literal

from agenteval.agents.litellm_names import reached_by
from agenteval.agents.mini_swe_agent_trajectory import Trajectory, read_trajectory
from agenteval.agents.programs import Distribution
from agenteval.agents.protocol import AgentReport, Job, Launch, Output
from agenteval.agents.venv_programs import VenvAgent
from agenteval.records import OverlayKey
from agenteval.sandbox import View

# The trajectory is written after every step to where the engine looks for an answer, so it is there
# whoever ends the program. What the model runs is not told where. The program starts in the folder
# of inputs: it would take a `mini.yaml` or `.env` of the workspace for its own.
START = b"""trap : TERM INT
told=$AGENTEVAL_ANSWER
unset AGENTEVAL_ANSWER
rm -f -- "$told"
cd "$1" && shift
"$@" -o "$told"
code=$?
if [ -f "$told" ] && [ "$(wc -c <"$told")" -gt 3000000 ]; then
  gzip -c "$told" >"$told.gz" && mv -f "$told.gz" "$told"
fi
exit "$code"
"""


class MiniSweAgent(VenvAgent):
    """`mini` of mini-swe-agent, without questions, and with no configuration but the variant's."""

    name = "mini-swe-agent"
    distribution = Distribution("mini", "pip install 'agenteval[agents]'")
    package = "mini-swe-agent"
    wire_formats: ClassVar[tuple[str, ...]] = ("chat", "anthropic")
    applies: ClassVar[frozenset[OverlayKey]] = frozenset({"settings", "args"})
    passes_on: ClassVar[frozenset[str]] = frozenset({"turns", "cost"})

    def launch(self, job: Job, view: View) -> Launch:
        """Start `mini` through a small script that sees to the trajectory."""
        endpoint, overlay = self._endpoint(job), self._overlay(job)
        limits = job.task.task
        reached = reached_by(job, endpoint)
        config = {
            "model": {"model_kwargs": {"api_base": reached.base}},
            "environment": {"cwd": view.workspace},
            "agent": {"step_limit": limits.max_turns or 0},
            "run": {"task": job.task.prompt},  # an argument holds 128 KB at most
        }
        files = {"start.sh": START, "agenteval.yaml": json.dumps(config).encode()}
        configs = ["mini.yaml"]
        if overlay.settings:
            files["variant.yaml"] = json.dumps(overlay.settings).encode()
            configs.append(f"{view.inputs}/variant.yaml")
        configs.append(f"{view.inputs}/agenteval.yaml")
        argv = [
            *("sh", f"{view.inputs}/start.sh", view.inputs),
            *self.program.command,
            *("-m", reached.name, "-y", "--exit-immediately"),
            *(part for config_file in configs for part in ("-c", config_file)),
            *("-l", str(limits.max_cost_usd or 0), *overlay.args),
        ]
        # what a variant may set otherwise: the gateway has tried again already
        tunable = {"MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3"}
        env = {name: value for name, value in tunable.items() if name not in overlay.env} | {
            "MSWEA_CONFIGURED": "true",
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_GLOBAL_CONFIG_DIR": f"{view.home}/mini-swe-agent",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_MODE": "PRODUCTION",  # else it reads a .env
            reached.key_name: endpoint.key,
        }
        return Launch(argv=argv, env=env, files=files, read_only=self.program.shown)

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read the trajectory; without the message that ends it, the run is a crash."""
        found = read_trajectory(output.answer_file or b"")
        return AgentReport(
            answer=found.answer,
            finished=found.finished,
            stop_reason=found.exit_status,
            usage=found.usage,
            events=found.events,
            limit=_limit(found, job),
            used=frozenset() if found.exit_status else None,
        )


def _limit(found: Trajectory, job: Job) -> Literal["turns", "cost"] | None:
    """Which of the two limits it was: the trajectory has one name for both."""
    if found.exit_status != "LimitsExceeded":
        return None
    steps = job.task.task.max_turns
    return "turns" if steps is not None and (found.usage["turns"] or 0) >= steps else "cost"
