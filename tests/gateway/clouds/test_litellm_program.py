"""Real agent programs at a model of Bedrock: sandbox, gateway, litellm, and a Bedrock that plays a script."""

import asyncio
import json
import os
import urllib.request

import pytest

from agenteval.agents import make_agent, make_arm
from agenteval.engine import Limits, ModelAccess, Retries, Settings, make_plan, run_plan
from agenteval.errors import MissingProgram
from agenteval.gateway import Gateway, PriceTable, Terms, parse_script
from agenteval.gateway.wire.protocol import ToolCall, Usage
from agenteval.records import StoreFolder
from agenteval.sandbox import bwrap_works, choose_sandbox
from agenteval.suite import load_suite

# litellm's own
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")

CLAUDE = "bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0"
FIGURES = {"input_tokens": 1000, "cache_read_tokens": 200, "cache_write_tokens": 30, "output_tokens": 50}  # fmt: skip
STEPS = [
    {"calls": [{"run": "sed -i s/broken/fixed/ app.txt"}], "usage": FIGURES},
    {"text": "All done.", "usage": FIGURES},
]
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def as_messages(body: dict) -> dict:
    """A request of Converse in the format of Messages, which a scripted model understands."""

    def part(block: dict) -> dict:
        if "toolUse" in block:
            call = block["toolUse"]
            return {"type": "tool_use", "id": call["toolUseId"], "name": call["name"], "input": call["input"]}  # fmt: skip
        if "toolResult" in block:
            result = block["toolResult"]
            texts = [{"type": "text", "text": each.get("text", "")} for each in result["content"]]
            return {"type": "tool_result", "tool_use_id": result["toolUseId"], "content": texts}
        return {"type": "text", "text": block.get("text", "")}

    specs = [tool["toolSpec"] for tool in body.get("toolConfig", {}).get("tools", ()) if "toolSpec" in tool]  # fmt: skip
    return {
        "model": "m",
        "max_tokens": 1000,
        "messages": [
            {"role": each["role"], "content": [part(block) for block in each["content"]]}
            for each in body["messages"]
        ],
        "tools": [
            {"name": spec["name"], "input_schema": spec["inputSchema"]["json"]} for spec in specs
        ],  # fmt: skip
    }


class Playing:
    """A Bedrock whose answers a scripted model makes."""

    def __init__(self, clouds, gateway):
        self._clouds = clouds
        self.session = gateway.open(Terms(script=parse_script(json.dumps({"steps": STEPS}))))
        self._url = gateway.url + self.session.path + "/v1/messages"
        clouds.provider.steps.append(self.step)

    def _ask(self, body: dict) -> dict:
        data = json.dumps(body | {"stream": False}).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url, data), timeout=60) as answer:
            return json.loads(answer.read())

    async def step(self, request, seen):
        self._clouds.provider.steps.append(self.step)
        converses = "/converse" in seen.path
        body = as_messages(seen.json) if converses else seen.json
        found = await asyncio.to_thread(self._ask, body)
        text = "".join(each["text"] for each in found["content"] if each["type"] == "text")
        calls = [each for each in found["content"] if each["type"] == "tool_use"]
        call = ToolCall(calls[0]["name"], calls[0]["id"], calls[0]["input"]) if calls else None
        told = found["usage"]
        usage = Usage(told["input_tokens"], told["cache_read_input_tokens"], told["cache_creation_input_tokens"], told["output_tokens"])  # fmt: skip
        return await self._clouds.says(text, call, usage)(request, seen)


@pytest.mark.parametrize("program", ["claude-code", "codex", "mini-swe-agent"])
def test_a_program_works_at_a_model_of_bedrock(clouds, tmp_path, program):
    required = os.environ.get("CI") == "true"
    try:
        make_agent(program).version()
    except MissingProgram as error:
        if required:
            raise
        pytest.skip(error.what)
    problem = bwrap_works()
    if problem is not None and not required:
        pytest.skip(f"bubblewrap: {problem}")
    task = tmp_path / "suite/one"
    (task / "repo").mkdir(parents=True)
    (task / "repo/app.txt").write_text("broken\n")
    (task / "prompt.md").write_text("Fix app.txt.\n")
    (task / "task.toml").write_text(
        'id = "one"\ntimeout_s = 120\n[[checks]]\nkind = "command"\nname = "fixed"\nrun = "grep -q fixed app.txt"\n'
    )
    place = tmp_path / "cloud"
    place.mkdir()
    with Gateway(prices=PriceTable.load(), scratch=place) as gateway:
        playing = Playing(clouds, gateway)
        arm = make_arm(program, model=CLAUDE)
        plan = make_plan("r", "suite", load_suite(tmp_path / "suite").tasks, [arm], upstreams=())
        settings = Settings(
            tmp_path / "store", choose_sandbox("bwrap"), retries=Retries(0), limits=Limits(), models=ModelAccess()
        )  # fmt: skip
        (row,) = run_plan(plan, settings, None).attempts
        served = playing.session.close()
    store = StoreFolder(tmp_path / "store")
    folder = store.run("r").attempt(row.trial_id, row.attempt)
    told = "\n".join(
        path.read_text("utf-8", "replace")[-3000:] for path in folder.glob("*.txt") if path.is_file()
    )  # fmt: skip
    assert (row.status, row.ended_by) == ("pass", "agent"), f"{row.error_message}\n{told}"
    assert row.requests == served.requests
    for bucket in BUCKETS:
        assert getattr(row, bucket) == getattr(served, bucket) > 0
    assert row.cost_source == "metered"
    assert row.cost_usd > 0
    secrets = [value.encode() for value in clouds.keys.values()]
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not any(secret in data for secret in secrets), path
