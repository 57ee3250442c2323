"""An adapter for `loop.py`: how it is started, and how what it prints is read."""

import json
from pathlib import Path

from agenteval.agents import AgentReport, Launch
from agenteval.records import digest

LOOP = Path(__file__).with_name("loop.py")
CALL = {"kind": "tool_call", "tool": "shell", "tool_kind": "shell"}


class MyAgent:
    """`--agent module:notebooks/my_agent/adapter.py`."""

    name = "my-agent"
    needs_model = True

    def version(self):
        """As the program says itself; this one says nothing."""

    def inputs(self):
        """What makes it what it is."""
        return {"loop.py": digest(LOOP.read_bytes())}

    def launch(self, job, view):
        """How it is started: what it asks, where its model is, and in which files."""
        url, model = f"{job.endpoint.url}/v1/chat/completions", job.endpoint.model or "any"
        argv = ["python3", f"{view.inputs}/loop.py", url, model, f"{view.inputs}/prompt.md"]
        return Launch(argv, {"KEY": job.endpoint.key}, {"loop.py": LOOP.read_bytes()})

    def report(self, job, output):
        """How what it printed is read: an answer, or it was cut short."""
        whole = [line for line in output.stdout.splitlines() if line[:1] + line[-1:] == b"{}"]
        steps = [json.loads(line) for line in whole]
        answer = next((step["answer"] for step in steps if "answer" in step), None)
        events = [
            CALL | step | {"ok": not step["exit_code"]} for step in steps if "command" in step
        ]
        return AgentReport(answer or "", answer is not None, events=events)


agent = MyAgent()
