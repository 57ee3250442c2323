import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agenteval.records import Arm, arm_labels

BASE = {
    "agent_spec": "a@1:x",
    "agent_version": "1.0",
    "model": "p/m",
    "variant": "v",
    "inputs": {"f": "1", "g": "2"},
}


def labels(*arms: dict) -> list[str]:
    return arm_labels([Arm(**({"agent_spec": "a"} | arm)) for arm in arms])


@pytest.mark.parametrize(
    ("arms", "expected"),
    [
        ([{}], ["a"]),
        ([{"model": "p/m", "variant": "v"}], ["a@p/m+v"]),
        ([{"variant": "v1"}, {"variant": "v2"}], ["v1", "v2"]),
        ([{}, {"variant": "v2"}], ["none", "v2"]),
        ([{"model": "p/m"}, {"model": "p/n"}], ["p/m", "p/n"]),
        ([{}, {"model": "p/n"}], ["default", "p/n"]),
        ([{"model": "p/m"}, {"agent_spec": "b", "model": "p/m"}], ["a", "b"]),
        (
            [{"model": "m", "variant": "v"}, {"agent_spec": "b", "model": "m", "variant": "w"}],
            ["a+v", "b+w"],
        ),
        ([{"model": "m"}, {"model": "n", "variant": "w"}], ["m+none", "n+w"]),
        ([{"agent_version": "1.0"}, {"agent_version": "2.0"}], ["a#1.0", "a#2.0"]),
        (
            [{"agent_version": "1.0"}, {"agent_version": "2.0"}, {"model": "n"}],
            ["a#1.0", "a#2.0", "a@n"],
        ),
    ],
)
def test_labels_say_what_differs(arms, expected):
    assert labels(*arms) == expected


def test_arms_that_differ_in_inputs_only_get_their_digest():
    one, two = (Arm(agent_spec="a", inputs={"agent.py": text}) for text in "12")
    assert arm_labels([one, two]) == [f"a#{one.digest[:6]}", f"a#{two.digest[:6]}"]


FIELD = st.sampled_from([None, "x", "y"])
ARMS = st.builds(
    Arm,
    agent_spec=st.sampled_from(["a", "b"]),
    agent_version=FIELD,
    model=FIELD,
    variant=FIELD,
    inputs=st.dictionaries(st.just("f"), st.sampled_from("12")),
)


@settings(deadline=None)
@given(st.lists(ARMS, min_size=1, max_size=6, unique_by=lambda arm: arm.digest))
def test_different_arms_have_different_labels(arms):
    found = arm_labels(arms)
    assert len(set(found)) == len(arms)
    assert all(found)


def test_the_digest_holds_what_makes_the_arm():
    digest = Arm(**BASE).digest
    for name, value in {
        "agent_spec": "b",
        "agent_version": "1.1",
        "model": "p/n",
        "variant": "w",
        "inputs": {"f": "1", "g": "3"},
    }.items():
        assert Arm(**(BASE | {name: value})).digest != digest, name
    assert Arm(**(BASE | {"inputs": {"g": "2", "f": "1"}})).digest == digest
    assert Arm(**(BASE | {"files": ("/x/f",)})).digest == digest
    assert len(digest) == 16


@pytest.mark.parametrize(
    ("spec", "agent"),
    [
        ("scripted:chance:0.6", "scripted"),
        ("claude-code@2.1", "claude-code"),
        ("command:./a@b {prompt}", "command"),
    ],
)
def test_the_agents_name(spec, agent):
    assert Arm(agent_spec=spec).agent == agent


def test_an_arm_needs_an_agent_and_knows_no_other_key():
    with pytest.raises(ValidationError):
        Arm(agent_spec="")
    with pytest.raises(ValidationError, match="Extra inputs"):
        Arm(agent_spec="a", temperature=1)
