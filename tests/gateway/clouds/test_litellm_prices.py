"""Prices at the clouds: the list price, a premium, or unknown; never a guess."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from agenteval.gateway import PriceTable
from agenteval.gateway.meter import Meter
from agenteval.gateway.terms import Caps
from agenteval.gateway.upstreams import Upstream
from agenteval.gateway.wire.protocol import Answered, Asked, Usage

RATES = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}
NO_MODEL = "bedrock/anthropic.claude-3-7-sonnet-20240620-v1:0"  # a date that this model has not


@pytest.fixture(scope="module")
def table():
    return PriceTable.load()


def test_prices_of_the_clouds_are_those_that_litellm_lists(table):
    found = find_spec("litellm")
    if found is None:
        pytest.skip("pip install 'agenteval[litellm]'")
    listed = json.loads((Path(found.origin).parent / "model_prices_and_context_window_backup.json").read_text())  # fmt: skip
    compared = 0
    for name, told in listed.items():
        provider = told.get("litellm_provider", "")
        if provider.startswith("bedrock") and "mantle" not in name and "anthropic.claude" in name:
            name = name if name.startswith("bedrock/") else f"bedrock/{name}"
        elif name.startswith("vertex_ai/claude"):
            name = name.replace("vertex_ai/", "vertex/global/")
        elif provider == "vertex_ai-language-models" and name.startswith("gemini-"):
            name = f"vertex/{name}"
        else:
            continue
        price = table.price(name)
        if price is None or name == NO_MODEL:
            continue
        compared += 1
        for rate, key in RATES.items():
            if key in told:
                assert getattr(price, rate) == pytest.approx(told[key] * 1e6), (name, rate)
        if "input_cost_per_token_above_200k_tokens" in told:
            assert price.above.input == pytest.approx(told["input_cost_per_token_above_200k_tokens"] * 1e6), name  # fmt: skip
            assert price.above.output == pytest.approx(told["output_cost_per_token_above_200k_tokens"] * 1e6), name  # fmt: skip
    assert compared > 100


@pytest.mark.parametrize(
    "name",
    [
        "vertex/claude-sonnet-4-5@20250929",  # where it runs is a setting
        "vertex_ai/claude-sonnet-4-5",
        "vertex/us-east5/claude-opus-4@20250514",
        "bedrock/us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/ap-northeast-1/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/arn:aws:bedrock:us-east-1:1:application-inference-profile/abc",
        "bedrock/amazon.nova-pro-v1:0",
        "bedrock/claude-sonnet-4-5",
        "vertex/gpt-5",
    ],
)
def test_what_a_name_does_not_tell_is_unknown(table, name):
    assert table.price(name) is None
    assert table.cost(name, Usage(1, 0, 0, 1)) is None


def test_a_premium_is_on_every_rate(table):
    regional = table.price("vertex/us-east5/claude-haiku-5-5@default")
    listed = table.price("claude-haiku-5-5")
    assert regional.cache_write_long == pytest.approx(1.1 * listed.cache_write_long)
    assert regional.above.output == pytest.approx(1.1 * listed.above.output)
    assert regional.above.input_tokens == listed.above.input_tokens


def test_an_own_price_of_a_clouds_model_goes_first(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[models."bedrock/amazon.nova-pro-v1:0"]\ninput = 0.8\noutput = 3.2\n')
    cost = PriceTable.load(path).cost("bedrock/amazon.nova-pro-v1:0", Usage(1_000_000, 0, 0, 0))
    assert cost == pytest.approx(0.8)


@pytest.mark.parametrize(
    "name",
    [
        "gcp/us-east5/claude-sonnet-4-5@20250929",
        "gcp/global/claude-sonnet-4-5@20250929",
        "aws/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
)
def test_a_clouds_model_under_another_name_has_no_list_price(table, name):
    assert table.price(name) is None


US = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
ANSWERED = "claude-sonnet-4-5-20250929"  # Claude's own name, which clouds pass on


@pytest.mark.parametrize("any_model", [False, True])
@pytest.mark.parametrize(
    ("seller", "name", "answered", "factor"),
    [
        ("vertex_ai", "us-east5/claude-sonnet-4-5@20250929", ANSWERED, 1.1),
        ("vertex_ai", "us-east5/claude-sonnet-4-5@20250929", None, 1.1),
        ("vertex_ai", "global/claude-sonnet-4-5@20250929", ANSWERED, 1.0),
        ("vertex_ai", "claude-sonnet-4-5@20250929", ANSWERED, None),
        ("bedrock", US, ANSWERED, 1.1),
        ("bedrock", US, US, 1.1),
        ("bedrock", US.replace("us.", "global."), ANSWERED, 1.0),
        ("bedrock", US.replace("us.", "us-gov."), ANSWERED, None),
        ("bedrock", "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", ANSWERED, None),
        ("databricks", "claude-sonnet-4-5", ANSWERED, None),
        ("anthropic", "claude-sonnet-4-5", ANSWERED, 1.0),
    ],
)  # fmt: skip
def test_an_own_upstream_has_the_price_of_the_cloud_that_litellm_asks(
    table, seller, name, answered, factor, any_model
):
    usage = Usage(100, 40, 7, 20)
    listed = table.cost("claude-sonnet-4-5", usage)
    for own in ("gcp", "anthropic"):
        upstream = Upstream(
            name=own, base_url="http://127.0.0.1", litellm=seller, any_model=any_model
        )
        meter = Meter(Caps(), table, model=f"{own}/{name}", upstream=(upstream, name))
        asked = Asked(kind="generate", model=name)
        exchange = meter.begin(asked, wire="chat", started=0.0)
        taken = meter.take(exchange, Answered(model=answered, usage=usage))
        assert taken.cost_usd == (None if factor is None else pytest.approx(factor * listed))
