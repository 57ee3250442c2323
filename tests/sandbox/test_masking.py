"""Secrets do not reach what is stored, however a program may have printed them."""

import base64
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.sandbox import Bounds, Command, mask, run_in
from agenteval.sandbox.capture import Capture

VALUE = 'sk-ant/api03+"é& =x9'
SECRETS = {"API_KEY": VALUE}
TEXT = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x17F, exclude_characters="[]"),
    min_size=6,
    max_size=40,
)


@pytest.mark.parametrize(
    "form",
    [
        VALUE.encode(),
        json.dumps(VALUE)[1:-1].encode(),
        json.dumps(VALUE, ensure_ascii=False)[1:-1].encode(),
        quote(VALUE).encode(),
        quote(VALUE, safe="").encode(),
        quote_plus(VALUE).encode(),
        re.sub("%..", lambda found: found[0].lower(), quote(VALUE, safe="")).encode(),
        base64.b64encode(VALUE.encode()),
        base64.urlsafe_b64encode(VALUE.encode()),
        VALUE.encode().hex().encode(),
        VALUE.encode().hex().upper().encode(),
    ],
)  # fmt: skip
def test_every_form_is_replaced_by_the_name(form):
    masked = mask(b"before " + form + b" after " + form, SECRETS)
    assert masked == b"before [API_KEY] after [API_KEY]"


@given(value=TEXT, before=st.text(max_size=7), after=st.text(max_size=7))
def test_encoded_together_with_something_else(value, before, after):
    """As in a basic Authorization header: only bits shared with the neighbours are left."""
    raw = f"{before}{value}{after}".encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        masked = mask(encode(raw), {"TOKEN": value})
        assert b"[TOKEN]" in masked
        rest = len(masked) - len(b"[TOKEN]")
        assert rest <= len(encode(raw)) - (8 * len(value.encode()) // 6 - 1)


@pytest.mark.parametrize("position", range(61))
def test_wherever_the_cut_of_a_captured_stream_falls(position):
    value = "Zq8Wm3Rt5Kp1"
    capture = Capture(40)
    capture.add(b"-" * position + value.encode() + b"-" * (60 - position))
    masked = mask(capture.value(), {"TOKEN": value}).decode()
    assert not any(value[i : i + 4] in masked for i in range(len(value) - 3))


def test_the_tail_of_a_cut_secret():
    data = b"head\n[... 100 bytes left out ...]\n" + VALUE.encode()[-6:] + b" tail"
    assert mask(data, SECRETS) == b"head\n[... 100 bytes left out ...]\n[API_KEY] tail"


def test_across_the_pieces_that_a_stream_came_in():
    capture = Capture(1000)
    for byte in b"the key is " + VALUE.encode():
        capture.add(bytes([byte]))
    assert mask(capture.value(), SECRETS) == b"the key is [API_KEY]"


def test_a_short_value_is_left_alone():
    assert mask(b"yes, 12345", {"DEBUG": "yes", "PIN": "12345", "EMPTY": ""}) == b"yes, 12345"


def test_the_longer_of_two_that_begin_alike():
    secrets = {"SHORT": "secret", "LONG": "secret-and-more"}
    assert mask(b"secret secret-and-more", secrets) == b"[SHORT] [LONG]"


def test_what_is_no_text_stays_as_it_is():
    data = bytes(range(256))
    assert mask(data, SECRETS) == data


def test_what_a_command_prints(sandbox, box):
    script = 'printf "%s|" "$API_KEY"; printf %s "$API_KEY" | base64 -w0; echo "$API_KEY" >&2'
    done = run_in(sandbox, box, Command(["sh", "-c", script], SECRETS), bounds=Bounds(timeout_s=60))
    assert mask(done.stdout, SECRETS) == b"[API_KEY]|[API_KEY]"
    assert mask(done.stderr, SECRETS) == b"[API_KEY]\n"
