"""An agent that talks to a model, and a provider that is a script behind real wire formats."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Limits, ModelAccess, Retries, Settings, make_plan, run_plan
from agenteval.gateway import Gateway, Pace, PriceTable, Session, Terms, Upstream, parse_script
from agenteval.records import RunFolder, StoreFolder

AGENT = f"command:{sys.executable} {Path(__file__).with_name('agent.py')} {{prompt_file}}"
QUICK = Pace(first_wait_s=0.01, longest_wait_s=5.0, tries_limited=2, tries_failed=1)


class Lab:
    """Runs plans of one arm whose model is a script, a provider that is one, or a recording."""

    def __init__(self, bench, folder: Path, stack: ExitStack) -> None:
        self.bench, self.folder, self._stack = bench, folder, stack
        self.store = StoreFolder(folder / "store")
        self.provider: Session | None = None
        self.access = ModelAccess(pace=QUICK)
        self.agent = AGENT

    def serve(self, *steps: dict, **keys) -> ModelAccess:
        """Start a provider `local` on this machine that plays a script, whoever asks."""
        gateway = self._stack.enter_context(
            Gateway(prices=PriceTable.load(), scratch=self.folder / "provider")
        )
        script = parse_script(json.dumps({"steps": list(steps), **keys}))
        self.provider = gateway.open(Terms(script=script))
        upstream = Upstream(
            name="local", base_url=gateway.url + self.provider.path, key_env="LOCAL_KEY"
        )
        self.access = ModelAccess((upstream,), pace=QUICK)
        return self.access

    def script(self, *steps: dict) -> str:
        path = self.folder / "script.json"
        path.write_text(json.dumps({"steps": list(steps)}))
        return f"scripted:{path}"

    def run(self, model: str, *, run_id="r", agent=None, repeats=1, access=None, **settings):
        tasks = self.bench.loaded().tasks
        access = access or self.access
        arm = make_arm(
            agent or self.agent,
            model=model,
            overlay=settings.pop("overlay", None),
            variant=settings.pop("variant", None),
        )
        plan = make_plan(run_id, "suite", tasks, [arm], repeats=repeats, upstreams=access.upstreams)
        progress = settings.pop("progress", None)
        settings = {"retries": Retries(0), "limits": Limits(), **settings}
        result = run_plan(
            plan,
            Settings(
                self.store.path,
                self.bench.sandbox,
                models=access,
                suite_path=self.bench.suite,
                **settings,
            ),
            progress,
        )
        return result.attempts

    def one(self, model: str, **options):
        (row,) = self.run(model, **options)
        return row

    def artifact(self, row, name: str) -> bytes:
        folder: RunFolder = self.store.run(row.run_id)
        return (folder.attempt(row.trial_id, row.attempt) / name).read_bytes()


@pytest.fixture
def lab(bench, tmp_path, monkeypatch) -> Iterator[Lab]:
    monkeypatch.setenv("LOCAL_KEY", "the-operators-real-key")
    (tmp_path / "provider").mkdir()
    with ExitStack() as stack:
        yield Lab(bench, tmp_path, stack)
