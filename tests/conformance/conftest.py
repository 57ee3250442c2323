"""One bench for every real agent program: the engine, its sandbox, the gateway, a scripted provider."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agenteval.agents import make_agent, make_arm
from agenteval.engine import Limits, ModelAccess, Retries, Settings, make_plan, run_plan
from agenteval.errors import MissingProgram
from agenteval.gateway import Gateway, Pace, PriceTable, Session, Terms, Upstream, parse_script
from agenteval.gateway.wire.protocol import Usage
from agenteval.records import Overlay, StoreFolder
from agenteval.sandbox import bwrap_works, choose_sandbox
from agenteval.suite import load_suite

PROGRAMS = ("claude-code", "codex", "gemini", "mini-swe-agent", "opencode")
IN_CI = ("claude-code", "codex", "mini-swe-agent")  # what .ci/run installs
# what each program knows and the price table has
MODELS = {
    "claude-code": "claude-sonnet-4-5",
    "codex": "gpt-5.1-codex",
    "gemini": "gemini-2.5-flash",
    "mini-swe-agent": "gpt-5.1",
    "opencode": "gpt-5.1",
}
# calls with which a program says that it is done
LAST_CALLS = {"mini-swe-agent": 1}
QUICK = Pace(first_wait_s=0.05, longest_wait_s=5.0, tries_limited=2, tries_failed=1)
CHECK = '[[checks]]\nkind = "command"\nname = "fixed"\nrun = "grep -q fixed app.txt"\n'
TASK_TIMEOUT_S = 120


class Proving:
    """Runs one program on small tasks, with a provider on this machine that plays a script."""

    def __init__(self, program: str, folder: Path, stack: ExitStack) -> None:
        self.program, self.folder, self._stack = program, folder, stack
        self.suite, self.store = folder / "suite", StoreFolder(folder / "store")
        self.model = f"local/{MODELS[program]}"
        self.provider: Session | None = None
        self.access = ModelAccess(pace=QUICK)

    def task(self, name: str = "one", keys: str = "", prompt: str = "Fix app.txt.\n") -> None:
        (self.suite / name / "repo").mkdir(parents=True)
        (self.suite / name / "repo/app.txt").write_text("broken\n")
        (self.suite / name / "prompt.md").write_text(prompt)
        if "timeout_s" not in keys:
            keys += f"\ntimeout_s = {TASK_TIMEOUT_S}"
        (self.suite / name / "task.toml").write_text(f'id = "{name}"\n{keys}\n{CHECK}')

    def serve(self, *steps: dict, **keys) -> None:
        """Start the provider."""
        place = self.folder / f"provider-{len(list(self.folder.iterdir()))}"
        place.mkdir()
        gateway = self._stack.enter_context(Gateway(prices=PriceTable.load(), scratch=place))
        script = parse_script(json.dumps({"steps": list(steps), **keys}))
        self.provider = gateway.open(Terms(script=script))
        upstream = Upstream(name="local", base_url=gateway.url + self.provider.path)
        self.access = ModelAccess((upstream,), pace=QUICK)

    def script(self, *steps: dict) -> str:
        path = self.folder / f"script-{len(list(self.folder.iterdir()))}.json"
        path.write_text(json.dumps({"steps": list(steps)}))
        return f"scripted:{path}"

    def run(self, model: str | None = None, *, faults=None, progress=None, run_id="r", **settings):
        overlay = None if faults is None else Overlay.model_validate({"faults": faults})
        arm = make_arm(
            self.program,
            model=model or self.model,
            overlay=overlay,
            variant=None if faults is None else "faulty",
        )
        plan = make_plan(
            run_id, "suite", load_suite(self.suite).tasks, [arm], upstreams=self.access.upstreams
        )
        told = {"retries": Retries(0), "limits": Limits(), "models": self.access, **settings}
        result = run_plan(
            plan, Settings(self.store.path, choose_sandbox("bwrap"), **told), progress
        )
        return result.attempts

    @property
    def last_calls(self) -> int:
        """Tool calls with which the program says that it is done."""
        return LAST_CALLS.get(self.program, 0)

    def first_cost(self, **tokens: int) -> float:
        """Dollars of one answer with these tokens."""
        cost = PriceTable.load().cost(MODELS[self.program], Usage(**tokens))
        assert cost is not None
        return cost

    def one(self, *arguments, **options):
        (row,) = self.run(*arguments, **options)
        return row

    def artifact(self, row, name: str) -> bytes:
        folder = self.store.run(row.run_id)
        path = folder.attempt(row.trial_id, row.attempt) / name
        return path.read_bytes() if path.exists() else b""

    def events(self, row) -> list[dict]:
        return [json.loads(line) for line in self.artifact(row, "events.jsonl").splitlines()]

    def told(self, row) -> str:
        """What there is to say of a trial that came out otherwise."""
        ends = (
            self.artifact(row, "stdout.txt")[-3000:]
            + b"\n---\n"
            + self.artifact(row, "stderr.txt")[-1500:]
        )
        return f"{row.status} {row.ended_by} {row.error_class} {row.error_message}\n{ends.decode('utf-8', 'replace')}"


@pytest.fixture(params=PROGRAMS)
def proving(request, tmp_path) -> Iterator[Proving]:
    program, required = request.param, os.environ.get("CI") == "true"
    problem = bwrap_works()
    if problem is not None and not required:
        pytest.skip(f"bubblewrap: {problem}")
    assert problem is None, problem
    try:
        make_agent(program).version()
    except MissingProgram as error:
        if required and program in IN_CI:
            raise
        pytest.skip(error.what)
    with ExitStack() as stack:
        yield Proving(program, tmp_path, stack)
