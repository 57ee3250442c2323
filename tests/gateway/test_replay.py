"""A recording plays the model: the same bytes, no network, and a readable word where it does not fit."""

import json
from http.client import IncompleteRead

import pytest
import zstandard

from agenteval.errors import InvalidInput
from agenteval.gateway import Terms, read_recording, recording_of
from agenteval.gateway.wire.protocol import Usage

SECRET = "sk-very-secret-value"


def history(command: str, result: str):
    """A tool call of the model and what it gave."""
    call = {"type": "tool_use", "id": "toolu_01AbCdEfGhIjKlMn", "name": "Bash", "input": {"command": command}}  # fmt: skip
    told = {"type": "tool_result", "tool_use_id": "toolu_01AbCdEfGhIjKlMn", "content": result}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [told]}]


@pytest.fixture
def record(open_talk, tmp_path):
    """Open a trial that is recorded."""

    def opened(**terms):
        file = tmp_path / "recorded/one.jsonl.zst"
        return open_talk(Terms(model="here/asked", record=file, **terms)), file

    return opened


@pytest.fixture
def replay(open_talk):
    def opened(file, **terms):
        return open_talk(Terms(replay=file, label="task one, repeat 1", **terms))

    return opened


def test_the_same_requests_get_the_same_bytes_without_the_provider(record, replay, provider):
    talk, file = record()
    provider.will(
        provider.says("one", "ls", usage=Usage(1, 2, 3, 4)),
        provider.fails(400),
        provider.says("två"),
    )
    requests = [
        talk.message("go", stream=True),
        talk.message("go", history=history("ls", "a b")),
        talk.message("go", history=history("ls", "a b"), stream=True),
    ]
    live = [talk.send("/v1/messages", request) for request in requests]
    measured = talk.session.close()
    asked = len(provider.seen)
    again = replay(file)
    assert again.session.upstream is None
    played = [again.send("/v1/messages", request) for request in requests]
    for one, other in zip(live, played, strict=True):
        assert (one.status, one.body) == (other.status, other.body)
        assert one.headers["content-type"] == other.headers["content-type"]
    traffic = again.session.close()
    assert len(provider.seen) == asked
    assert (traffic.turns, traffic.input_tokens) == (measured.turns, measured.input_tokens)
    assert traffic.ended_by is None


def test_ids_dates_and_paths_may_differ(record, replay, provider):
    talk, file = record(places={"/box/a/work": "workspace"})
    before = history(
        "pwd",
        "/box/a/work at 2026-03-01 10:00:00, took 0.31s, /tmp/tmpab12cd34/x, http://127.0.0.1:4711/t/abc",
    )
    talk.send("/v1/messages", talk.message("go", history=before))
    talk.session.close()
    after = json.loads(
        json.dumps(before).replace("toolu_01AbCdEfGhIjKlMn", "toolu_99zzzzzzzzzzzzzz")
    )
    after[1]["content"][0]["content"] = (
        "/other/b at 2027-12-31 23:59:59, took 12s, /tmp/tmpzz99yy88/x, http://127.0.0.1:80/t/def"
    )
    again = replay(file, places={"/other/b": "workspace"})
    assert again.send("/v1/messages", again.message("go", history=after)).status == 200
    assert again.session.close().error_class is None


def test_another_request_ends_the_trial_with_a_diff(record, replay, provider):
    talk, file = record()
    talk.send("/v1/messages", talk.message("go"))
    talk.send("/v1/messages", talk.message("go", history=history("ls", "app.py\ntest.py")))
    talk.session.close()
    again = replay(file)
    assert again.send("/v1/messages", again.message("go")).status == 200
    refused = again.send(
        "/v1/messages", again.message("go", history=history("ls", "app.py\nother.py"))
    )
    assert refused.status >= 400
    assert again.settled().stop.is_set()
    traffic = again.session.close()
    assert (traffic.ended_by, traffic.error_class) == ("infrastructure", "replay_diverged")
    assert "task one, repeat 1 differs from the recording in part 3 of 3" in traffic.message
    assert "\n-    test.py" in traffic.message
    assert "\n+    other.py" in traffic.message
    assert "\n-    app.py" not in traffic.message
    assert traffic.requests == 2


def test_one_request_too_many_is_told_as_that(record, replay):
    talk, file = record()
    talk.ask("go")
    talk.session.close()
    again = replay(file)
    again.ask("go")
    again.ask("go")
    traffic = again.session.close()
    assert traffic.error_class == "replay_diverged"
    assert "asked more often than was recorded" in traffic.message


def test_side_requests_may_come_more_often_and_in_another_order(record, replay, provider):
    talk, file = record()
    provider.will(provider.says("the work"), provider.says("a title"))
    talk.ask("go")
    talk.ask("title", tools=())
    talk.session.close()
    again = replay(file)
    said = [
        again.ask("title", tools=()).body,
        again.ask("go").body,
        again.ask("title", tools=()).body,
    ]
    assert [b"a title" in body for body in said] == [True, False, True]
    assert again.session.close().ended_by is None


