"""Whose request it is, what it used, and how the time is split."""

import pytest

from agenteval.gateway import Exchange, Traffic, Upstream
from agenteval.gateway.asked_usage import UsageHidden
from agenteval.gateway.wire.protocol import ToolCall, Usage

TASK = ("Bash", "Task")


def turn(text: str = "go on"):
    """A turn of the model and what comes after it, as history."""
    return [{"role": "assistant", "content": text}, {"role": "user", "content": "and then?"}]


def kinds(talk) -> list[str]:
    return [exchange.kind for exchange in talk.session.close().exchanges]


def test_a_conversation_with_a_title_and_a_sub_agent(talk, provider):
    provider.will(
        provider.says("a title", usage=Usage(1, 0, 0, 1)),
        provider.says("looking", "ls", usage=Usage(100, 50, 20, 10)),
        provider.says("asking", usage=Usage(10, 150, 20, 10)),
        provider.says("sub", usage=Usage(7, 0, 0, 3)),
        provider.says("done", usage=Usage(5, 170, 0, 10)),
    )
    talk.ask("title, please", tools=())
    talk.ask("the task", tools=TASK)
    talk.ask("the task", tools=TASK, messages=talk.message("the task", history=turn())["messages"])
    talk.ask("find it", tools=("Bash",))
    talk.ask(
        "the task",
        tools=TASK,
        messages=talk.message("the task", history=turn() + turn())["messages"],
    )
    traffic = talk.session.close()
    assert [x.kind for x in traffic.exchanges] == ["side", "main", "main", "sub", "main"]
    assert (traffic.requests, traffic.turns) == (5, 3)
    assert (traffic.side_requests, traffic.subagent_requests) == (1, 1)
    assert traffic.input_tokens == 1 + 100 + 10 + 7 + 5
    assert traffic.cache_read_tokens == 50 + 150 + 170
    assert traffic.cache_write_tokens == 40
    assert traffic.output_tokens == 1 + 10 + 10 + 3 + 10
    assert traffic.first_cache_read_tokens == 50
    assert traffic.tool_calls == 1
    assert traffic.cost_usd == pytest.approx((123 + 370 + 40 + 34) / 1e6)
    assert traffic.price_table == "test-prices"
    assert traffic.model_used == "answered"
    assert traffic.exchanges[1].calls[0].input == {"command": "ls"}
    assert traffic.exchanges[1].offered == TASK
    assert traffic.exchanges[1].stop_reason == "tool_use"


def test_an_agent_that_never_offers_tools_has_only_turns(talk):
    for text in ("one", "two", "three"):
        talk.ask(text, tools=())
    assert kinds(talk) == ["main"] * 3


def test_a_shortened_history_carries_the_main_conversation_on(talk):
    talk.ask("the task", tools=TASK)
    talk.ask("summary of what was done so far", tools=TASK)
    talk.ask("summary of what was done so far", tools=TASK)
    assert kinds(talk) == ["main"] * 3


def test_work_that_was_handed_to_an_agent_with_the_same_tools_is_a_sub_agents(talk, provider):
    async def delegates(request, seen):
        from agenteval.gateway.wire import wire_for
        from agenteval.gateway.wire.protocol import Say

        wire = wire_for("POST", seen.path)
        say = Say("", (ToolCall("Task", "toolu_1", {"prompt": "find it"}),))
        reply = wire.say(wire.read(seen.path, seen.body), say)
        return await provider.send(request, 200, reply.headers, reply.chunks)

    provider.will(delegates)
    talk.ask("the task", tools=TASK)
    talk.ask("find it", tools=TASK)
    talk.ask("find it", tools=TASK)
    talk.ask("the task", tools=TASK)
    assert kinds(talk) == ["main", "sub", "sub", "main"]


def test_an_agent_that_is_started_again_opens_a_main_conversation(talk):
    talk.ask("the task", tools=TASK)
    talk.session.expect_conversation()
    talk.ask("the check is red", tools=("Bash",))
    assert kinds(talk) == ["main", "main"]


def test_counting_tokens_is_no_request(talk):
    answer = talk.send("/v1/messages/count_tokens", talk.message())
    assert answer.json == {"input_tokens": 17}
    traffic = talk.session.close()
    assert [x.kind for x in traffic.exchanges] == ["count"]
    assert traffic.requests == 0
    assert traffic.input_tokens is None
    assert traffic.cost_usd is None


def test_one_answer_without_a_price_makes_the_cost_unknown(talk, provider):
    provider.will(provider.says("a"), provider.says("b", model="brand-new"))
    talk.ask()
    assert talk.settled().meter.traffic().cost_usd == pytest.approx(135e-6)
    talk.ask(model="brand-new")
    traffic = talk.session.close()
    assert traffic.cost_usd is None
    assert traffic.input_tokens == 200
    assert traffic.model_used == "answered, brand-new"


def test_a_dated_name_of_the_trials_model_is_priced_as_it(talk, provider):
    provider.will(provider.says("a", model="asked-2026-01-01"))
    talk.ask()
    assert talk.session.close().cost_usd == pytest.approx(135e-6)


