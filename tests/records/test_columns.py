import pytest

from agenteval.records import TABLES, TrialRow, column_names, columns

IDENTITY = "run_id trial_id suite task_id task_digest kind category difficulty language split arm arm_digest agent agent_version model model_used variant repeat attempts"
OUTCOME = "status passed score ended_by stop_reason error_class error_message exit_code stop_blocks"
TIME = "started_at sequence concurrent_trials duration_s setup_s agent_s model_s tool_s rate_limited_s grade_s"
USAGE = (
    "input_tokens cache_read_tokens cache_write_tokens output_tokens first_cache_read_tokens requests turns tool_calls tool_errors "
    "harness_events denials asked_user skills_loaded mcp_calls peak_memory_mb cost_usd cost_source reported_cost_usd price_table "
    "judge_cost_usd all_attempts_cost_usd"
)
CHANGE = "files_changed lines_added lines_removed protected_edits lint_failures shortcuts tampering"
PROVENANCE = "agenteval_version python platform sandbox host"
EVENTS = (
    "run_id trial_id seq turn parent kind tool tool_kind command path ok exit_code duration_s text"
)

UNITS = {"_s": "s", "_usd": "USD", "_mb": "MB", "_tokens": "tokens"}
# counts that are known whenever there is a row at all, or are no amounts
WITHOUT_UNIT = {
    "attempt", "attempts", "exit_code", "grading", "http_status", "parent", "planned_trials", "repeat", "repeats", "sample", "seed", "seq", "turn", "concurrency",
}  # fmt: skip
EVERY = [(table, column) for table in TABLES for column in columns(table)]
NAMES = [f"{table}.{column.name}" for table, column in EVERY]


def test_trials_and_events_have_the_columns_that_were_promised():
    promised = " ".join([IDENTITY, OUTCOME, TIME, USAGE, CHANGE, PROVENANCE]).split()
    assert set(column_names("trials")) == {*promised, "attempt", "grading", "reused_from"}
    assert column_names("events") == EVENTS.split()


def test_a_trial_is_an_attempt_and_two_columns_more():
    shared = len(columns("attempts"))
    assert columns("trials")[:shared] == columns("attempts")
    assert column_names("trials")[shared:] == ["attempts", "all_attempts_cost_usd"]


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_the_models_fields_in_order(table):
    assert column_names(table) == list(TABLES[table].model_fields)
    assert column_names(table)[0] == "run_id"


@pytest.mark.parametrize(("table", "column"), EVERY, ids=NAMES)
def test_a_column_says_what_it_is(table, column):
    assert column.dtype in {"str", "int", "float", "bool", "datetime", "list[str]"}
    assert column.meaning.endswith(".")
    unit = next((unit for ending, unit in UNITS.items() if column.name.endswith(ending)), None)
    if unit:
        assert column.unit == unit
    elif column.dtype == "int" and column.name not in WITHOUT_UNIT:
        assert column.unit == "count"
    else:
        assert column.unit == ""


@pytest.mark.parametrize(("table", "column"), EVERY, ids=NAMES)
def test_unknown_is_null_and_never_zero(table, column):
    info = TABLES[table].model_fields[column.name]
    if column.nullable:
        assert not info.is_required()
        assert info.default is None
    elif not info.is_required():
        assert info.get_default(call_default_factory=True) is not None


def test_a_column_is_the_same_thing_in_every_table():
    seen: dict[str, tuple] = {}
    for table, column in EVERY:
        if column.name in ("kind", "tags", "checks"):  # a kind of task, check or event
            continue
        dtype, unit, where = seen.setdefault(column.name, (column.dtype, column.unit, table))
        assert (dtype, unit) == (column.dtype, column.unit), f"{column.name} in {where} and {table}"


def test_known_columns():
    found = {column.name: column for column in columns("trials")}
    known = {
        "status": ("str", "", False),
        "passed": ("bool", "", True),
        "cost_usd": ("float", "USD", True),
        "cost_source": ("str", "", False),
        "started_at": ("datetime", "", True),
        "tampering": ("list[str]", "", True),
        "peak_memory_mb": ("float", "MB", True),
        "input_tokens": ("int", "tokens", True),
        "turns": ("int", "count", True),
        "agent_s": ("float", "s", True),
        "repeat": ("int", "", False),
    }
    assert {
        name: (found[name].dtype, found[name].unit, found[name].nullable) for name in known
    } == known
    assert {c.name: c.nullable for c in columns("tasks")}["tags"] is False


def test_a_table_that_is_not_there():
    with pytest.raises(KeyError):
        columns("dreams")
    assert TABLES["trials"] is TrialRow
