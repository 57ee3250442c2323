"""A sandbox whose commands cannot say a secret, neither at the end nor as it comes."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.sandbox import (
    Bounds,
    Command,
    Masked,
    is_secret,
    mask,
    mask_strings,
    mask_text,
    run_in,
)
from agenteval.sandbox.masked import MaskedStreams

SECRETS = {"API_KEY": "sk-top/secret", "OTHER": "sk-topmost"}
PIECES = ["sk-", "sk-top/secret", "sk-topmost", "sk-top", "ret", "fine ", "x" * 40, "\n"]


class TestStreams:
    @given(
        st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
        st.lists(st.integers(1, 9), min_size=1, max_size=8),
    )
    def test_however_output_is_cut_no_value_is_heard(self, text, sizes):
        heard = []
        streams = MaskedStreams(SECRETS, lambda name, data: heard.append(data))
        data, place, turn = text.encode(), 0, 0
        while place < len(data):
            size = sizes[turn % len(sizes)]
            streams("stdout", data[place : place + size])
            place, turn = place + size, turn + 1
        streams.end()
        said = b"".join(heard)
        assert said == mask(data, SECRETS)
        assert not any(value.encode() in said for value in SECRETS.values())

    def test_what_can_be_no_secret_is_heard_at_once(self):
        heard = []
        streams = MaskedStreams(SECRETS, lambda name, data: heard.append((name, data)))
        streams("stdout", b"ready\n")
        streams("stderr", b"a line of sk-to")
        streams("stdout", b"more\n")
        assert heard == [("stdout", b"ready\n"), ("stderr", b"a line of "), ("stdout", b"more\n")]
        streams("stderr", b"ast\n")
        assert heard[-1] == ("stderr", b"sk-toast\n")
        streams("stderr", b"and sk-")
        streams.end()
        assert heard[-1] == ("stderr", b"sk-")


class TestSandbox:
    def test_both_streams_and_what_is_heard(self, sandbox, box):
        masked = Masked(sandbox, SECRETS)
        heard = []
        done = run_in(
            masked,
            box,
            Command(
                ["sh", "-c", 'echo "$K"; printf %s "$K" | base64; echo "$K" >&2'],
                {"K": SECRETS["API_KEY"]},
            ),
            bounds=Bounds(timeout_s=60),
            on_output=lambda name, data: heard.append(data),
        )
        assert (done.stdout, done.stderr) == (b"[API_KEY]\n[API_KEY]\n", b"[API_KEY]\n")
        assert b"".join(sorted(heard)).count(b"[API_KEY]") == 3
        assert base64.b64encode(SECRETS["API_KEY"].encode()) not in b"".join(heard)

    def test_else_it_is_the_other_sandbox(self, sandbox, box):
        masked = Masked(sandbox, SECRETS)
        for name in ("name", "isolates", "identity"):
            assert getattr(masked, name) == getattr(sandbox, name)
        assert masked.view(box) == sandbox.view(box)
        assert masked.missing(["sh", "no-such-program"]) == ["no-such-program"]


class TestStrings:
    def test_structure_numbers_and_kept_keys_stay(self):
        data = {
            "id": "1234567",
            "n": 1234567,
            "a": ["1234567", None, True, {"1234567": "x1234567"}],
        }
        assert mask_strings(data, {"PIN": "1234567"}, frozenset({"id"})) == {
            "id": "1234567",
            "n": 1234567,
            "a": ["[PIN]", None, True, {"[PIN]": "x[PIN]"}],
        }

    def test_text_that_is_no_unicode(self):
        assert mask_text("\ud800sk-topmost\n", SECRETS) == "\ud800[OTHER]\n"
        assert mask_text("sk-topmost", {}) == "sk-topmost"
        assert mask_strings("\udcff sk-topmost", SECRETS) == "\udcff [OTHER]"


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("12345", False),
        ("123456", True),
        ("eu-west-1", True),
        ("/etc/passwd", False),
        ("/no/such/file", True),
        ("https://api.example.org", False),
        ("http://127.0.0.1:8080/", False),
        ("https://api.example.org/v1", False),
        ("https://hooks.example.org/services/T0/B0/x", True),
        ("https://user:word@example.org", True),
        ("https://example.org?key=abc", True),
    ],
)
def test_in_doubt_it_is_a_secret(value, secret):
    assert is_secret(value) is secret
