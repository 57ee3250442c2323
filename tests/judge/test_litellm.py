"""Judges through litellm, where it is installed (extra `llm`), against the scripted server."""

import importlib.util
import warnings

import pytest

from agenteval.errors import MissingProgram
from agenteval.judge import Asking, Work, judge_work
from agenteval.judge.dialects import Request
from agenteval.judge.lite import LiteLLM
from agenteval.records import JudgeQuestion, JudgeSettings

HERE = importlib.util.find_spec("litellm") is not None
QUESTION = JudgeQuestion(rubric="Right.", model="hosted_vllm/m")
SETTINGS = JudgeSettings(retries=1, first_wait_s=0.0, timeout_s=20)


@pytest.fixture
def through(serve, monkeypatch):
    """Judge by a server that litellm finds by its environment variable."""
    if not HERE:
        pytest.skip("litellm is not installed: pip install 'agenteval[llm]'")

    def judge(*steps):
        server = serve(*steps)
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        monkeypatch.setenv("HOSTED_VLLM_API_KEY", "none")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # litellm's own
            return judge_work(Work("t", "a"), QUESTION, Asking(SETTINGS)), server

    return judge


def test_a_reply_through_litellm(through, scripted):
    judged, server = through(scripted.says(0.9))
    [sample] = judged.samples
    assert (judged.passed, sample.input_tokens, sample.output_tokens) == (True, 100, 10)
    assert "Right." in server.seen[0]["user"]
    # a model without a price is not free
    assert sample.cost_usd is None


def test_a_provider_that_fails_is_tried_again_by_us_and_then_missing(through, scripted):
    judged, server = through({"status": 500}, scripted.says(1))
    assert judged.passed
    assert len(server.seen) == 2
    judged, server = through({"status": 401})
    assert (judged.error_class, len(server.seen)) == ("judge_provider_down", 1)
    assert judged.samples[0].problem == "http_401"


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("agenteval.judge.lite.importlib.import_module", missing)
    with pytest.raises(MissingProgram, match="litellm"):
        LiteLLM().ask(Request("m", "s", "u", 16), timeout_s=1)