def test_a_local_copy_is_not_priced_as_the_original(open_talk, provider):
    class Only:
        name = "only"

        def cost(self, model, usage):
            return 1.0 if model == "gpt-x" else None

    talk = open_talk(upstream=Upstream(name="here", base_url=provider.url), environ={})
    talk.session.meter.prices = Only()
    provider.will(provider.says("a", model="gpt-x"))
    talk.ask()
    assert talk.session.close().cost_usd is None


def test_tool_errors_are_counted(talk):
    history = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no"}]},
    ]  # fmt: skip
    talk.ask()
    talk.ask(messages=talk.message(history=history)["messages"])
    traffic = talk.session.close()
    assert traffic.tool_errors == 1
    assert traffic.exchanges[1].results == 1


def exchange(
    seq: int, start: float, end: float, kind: str = "main", *, calls: int = 0, waited: float = 0.0
):
    return Exchange(
        seq=seq, started=start, wire="anthropic", kind=kind, status=200, complete=True, usage=Usage(1, 0, 0, 1),
        latency_s=end - start, rate_limited_s=waited, calls=tuple(ToolCall("Bash", "1", {}) for _ in range(calls)),
    )  # fmt: skip


def test_time_is_with_the_model_with_tools_or_waiting():
    traffic = Traffic(
        (
            exchange(1, 0, 10, calls=1, waited=4),
            exchange(2, 12, 15, "sub"),
            exchange(3, 13, 16, "side"),
            exchange(4, 20, 25),
            exchange(5, 40, 41),  # after an answer without calls: no tool ran
        )
    )
    assert traffic.rate_limited_s == 4
    assert traffic.model_s == 6 + 4 + 5 + 1
    assert traffic.tool_s == 10 - 4


def test_the_last_activity_moves(talk):
    assert talk.session.last_activity() is None
    talk.ask()
    first = talk.settled().last_activity()
    talk.ask()
    assert talk.session.last_activity() > first > 0


CHAT = {"model": "asked", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


def test_usage_that_the_agent_did_not_ask_for_is_asked_for_and_hidden(talk, provider):
    plain = talk.send("/v1/chat/completions", CHAT)
    assert provider.seen[0].json["stream_options"] == {"include_usage": True}
    assert b'"finish_reason": "stop"' in plain.body
    assert b"usage" not in plain.body.replace(b'"usage": null', b"")
    assert plain.body.endswith(b"data: [DONE]\n\n")
    asked = talk.send("/v1/chat/completions", CHAT | {"stream_options": {"include_usage": True}})
    assert asked.body.count(b'"usage"') > plain.body.count(b'"usage"')
    traffic = talk.session.close()
    assert [x.usage.output_tokens for x in traffic.exchanges] == [20, 20]


def test_a_server_without_stream_options_is_not_asked(open_talk, provider):
    upstream = Upstream(name="here", base_url=provider.url, stream_usage=False)
    talk = open_talk(upstream=upstream, environ={})
    talk.send("/v1/chat/completions", CHAT)
    assert "stream_options" not in provider.seen[0].json
    traffic = talk.session.close()
    assert traffic.turns == 1
    assert traffic.output_tokens is None
    assert traffic.cost_usd is None


def test_half_a_character_goes_out_as_it_came(talk, provider):
    """Programs cut output in the middle of an emoji; JSON can say that, UTF-8 cannot."""
    told = CHAT | {"messages": [{"role": "user", "content": "cut \ud83d"}]}
    assert talk.send("/v1/chat/completions", told).status == 200
    (seen,) = provider.seen
    assert seen.json["messages"] == told["messages"]
    assert seen.json["stream_options"] == {"include_usage": True}
    assert talk.settled().close().ended_by is None


def test_events_without_choices_that_hold_more_than_usage_are_shown():
    filters = b'data: {"choices": [], "prompt_filter_results": [], "usage": null}\n\n'
    hidden = UsageHidden()
    assert hidden.feed(filters) == filters
    assert hidden.feed(b'data: {"choices": [], "usage": {"total_tokens": 3}}') == b""
    assert hidden.rest() == b"", "the last event need not end in an empty line"


def test_a_long_body_without_events_passes():
    hidden, piece = UsageHidden(), b"x" * 65_536
    assert [hidden.feed(piece) for _ in range(500)] == [b""] * 500
    assert len(hidden.rest()) == 500 * 65_536


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n"])
def test_only_the_event_with_usage_alone_is_hidden_wherever_it_is_cut(size, end):
    events = [b'data: {"choices": [{"delta": {"content": "the \\"usage\\" of it"}}], "usage": null}', b": a comment",
              b'data: {"choices": [], "usage": {"total_tokens": 3}}', b"data: [DONE]"]  # fmt: skip
    whole = b"".join(event + end for event in events) + b"data: left"
    hidden = UsageHidden()
    shown = [hidden.feed(whole[at : at + size]) for at in range(0, len(whole), size)]
    kept = [event + end for event in events if b"total_tokens" not in event]
    assert b"".join([*shown, hidden.rest()]) == b"".join(kept) + b"data: left"
