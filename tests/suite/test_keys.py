from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.records import CHECK_KINDS, Suite, Task
from agenteval.suite.keys import camel_key, plain_key, plain_keys

NAMES = sorted(
    {name for model in (Task, Suite, *CHECK_KINDS.values()) for name in model.model_fields}
)
WORDS = st.text("aZ_5 ", max_size=8)


def test_every_key_of_every_model_has_two_spellings_that_agree():
    for name in NAMES:
        assert plain_key(name) == name
        assert plain_key(camel_key(name)) == name


def test_acronyms_are_one_word():
    assert plain_key("maxCostUSD") == "max_cost_usd"
    assert plain_key("memoryMB") == "memory_mb"


def test_milliseconds_are_divided_and_nothing_else_is():
    keys = plain_keys(
        {"timeoutMs": 250, "no_progress_ms": 1500.0, "timeout_s": "x", "memoryMb": 64}
    )
    assert keys.data == {"timeout_s": 0.25, "no_progress_s": 1.5, "memory_mb": 64}
    assert keys.doubled == [("timeoutMs", "timeout_s", ("timeout_s",))]


def test_what_is_no_number_is_left_for_the_model_to_refuse():
    assert plain_keys({"timeoutMs": True}).data == {"timeout_s": True}
    assert plain_keys({"timeoutMs": "5"}).data == {"timeout_s": "5"}


def test_locations_are_spelled_as_written():
    keys = plain_keys(
        {"checks": [{}, {"expctExit": 3, "timeoutMs": 4}], "stopGate": {"maxBlocks": 1}}
    )
    assert keys.written(("checks", 1, "expct_exit")) == "checks[1].expctExit"
    assert keys.written(("stop_gate", "max_blocks")) == "stopGate.maxBlocks"
    assert keys.value(("checks", 1, "timeout_s"), 0.004) == 4
    assert keys.value(("absent",), "otherwise") == "otherwise"


def test_names_of_variables_are_the_authors_own():
    data = {
        "env": {"nodeEnv": "a", "waitMs": "5"},
        "checks": [{"env": {"aB": "c"}}],
        "defaults": {"env": {"xY": "z"}},
    }
    assert plain_keys(data).data == data


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), st.integers() | WORDS | st.lists(WORDS)))
def test_plain_documents_stay_as_they_are(document):
    assert plain_keys(document).data == document
    assert plain_keys(document).doubled == []
