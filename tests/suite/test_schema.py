import tomllib

import jsonschema
import pytest

from agenteval.errors import InvalidInput
from agenteval.records import CHECK_KINDS
from agenteval.suite import schema

TASK = {
    "prompt": "Mend it",
    "timeoutMs": 5,
    "max_cost_usd": 1,
    "env": {"nodeEnv": "x"},
    "source": {"git": "..", "rev": "abcdef1"},
    "checks": [
        {"kind": "command", "run": "x", "expectExit": 1},
        {"kind": "answer-contains", "text": "x"},
    ],
}


@pytest.mark.parametrize("name", ["task", "suite", "variant"])
def test_it_is_a_json_schema(name):
    made = schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    assert made["$schema"].endswith("2020-12/schema")
    assert made["additionalProperties"] is False
    assert name in made["title"]


def test_it_takes_a_task_in_either_spelling():
    jsonschema.validate(TASK, schema("task"))
    jsonschema.validate({"$schema": "x", **TASK}, schema("task"))


@pytest.mark.parametrize(
    "change",
    [
        {"timout_s": 3},
        {"category": "bugs"},
        {"timeout_s": "5"},
        {"timeoutMs": 0},
        {"checks": [{"run": "x"}]},
        {"checks": [{"kind": "command", "run": "x", "expct_exit": 1}]},
        {"checks": [{"kind": "nope"}]},
        {"environment": {"build": []}},
    ],
)
def test_it_refuses_what_loading_refuses(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(TASK | change, schema("task"))


def test_a_variant():
    document = {"args": ["-x"], "settings": {"maxTurns": 3}, "pluginDirs": ["kit"]}
    jsonschema.validate(document, schema("variant"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"files": ["a"]}, schema("variant"))


def test_every_kind_of_check_is_in_it():
    kinds = {
        table["properties"]["kind"]["const"]
        for table in schema("task")["$defs"].values()
        if "const" in table.get("properties", {}).get("kind", {})
    }
    assert kinds == set(CHECK_KINDS)


def test_a_suite():
    document = tomllib.loads(
        'name = "a"\nprotected = ["x"]\n[commands]\ntest = "t"\n[defaults]\ntimeoutMs = 5\n'
    )
    jsonschema.validate(document, schema("suite"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"defaults": {"id": "x"}}, schema("suite"))


def test_another_name():
    with pytest.raises(InvalidInput, match="suite, task or variant"):
        schema("run")