def test_whether_it_is_streamed_is_part_of_the_request(record, replay):
    talk, file = record()
    talk.ask("go", stream=True)
    talk.session.close()
    again = replay(file)
    again.ask("go", stream=False)
    assert again.session.close().error_class == "replay_diverged"


def test_an_answer_that_broke_off_breaks_off_again(record, replay, provider):
    talk, file = record()
    start = b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\n'
    provider.will(provider.breaks(start))
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        talk.ask("go", stream=True)
    talk.session.close()
    again = replay(file)
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        again.ask("go", stream=True)
    assert again.session.close().exchanges[0].usage.input_tokens == 9


def test_secrets_are_masked_and_do_not_stand_in_the_way(record, replay, provider):
    talk, file = record(secrets={"API_KEY": SECRET})
    provider.will(provider.says(f"found {SECRET}"))
    assert (
        SECRET in talk.ask(f"use {SECRET} at {talk.gateway.url}{talk.session.path}").body.decode()
    )
    talk.session.close()
    raw = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read()
    assert SECRET.encode() not in raw
    assert provider.key.encode() not in raw
    assert talk.session.token.encode() not in raw
    assert b"[API_KEY]" in raw
    again = replay(file, secrets={"API_KEY": SECRET})
    answer = again.ask(f"use {SECRET} at {again.gateway.url}{again.session.path}")
    assert b"found [API_KEY]" in answer.body


def test_own_rules_widen_what_is_not_compared(record, replay, tmp_path):
    talk, file = record()
    talk.ask("build 4711")
    talk.session.close()
    rules = tmp_path / "rules.toml"
    rules.write_text("[[rule]]\npattern = 'build \\d+'\nreplacement = 'build N'\n")
    strict, wide = replay(file), replay(file, rules=rules)
    strict.ask("build 4712")
    wide.ask("build 4712")
    assert strict.session.close().error_class == "replay_diverged"
    assert wide.session.close().error_class is None


def test_an_unfinished_recording_is_read_as_far_as_it_goes(record):
    talk, file = record()
    talk.ask("one")
    talk.ask("two")
    talk.settled()
    cut = file.with_name("cut.jsonl.zst")
    cut.write_bytes(file.read_bytes())  # the writer is still at it
    assert [x.seq for x in read_recording(cut).exchanges] == [1, 2]
    assert read_recording(cut).model == "here/asked"


def test_what_is_recorded(record, provider):
    talk, file = record()
    provider.will(provider.says("one", usage=Usage(1, 0, 0, 1)))
    answer = talk.ask("go", stream=True)
    talk.session.close()
    (one,) = read_recording(file).exchanges
    assert (one.wire, one.kind, one.method, one.path) == (
        "anthropic",
        "main",
        "POST",
        "/v1/messages",
    )
    assert json.loads(one.request) == talk.message("go", stream=True)
    assert one.body == answer.body
    assert one.end == "whole"
    assert [at for at, _ in one.chunks] == sorted(at for at, _ in one.chunks)
    assert recording_of(file, "any") == file
    assert recording_of(file.parent, "one") == file


@pytest.mark.parametrize("content", [b"", b"no zstd", zstandard.compress(b"{}\n"), zstandard.compress(b'{"format": "agenteval-recording", "version": 99}\n')])  # fmt: skip
def test_what_is_no_recording_is_refused(open_talk, tmp_path, content):
    file = tmp_path / "x.jsonl.zst"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match="cannot be read"):
        open_talk(Terms(replay=file))


def test_a_replay_needs_no_provider_at_all(record, replay):
    talk, file = record()
    talk.ask("go")
    talk.session.close()
    again = replay(file, model="nowhere/any")
    assert again.ask("go").status == 200


def test_a_recording_is_priced_by_the_name_it_is_given(record, replay):
    talk, file = record()
    talk.ask("go")
    live = talk.session.close().cost_usd
    again = replay(file, model="here/asked")
    again.ask("go")
    assert again.session.close().cost_usd == live > 0


def test_no_key_is_needed_for_a_replay(record, open_talk):
    talk, file = record()
    talk.ask("go")
    talk.session.close()
    assert open_talk(Terms(replay=file, model="openai/gpt-x")).ask("go").status == 200


def test_places_may_be_named_before_the_agent_starts(record, replay):
    talk, file = record()
    talk.session.name_places({"/box/a/work": "workspace"})
    talk.ask("in /box/a/work/src")
    talk.session.close()
    again = replay(file)
    again.session.name_places({"/elsewhere": "workspace"})
    assert again.ask("in /elsewhere/src").status == 200
    assert read_recording(file).places == {"/box/a/work": "workspace"}


def test_a_trial_without_requests_leaves_an_empty_recording(record):
    talk, file = record()
    talk.session.close()
    assert read_recording(file).exchanges == ()
