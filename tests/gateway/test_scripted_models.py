"""A script in the place of a model, in every format, with the bundled prices."""

import pytest

from agenteval.gateway import Gateway, PriceTable, Terms, parse_script

SCRIPT = """{"steps": [{"text": "first", "calls": [{"run": "ls"}]}, {"text": "done"}]}"""


@pytest.fixture
def scripted(open_talk):
    def opened(text: str = SCRIPT, **terms):
        return open_talk(Terms(script=parse_script(text), **terms))

    return opened


@pytest.mark.parametrize("stream", [False, True])
def test_turns_are_played_and_metered(scripted, provider, stream):
    talk = scripted()
    first = talk.ask(stream=stream)
    assert b"ls" in first.body
    history = [{"role": "assistant", "content": "first"}, {"role": "user", "content": "a b"}]
    last = talk.send("/v1/messages", talk.message(stream=stream, history=history))
    assert last.status == 200
    assert provider.seen == []
    traffic = talk.session.close()
    assert (traffic.turns, traffic.tool_calls) == (2, 1)
    assert [x.stop_reason for x in traffic.exchanges] == ["tool_use", "end_turn"]
    assert (traffic.input_tokens, traffic.output_tokens) == (200, 40)


def test_what_cannot_be_played_is_the_machinerys(scripted):
    talk = scripted()
    answer = talk.ask(tools=("Telepathy",))
    assert "Telepathy" in answer.json["error"]["message"]
    traffic = talk.session.close()
    assert (traffic.ended_by, traffic.error_class) == ("infrastructure", "gateway_down")
    assert "Telepathy" in traffic.message


def test_a_scripted_error_counts_as_the_providers(scripted):
    talk = scripted('{"steps": [{"error": {"status": 500}}]}')
    assert talk.ask().status == 500
    assert talk.session.close().error_class == "provider_down"


def test_delays_and_gaps_are_kept(scripted):
    talk = scripted('{"steps": [{"text": "a b c", "delay_s": 0.2, "gap_s": 0.02}]}')
    talk.ask(stream=True)
    (exchange,) = talk.session.close().exchanges
    assert exchange.first_byte_s >= 0.2
    assert exchange.latency_s - exchange.first_byte_s >= 0.1


def test_counts_are_answered(scripted):
    talk = scripted()
    assert talk.send("/v1/messages/count_tokens", talk.message()).json == {"input_tokens": 100}


def test_the_bundled_prices_are_used(tmp_path, scripted):
    prices = PriceTable.load()
    model = next(iter(prices.models))
    with Gateway(prices=prices, scratch=tmp_path) as gateway:
        session = gateway.open(Terms(model=model, script=parse_script(SCRIPT)))
        talk = type(scripted())(gateway, session)
        talk.ask(model=model)
        traffic = session.close()
    assert traffic.cost_usd == pytest.approx(prices.cost(model, traffic.exchanges[0].usage))
    assert traffic.price_table == prices.name


def test_a_gateway_that_ended_takes_no_more_trials(tmp_path):
    gateway = Gateway(prices=PriceTable.load(), scratch=tmp_path)
    with gateway:
        assert gateway.alive
        before = gateway.open(Terms(script=parse_script(SCRIPT)))
    assert not gateway.alive
    assert not gateway.socket.exists()
    assert before.close().error_class is None
    late = gateway.open(Terms(script=parse_script(SCRIPT)))
    assert late.close().error_class == "gateway_down"


class Broken:
    """A script whose player fails in a way that nobody foresaw."""

    def player(self):
        return self

    def reply(self, wire, asked):
        raise ZeroDivisionError("nobody thought of this")


def test_what_nobody_foresaw_is_the_gateways(open_talk):
    talk = open_talk(Terms(script=Broken()))
    assert talk.ask().status == 500
    assert talk.settled().stop.is_set()
    traffic = talk.session.close()
    assert (traffic.ended_by, traffic.error_class) == ("infrastructure", "gateway_down")
    assert "ZeroDivisionError: nobody thought of this" in traffic.message
