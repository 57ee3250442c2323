"""SQL in a cell and in a widget: bound parameters, the schema, errors that say what to do."""

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

from agenteval.errors import InvalidInput, StoreError
from agenteval.widgets import StoreMagics, load_ipython_extension, schema_of, sql_console
from agenteval.widgets.sql_magic import parameters_of


@pytest.fixture
def shell(sample):
    made = InteractiveShell()
    load_ipython_extension(made)
    made.user_ns.update(s=sample, arm="scripted:noop", awkward="x'; drop table trials; --")
    made.run_line_magic("ae_store", "s")
    return made


def test_a_cell_binds_variables_and_keeps_its_result(shell, sample):
    shown = shell.run_cell_magic(
        "ae_sql", "found", "select count(*) as n, '$arm' as said from trials where arm = $arm"
    )
    assert shown.equals(shell.user_ns["found"])
    assert shown["n"].item() == len(sample.trials(arm="scripted:noop"))
    assert shown["said"].item() == "$arm"
    none = shell.run_cell_magic("ae_sql", "", "select * from trials where arm = $awkward")
    assert none.empty


def test_what_cannot_be_run_says_why(shell):
    with pytest.raises(InvalidInput, match="no variable 'nowhere'"):
        shell.run_cell_magic("ae_sql", "", "select $nowhere")
    with pytest.raises(InvalidInput, match="can be no variable"):
        shell.run_cell_magic("ae_sql", "two words", "select 1")
    with pytest.raises(StoreError, match="cannot be run"):
        shell.run_cell_magic("ae_sql", "", "select nothing from trials")
    with pytest.raises(StoreError):
        shell.run_line_magic("ae_store", "/nowhere/at/all")


def test_a_store_can_be_named_by_path(shell, sample):
    shell.run_line_magic("ae_store", f"'{sample.path}'")
    assert len(shell.run_cell_magic("ae_sql", "", "select * from runs")) == 2


def test_the_schema_is_that_of_the_tables(shell, sample):
    assert "trials" in set(shell.run_line_magic("ae_schema", "")["table"])
    assert shell.run_line_magic("ae_schema", "trials")["column"].tolist() == list(sample.trials())
    with pytest.raises(InvalidInput, match="no table 'trails'"):
        schema_of("trails")
    assert isinstance(StoreMagics(shell).ae_schema("runs"), pd.DataFrame)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("select $a, $b, $a", ["a", "b"]),
        ("select '$a''$b', \"$c\" -- $d\n, $e /* $f */", ["e"]),
        ("select $$ $a $$, $tag$ $b $tag$, $c", ["c"]),
        ("select 1", []),
    ],
)
def test_parameters_are_told_from_text(query, names):
    assert parameters_of(query) == names


def test_the_console_runs_offers_parameters_and_shows_errors(sample):
    console = sql_console(sample)
    console.run_button.click()
    assert console.result["arm"].tolist()[0] == "scripted:reference"
    assert "scripted:reference" in console.table.value
    console.editor.value = "select count(*) as n from trials where arm = $arm and repeat = $repeat"
    assert list(console.boxes) == ["arm", "repeat"]
    console.run_button.click()
    assert "no variable 'arm'" in console.error
    console.boxes["arm"].value, console.boxes["repeat"].value = "scripted:noop", "2"
    console.run_button.click()
    assert console.error == ""
    assert console.result["n"].item() == 8
    console.tables.value = "events"
    assert "tool_kind" in console.schema.value
    console.query = "select '<b>' as x"
    console.run_button.click()
    assert "&lt;b&gt;" in console.table.value
