"""Events that only add to a text are taken without parsing them: that is to change nothing."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agenteval.gateway.wire.fields import as_json, fingerprint
from agenteval.gateway.wire.messages import MessageFold
from agenteval.gateway.wire.sse import BodyReader

NASTY = [
    '"delta":{"type":"text_delta","text":"',
    '"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}\n\n',
    '{"type":"message_delta","usage":{"output_tokens":7}}',
    "\\",
    '\\"',
    "\ud83d",
    "\u2028\x85\x00\x1f\x7f",
    "世界",
]
texts = st.text(max_size=8) | st.sampled_from(NASTY) | st.text(st.characters(), max_size=4)
indices = st.sampled_from([0, 1, 7, -1, 1.5, True, None, "0", "a", 10**12])
deltas = st.one_of(
    st.builds(lambda text: {"type": "text_delta", "text": text}, texts),
    st.builds(lambda text: {"type": "input_json_delta", "partial_json": text}, texts),
    st.builds(lambda text: {"type": "thinking_delta", "thinking": text}, texts),
    st.builds(lambda text: {"type": "text_delta", "text": text, "partial_json": "more"}, texts),
    st.builds(lambda text: {"text": text, "type": "text_delta"}, texts),
    st.sampled_from([{"type": "text_delta", "text": None}, {"type": "text_delta"}, {}, "text"]),
)
events = st.one_of(
    st.builds(
        lambda at, delta: {"type": "content_block_delta", "index": at, "delta": delta},
        indices,
        deltas,
    ),
    st.builds(
        lambda at, kind: {"type": "content_block_start", "index": at, "content_block": {"type": kind, "name": "t", "text": ""}},
        indices,
        st.sampled_from(["text", "tool_use", "thinking"]),
    ),
    st.sampled_from(
        [
            {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 5, "output_tokens": 1}}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
            {"type": "ping"},
        ]
    ),
)  # fmt: skip


@st.composite
def told(draw):
    """One event, in one of the ways in which it may be written."""
    event = draw(events)
    tight = draw(st.booleans())
    data = json.dumps(
        event,
        ensure_ascii=draw(st.booleans()),
        separators=(",", ":") if tight else None,
    ).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 5)) == 0:  # broken somewhere
        at = draw(st.integers(0, len(data)))
        inserted = draw(st.sampled_from([b"\xff", b"\xe4\xb8", b"\n", b"\n\n", b'"', b"\\", b"0", b" ", b"\\x", b"}", b"\r"]))  # fmt: skip
        data = data[:at] + inserted + data[at:]
    name = draw(st.sampled_from(["event: content_block_delta\n", f"event: {event['type']}\n", "", ": note\n", "data: \n", "id: 1\n"]))  # fmt: skip
    padding = draw(st.sampled_from(["", " ", "     "]))
    end = draw(st.sampled_from(["\n\n", "\n\n", "\n\n\n", "\r\n\r\n", "\r\r", "\n"]))
    mark = draw(st.sampled_from(["data: ", "data: ", "data:", "data:  "]))
    return (
        name.encode()
        + mark.encode()
        + data[:-1]
        + padding.encode()
        + data[-1:]
        + padding.encode()
        + end.encode()
    )


def read(pieces, *, short_cut):
    fold = MessageFold()
    if not short_cut:
        fold.delta = None
    reader = BodyReader(fold, 200)
    for piece in pieces:
        reader.feed(piece)
    return reader.answered(), fold._blocks


@settings(max_examples=400, deadline=None, derandomize=True)
@given(parts=st.lists(told(), max_size=8), cuts=st.lists(st.integers(0, 1200), max_size=5))
def test_the_short_cut_changes_nothing(parts, cuts):
    body = b"".join(parts)
    ends = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    pieces = [body[start:end] for start, end in zip(ends, ends[1:], strict=False)]
    assert read(pieces, short_cut=True) == read([body], short_cut=False)


ONE = b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one"}}'
HARD = {
    "no number": ONE.replace(b":0,", b":00,"),
    "a control character": ONE.replace(b"one", b"o\x01e"),
    "a line end inside": ONE.replace(b"one", b"o\ne"),
    "no UTF-8": ONE.replace(b"one", b"o\xe4\xb8"),
    "no UTF-8 and escaped": ONE.replace(b"one", b"o\\n\xff"),
    "no escape": ONE.replace(b"one", b"o\\xe"),
    "half an escape": ONE.replace(b"one", b"o\\"),
    "half a pair": ONE.replace(b"one", b"o\\ud83d"),
    "a whole event as text": ONE.replace(b"one", ONE.replace(b'"', b'\\"') + b"\\n\\n"),
    "more behind it": ONE + b" x",
    "a line before it": b"data: [1,\n" + ONE,
    "a line behind it": ONE + b"\ndata: 2",
}


@pytest.mark.parametrize("case", HARD)
def test_the_short_cut_changes_nothing_where_it_is_hard(case):
    body = b"".join([ONE, b"\n\n", HARD[case], b"\n\n", ONE, b"\n\n"])
    without = read([body], short_cut=False)
    for cut in range(len(body)):
        assert read([body[:cut], body[cut:]], short_cut=True) == without


def test_the_short_cut_is_taken():
    """Else the test above would compare parsing with parsing."""
    taken = []

    class Counting(MessageFold):
        def add(self, found):
            taken.append(found[2])
            super().add(found)

    reader = BodyReader(Counting(), 200)
    head = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":'
    reader.feed(head + b'{"type":"text_delta","text":"a \\"b\\" "}      }\n\n')
    reader.feed(head + b'{"type":"input_json_delta","partial_json":""} }\n\n' + head[:30])
    reader.feed(head[30:] + b'{"type":"text_delta","text":"cut"}}\n\n')
    reader.feed(b'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "c\\n"}}\n\n')  # fmt: skip
    reader.feed(head + b'{"type":"text_delta","text":"\\x"}}\n\n')  # no JSON: says nothing
    assert taken == [b'a \\"b\\" ', b"", b"c\\n", b"\\x"]
    assert reader.answered().text == 'a "b" cutc\n'


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def by_the_standard_library(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    text=st.builds(json.dumps, documents, ensure_ascii=st.booleans())
    | st.binary(max_size=12)
    | st.text(st.sampled_from('{}[]",:\\u00e1 9.-+eENnaInfity\ud800\ufeff'), max_size=10)
)
@example(text='{"a": 1, "a": {"b": 2}, "n": 123456789012345678901234567890, "m": -0.0}')
@example(text='["\\ud800", "\\ud83d\\ude00", 1e999, -Infinity, 9007199254740993.0]')
@example(text=b'"\xed\xa0\x80"')
@example(text='{"a": 1}'.encode("utf-16"))
@example(text=b'\xef\xbb\xbf{"a": 1}')
@example(text="[" * 500 + "]" * 500)
def test_the_quick_parser_says_what_the_standard_library_says(text):
    assert repr(as_json(text)) == repr(by_the_standard_library(text))


@given(one=st.lists(texts, max_size=3), other=st.lists(texts, max_size=3))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_fingerprint_is_the_same_for_the_same_texts_only(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (one == other)
    assert fingerprint(one) == fingerprint(list(one))
