"""What tokens cost: unknown is unknown, and the programs' own figures come out again."""

import json
from pathlib import Path

import pytest

from agenteval.errors import InvalidInput
from agenteval.gateway import PriceTable
from agenteval.gateway.prices import PRICES_VARIABLE
from agenteval.gateway.wire.messages import usage_of
from agenteval.gateway.wire.protocol import Usage

SHARED = Path(__file__).parents[3] / "shared/data"
MILLION = 1_000_000


@pytest.fixture
def table(monkeypatch):
    monkeypatch.delenv(PRICES_VARIABLE, raising=False)
    return PriceTable.load()


def test_the_bundled_table_is_dated_and_says_where_it_is_from(table):
    assert table.name == f"bundled-{table.date:%Y-%m}"
    for name, price in table.models.items():
        assert table.source_of(price.provider).startswith("https://"), name
        assert price.output > price.input > 0, name
        assert price.cache_read is None or price.cache_read < price.input, name
        assert price.cache_write is None or price.cache_write > price.input, name
        assert price.above is None or price.above.input > price.input, name
        assert name == name.lower()


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(MILLION, 0, 0, 0), 3.0),
        (Usage(0, MILLION, 0, 0), 0.3),
        (Usage(0, 0, MILLION, 0), 3.75),
        (Usage(0, 0, MILLION, 0, MILLION), 6.0),
        (Usage(0, 0, 0, MILLION), 15.0),
        (Usage(3500, 500, 200, 120), 0.0132),
        (Usage(), None),
        (Usage(None, 0, 0, 1), None),
        (Usage(1, None, 0, 1), None),
        (Usage(1, 0, None, 1), None),
        (Usage(1, 0, 0, None), None),
        (Usage(1, 0, 1, 1, 2), None),
        (Usage(0, 0, 0, 0), 0.0),
    ],
)
def test_each_bucket_has_its_rate_and_unknown_stays_unknown(table, usage, cost):
    assert table.cost("claude-sonnet-4-5", usage) == (None if cost is None else pytest.approx(cost))


def test_a_model_without_a_price_costs_something_unknown(table):
    for model in ("scripted", "", "gpt-5-nonesuch", "my/claude", "claude", "gpt-4o-mini-tts"):
        assert table.price(model) is None
        assert table.cost(model, Usage(1, 0, 0, 1)) is None


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"),
        ("anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("vertex/global/claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("vertex/gemini-2.5-flash", "gemini-2.5-flash"),
        ("openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("openai/gpt-5-2025-08-07", "gpt-5"),
        ("GPT-5-mini", "gpt-5-mini"),
        ("gpt-4.1-2025-04-14", "gpt-4.1"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini/gemini-2.5-flash", "gemini-2.5-flash"),
    ],
)
def test_spellings_of_one_model(table, spelled, name):
    assert table.price(spelled) is table.models[name]


def test_a_long_request_costs_more_and_a_sum_of_requests_does_not(table):
    usage = Usage(100_000, 150_000, 0, MILLION)
    long = (100_000 * 2.5 + 150_000 * 0.25) / MILLION + 15
    short = (100_000 * 1.25 + 150_000 * 0.125) / MILLION + 10
    assert table.cost("gemini-2.5-pro", usage) == pytest.approx(long)
    assert table.cost("gemini-2.5-pro", usage, summed=True) == pytest.approx(short)
    assert table.cost("gemini-2.5-pro", Usage(200_000, 0, 0, 0)) == pytest.approx(0.25)


OWN = """
[models."my-model"]
input = 1
output = 2

[models."claude-sonnet-4-5"]
input = 30
output = 150
cache_read = 3
"""


def write(path, text):
    path.write_text(text)
    return path


def test_a_file_goes_over_the_bundled_prices(table, tmp_path, monkeypatch):
    path = write(tmp_path / "own.toml", OWN)
    own = PriceTable.load(path)
    assert own.cost("vllm/my-model", Usage(MILLION, None, None, MILLION)) == 3.0
    assert own.cost("my-model", Usage(MILLION, 1, 0, MILLION)) is None, "there is no rate for it"
    assert own.cost("claude-sonnet-4-5", Usage(MILLION, 0, 0, 0)) == 30
    assert own.cost("claude-sonnet-4-5", Usage(MILLION, 0, 1, 0)) is None
    assert own.cost("gpt-5", Usage(MILLION, 0, 0, 0)) == table.cost(
        "gpt-5", Usage(MILLION, 0, 0, 0)
    )
    assert own.name.startswith("own.toml-")
    changed = PriceTable.load(write(path, OWN.replace("150", "151")))
    assert changed.name != own.name
    monkeypatch.setenv(PRICES_VARIABLE, str(path))
    assert PriceTable.load().name == changed.name
    document = json.dumps({"models": {"My-Model": {"input": 1, "output": 2}}})
    assert PriceTable.load(write(tmp_path / "own.json", document)).price("my-model").output == 2


@pytest.mark.parametrize(
    ("text", "what", "where", "fix"),
    [
        ("[models.a]\ninput = 1\n", "required", "models.a.output", "models"),
        ("[models.a]\ninput = 1\noutput = 2\ncached_read = 1\n", "not permitted", "models.a.cached_read", "'cache_read'"),
        ("[models.a]\ninput = -1\noutput = 2\n", "greater than or equal to 0", "models.a.input", "models"),
        ("[models.a]\ninput = nan\noutput = 2\n", "finite", "models.a.input", "models"),
        ("input = 1", "required", "models", "models"),
        ("models = [", "cannot be parsed", "own.toml", "models"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(tmp_path, text, what, where, fix):
    with pytest.raises(InvalidInput) as refused:
        PriceTable.load(write(tmp_path / "own.toml", text))
    assert what in refused.value.what
    assert where in refused.value.where
    assert fix in refused.value.fix


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="No such file"):
        PriceTable.load(tmp_path / "none.toml")


def results():
    """Final results of Claude Code in which its own figures add up."""
    found = []
    for folder, pattern in (
        ("agent_recordings/claude-code", "*.stdout"),
        ("formats/claude-code", "*"),
    ):
        for path in sorted((SHARED / folder).glob(pattern)):
            for line in path.read_text().splitlines():
                document = json.loads(line) if line.startswith("{") else {}
                if document.get("modelUsage") and "costUSD" in json.dumps(document["modelUsage"]):
                    found.append(pytest.param(document, id=f"{path.parent.name}/{path.stem}"))
    return found or [
        pytest.param(None, marks=pytest.mark.skip("no recordings beside this checkout"))
    ]


NAMES = {
    "input_tokens": "inputTokens",
    "cache_read_input_tokens": "cacheReadInputTokens",
    "cache_creation_input_tokens": "cacheCreationInputTokens",
    "output_tokens": "outputTokens",
}


@pytest.mark.parametrize("result", results())
def test_claude_codes_own_cost_comes_out_again(table, result):
    total = 0.0
    for model, used in result["modelUsage"].items():
        usage = usage_of({ours: used[theirs] for ours, theirs in NAMES.items()})
        cost = table.cost(model, usage, summed=True)
        assert cost == pytest.approx(used["costUSD"], abs=1e-9)
        total += cost
    assert total == pytest.approx(result["total_cost_usd"], abs=1e-9)
