"""Scripted model servers, and judges that ask them."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from agenteval.judge import Asking, ReplyCache
from agenteval.records import JudgeProvider, JudgeQuestion, JudgeSettings


def load_server() -> ModuleType:
    """The module beside this file, which other folders of tests load too."""
    name = "judge_model_server"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, Path(__file__).with_name("model_server.py")
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def scripted() -> ModuleType:
    """`says`, `in_turn`, `ModelServer`."""
    return load_server()


@pytest.fixture
def serve(scripted) -> Iterator[Callable]:
    """Start a model server with a script, or with steps that are played in turn."""
    started = []

    def start(*steps):
        script = steps[0] if callable(steps[0]) else scripted.in_turn(*steps)
        started.append(scripted.ModelServer(script))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def asking() -> Callable[..., Asking]:
    """Ask the models of provider `local` at a server, without waiting between tries."""

    def make(
        server, *, cache=None, cancel=None, api="openai", key_env=None, prices=None, **settings
    ):
        provider = JudgeProvider(
            base_url=server.url,
            api=api,
            key_env=key_env,
            input_usd_per_mtok=None if prices is None else prices[0],
            output_usd_per_mtok=None if prices is None else prices[1],
        )
        settings = {"first_wait_s": 0.0, "timeout_s": 20.0, "retries": 2} | settings
        return Asking(
            JudgeSettings(providers={"local": provider}, **settings), ReplyCache(cache), cancel
        )

    return make


@pytest.fixture
def question() -> Callable[..., JudgeQuestion]:
    """A question to the model `local/m`, or to a panel."""

    def make(**changes) -> JudgeQuestion:
        base = {"rubric": "The answer is right and short."}
        if "panel" not in changes:
            base["model"] = "local/m"
        return JudgeQuestion(**base | changes)

    return make
