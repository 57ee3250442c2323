"""How a result reaches its chart: by what was registered for its type."""

from dataclasses import dataclass

import pandas as pd
import pytest

from agenteval.comparison import Result, register_drawing
from agenteval.errors import InvalidInput


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawn(Result):
    """A result with a chart."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Special(Drawn):
    """A result without a chart of its own."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Undrawn(Result):
    """A result without any."""


def test_plot_calls_what_is_registered_for_the_type_or_its_parent():
    register_drawing(Drawn, lambda result, *, theme: (len(result.table), theme))
    table = pd.DataFrame({"a": [1, 2]})
    assert Drawn(table=table).plot() == (2, "light")
    assert Special(table=table).plot(theme="dark") == (2, "dark")


def test_a_result_without_chart_says_so():
    with pytest.raises(InvalidInput, match="no chart for Undrawn"):
        Undrawn(table=pd.DataFrame({"a": [1]})).plot()


def test_a_result_shows_its_table_and_notes():
    result = Undrawn(table=pd.DataFrame({"a": ["<x>"], "b": [2]}), notes=("mind the gap",))
    assert str(result).splitlines()[1:] == ["a    b", "<x>  2", "- mind the gap"]
    html = result._repr_html_()
    assert "&lt;x&gt;" in html
    assert "mind the gap" in html
    assert set(result._repr_mimebundle_()) == {"text/html", "text/plain"}


def test_long_tables_are_cut_in_print_only():
    result = Undrawn(table=pd.DataFrame({"a": range(200)}))
    assert "140 more rows in .table" in str(result)
    assert len(result.table) == 200
