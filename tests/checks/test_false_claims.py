"""Each assertion that a tripwire can make really fails."""

import random
import shutil
import subprocess
import unittest

import pytest

from agenteval.checks import false_claims
from agenteval.checks.false_claims import FalseClaims

SEEDS = range(5)


def holds(statement, scope):
    try:
        exec(statement.replace("\n            ", "\n    "), scope)
    except (AssertionError, pytest.fail.Exception):
        return False
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_in_python(seed):
    claims = FalseClaims(random.Random(seed)).python("pytest.raises(x) approx(y)")
    assert len(claims) == 3
    scope = {"pytest": pytest, "approx": pytest.approx}
    assert not [claim for claim in claims if holds(claim, scope)]


@pytest.mark.parametrize("seed", SEEDS)
def test_in_unittest(seed):
    source = "".join(f"self.{name}(" for name in false_claims._UNITTEST)
    claims = FalseClaims(random.Random(seed)).unittest(source)
    assert len(claims) == len(false_claims._UNITTEST)
    assert not [claim for claim in claims if holds(claim, {"self": unittest.TestCase()})]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_in_node():
    source = "".join(f"assert.{name}(" for name in false_claims._NODE) + " assert(x)"
    claims = FalseClaims(random.Random(1)).node(source)
    assert len(claims) == len(false_claims._NODE) + 1
    body = "".join(
        f"try {{ await {claim}; console.log({claim!r}); }} catch {{}}\n" for claim in claims
    )
    code = f"const assert = require('node:assert'); (async () => {{ {body} }})();"
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_only_what_the_neighbours_use():
    claims = FalseClaims(random.Random(1))
    assert len(claims.python("def test_a(): assert f.raises(1)")) == 1
    assert len(claims.unittest("")) == 1
    assert claims.node("t.assert(1)") == []
    assert claims.node("expect(1)")[0].startswith("expect(")
