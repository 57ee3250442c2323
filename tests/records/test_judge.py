"""What is asked of a judge, and how it is reached."""

import pytest

from agenteval.records import KNOWN_PROVIDERS, JudgeCheck, JudgeSettings, provider_of


@pytest.mark.parametrize(
    ("model", "provider"),
    [("local/meta/Llama-3", "local"), ("openai/gpt-5", "openai"), ("gemma", ""), ("", "")],
)
def test_a_provider_stands_before_the_first_slash(model, provider):
    assert provider_of(model) == provider


def test_the_two_known_providers_take_their_usual_keys():
    keys = {name: provider.key_env for name, provider in KNOWN_PROVIDERS.items()}
    assert keys == {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
    assert all(provider.base_url.startswith("https://") for provider in KNOWN_PROVIDERS.values())


def test_a_judge_passes_from_seven_tenths_on_and_is_asked_once_by_default():
    check = JudgeCheck(rubric="Right.")
    assert (check.kind, check.threshold, check.samples, check.scale) == ("judge", 0.7, 1, "0-1")
    assert check.judges == ()
    assert JudgeCheck(rubric="x", model="a/b").judges == ("a/b",)
    panel = JudgeCheck(rubric="x", panel={"models": ["a/b", "c/d"]})
    assert panel.judges == ("a/b", "c/d")


@pytest.mark.parametrize(
    "wrong", [{"rubric": ""}, {"rubric": "x", "rubrik": "y"}, {"rubric": "x", "model": "a b"}]
)
def test_keys_are_strict(wrong):
    with pytest.raises(ValueError, match="validation error"):
        JudgeCheck(**wrong)


def test_a_provider_has_no_slash_in_its_name():
    with pytest.raises(ValueError, match="before the slash"):
        JudgeSettings(providers={"a/b": {"base_url": "http://h/v1"}})
