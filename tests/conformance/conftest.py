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

PROGRAMS = ("claude-code", "codex", "gemini", "mini-swe-agent", "opencode", "aider")
IN_CI = ("claude-code", "codex", "mini-swe-agent")  # what .ci/run installs
# what each program knows and the price table has
MODELS = {
    "claude-code": "claude-sonnet-4-5",
    "codex": "gpt-5.1-codex",
    "gemini": "gemini-2.5-flash",
    "mini-swe-agent": "gpt-5.1",
    "opencode": "gpt-5.1",
    "aider": "gpt-5.1",
}
# other models than the ones that the programs take by themselves, of providers with formats of their own
OTHER_MODELS = {
    "claude-code": "anthropic/claude-opus-4-5",
    "codex": "openai/gpt-5.1",
    "gemini": "google/gemini-2.5-pro",
    "mini-swe-agent": "anthropic/claude-sonnet-4-5",
    "opencode": "anthropic/claude-sonnet-4-5",
    "aider": "anthropic/claude-sonnet-4-5",
}
# calls with which a program says that it is done
LAST_CALLS = {"mini-swe-agent": 1}
# programs whose model is offered no tools, and how it is told to edit
TOOLLESS = {"aider": ("--edit-format", "diff")}
BLOCK = "{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
FIXING = BLOCK.format(path="app.txt", old="broken\n", new="fixed\n")
# an edit that fails is told to the model: without one, aider ends after its first turn
FAILING = BLOCK.format(path="app.txt", old="not there\n", new="nor here\n")
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

    def serve(self, *steps: dict, name: str = "local") -> None:
        """Start the provider; it may bear the name of a known one, whose place it then takes."""
        place = self.folder / f"provider-{len(list(self.folder.iterdir()))}"
        place.mkdir()
        gateway = self._stack.enter_context(Gateway(prices=PriceTable.load(), scratch=place))
        script = parse_script(json.dumps(self._document(steps)))
        self.provider = gateway.open(Terms(script=script))
        upstream = Upstream(name=name, base_url=gateway.url + self.provider.path)
        self.access = ModelAccess((upstream,), pace=QUICK)

    def script(self, *steps: dict) -> str:
        path = self.folder / f"script-{len(list(self.folder.iterdir()))}.json"
        path.write_text(json.dumps(self._document(steps)))
        return f"scripted:{path}"

    def _document(self, steps: tuple[dict, ...]) -> dict:
        """The script, for a program without tools in the words that it edits by."""
        if self.has_tools:
            return {"steps": steps}
        return {"steps": [_in_text(step) for step in steps], "toolless": True}

    def writes(self, *paths: Path | str) -> dict:
        """A step that tries to write files, wherever they are."""
        if self.has_tools:
            return {"calls": [{"run": "; ".join(f"echo x > {path}" for path in paths) + "; true"}]}
        blocks = [BLOCK.format(path=path, old="", new="x\n") for path in paths]
        return {"text": "\n".join([*blocks, FAILING])}

    def run(
        self,
        model: str | None = None,
        *,
        faults=None,
        progress=None,
        run_id="r",
        plain=False,
        **settings,
    ):
        """Run it; `plain` leaves it to the program how its model is to edit."""
        told = {"args": TOOLLESS.get(self.program), "faults": faults}
        if plain or model == "scripted:reference":
            told["args"] = None  # which tells files whole
        told = {key: value for key, value in told.items() if value is not None}
        arm = make_arm(
            self.program,
            model=model or self.model,
            overlay=Overlay.model_validate(told) if told else None,
            variant="-".join(told) or None,
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
    def other_model(self) -> str:
        """A model that the program does not take by itself."""
        return OTHER_MODELS[self.program]

    @property
    def has_tools(self) -> bool:
        """Whether its model is offered tools, a shell among them."""
        return self.program not in TOOLLESS

    def need_commands(self) -> None:
        """Leave out a case that is about commands of the program's own."""
        if not self.has_tools:
            pytest.skip(f"{self.program} offers its model no tools, so it runs no commands")

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


def _in_text(step: dict) -> dict:
    """A step as a model without tools tells it; of commands, only the mending one has a meaning."""
    told = dict(step)
    calls = told.pop("calls", None)
    if calls is None:
        return told
    mends = any("sed -i s/broken/fixed/" in call["run"] for call in calls)
    return {**told, "text": f"{FIXING}\n{FAILING}" if mends else FAILING}


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
