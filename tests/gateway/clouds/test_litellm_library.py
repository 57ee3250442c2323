"""The library behind the extra: loaded late, told to keep to itself, and missed in words."""

import json
import subprocess
import sys

import pytest

from agenteval.errors import MissingProgram
from agenteval.gateway import KNOWN_UPSTREAMS, Gateway, PriceTable, Terms, upstream_of
from agenteval.gateway.litellm_failures import masked, status_of

CLAUDE = "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"


def run(code: str) -> dict:
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)  # fmt: skip
    assert found.stderr == ""
    return json.loads(found.stdout)


def test_nothing_is_loaded_before_it_is_needed():
    code = (
        "import json, sys; import agenteval.gateway, agenteval.cli\n"
        "from agenteval.gateway import upstream_of\n"
        f"upstream_of({CLAUDE!r}, ())[0]\n"
        "print(json.dumps([name for name in ('litellm', 'boto3', 'google.auth') if name in sys.modules]))"
    )
    assert run(code) == []


def test_loading_asks_nobody_and_prints_nothing(clouds):
    code = (
        "import json, os, sys\n"
        "asked = []\n"
        "def look(event, given):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo'):\n"
        "        asked.append(str(given))\n"
        "sys.addaudithook(look)\n"
        "from agenteval.gateway.litellm_library import load_library\n"
        "library = load_library()\n"
        "print(json.dumps([asked, library.telemetry, library.num_retries, library.callbacks]))"
    )
    assert run(code) == [[], False, None, []]


@pytest.mark.parametrize(
    ("model", "name"), [(CLAUDE, "boto3"), ("vertex/gemini-2.5-flash", "google.auth"), (CLAUDE, "litellm")]
)  # fmt: skip
def test_without_the_extra_it_is_named(monkeypatch, tmp_path, model, name):
    monkeypatch.setitem(sys.modules, name, None)
    with (
        Gateway(prices=PriceTable.load(), scratch=tmp_path, environ={}) as gateway,
        pytest.raises(MissingProgram) as caught,
    ):
        gateway.open(Terms(model=model))
    assert name in caught.value.what
    assert model.partition("/")[0] in caught.value.where
    assert "pip install 'agenteval[litellm]'" in caught.value.fix


def test_the_clouds_are_known_and_need_no_key_of_ours():
    names = {upstream.name: upstream for upstream in KNOWN_UPSTREAMS}
    assert upstream_of(CLAUDE, ()) == (names["bedrock"], CLAUDE.partition("/")[2])
    assert "gemini" not in names["bedrock"].wires
    assert "gemini" in names["vertex"].wires
    assert not names["bedrock"].any_model


def test_credentials_that_are_not_there_are_the_operators_to_mend():
    class NoCredentialsError(Exception):
        pass

    error = RuntimeError("litellm wraps it")
    error.__cause__ = NoCredentialsError("Unable to locate credentials")
    assert status_of(error) == 401
    assert status_of(RuntimeError("something else")) == 500


def test_keys_are_taken_out_of_what_a_cloud_says():
    keys = {"AWS_SECRET_ACCESS_KEY": "abcdefgh/secret", "AWS_SESSION_TOKEN": "session-token-1"}
    said = "x-amz-security-token: session-token-1 abcdefgh/secret Bearer ya29.abc ya29.def-1"
    found = masked(said, keys)
    assert not any(word in found for word in ("session-token-1", "abcdefgh", "ya29"))
