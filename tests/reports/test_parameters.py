"""What a parameters cell declares, and what may be passed to it."""

from pathlib import Path

import pytest

from agenteval.errors import ReportError
from agenteval.reports.parameters import Parameter, fit, read_parameters

CELL = """
store: str = ""  # path of the store
level: float = 0.95
repeats: int = 3  # how often
quiet: bool = False  # say less
arms: list = []
plain = "text"
"""


@pytest.fixture
def declared():
    return read_parameters(CELL, "t.ipynb")


def test_the_cell_is_read_with_types_defaults_and_help(declared):
    assert declared == [
        Parameter("store", "str", "", "path of the store"),
        Parameter("level", "float", 0.95),
        Parameter("repeats", "int", 3, "how often"),
        Parameter("quiet", "bool", False, "say less"),
        Parameter("arms", "list", []),
        Parameter("plain", "str", "text"),
    ]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("store", Path("/tmp/s"), "/tmp/s"),
        ("store", "1", "1"),
        ("level", "0.9", 0.9),
        ("level", 1, 1.0),
        ("repeats", "5", 5),
        ("repeats", 5.0, 5),
        ("quiet", "yes", True),
        ("quiet", "False", False),
        ("arms", "a, b", ["a", "b"]),
        ("arms", '["a, b", 2]', ["a, b", 2]),
        ("arms", ("a", "b"), ["a", "b"]),
        ("level", None, 0.95),
    ],
)
def test_a_value_becomes_what_was_declared(declared, name, given, expected):
    value = fit({name: given}, declared, "t.ipynb")[name]
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("store", 3),
        ("level", "high"),
        ("level", True),
        ("level", float("nan")),
        ("repeats", "2.5"),
        ("repeats", 2.5),
        ("repeats", False),
        ("quiet", "perhaps"),
        ("quiet", 1),
        ("arms", 7),
        ("arms", "[1,"),
        ("arms", [object()]),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(declared, name, given):
    with pytest.raises(ReportError, match=f"Parameter `{name}` is") as caught:
        fit({name: given}, declared, "t.ipynb")
    assert "t.ipynb" in caught.value.where


def test_an_unknown_name_is_refused_and_the_nearest_comes_first(declared):
    with pytest.raises(ReportError, match="Unknown report parameter `repeat`") as caught:
        fit({"repeat": 3}, declared, "t.ipynb")
    assert caught.value.fix.startswith("use one of: repeats, ")
    assert set(caught.value.fix.removeprefix("use one of: ").split(", ")) == {
        p.name for p in declared
    }


def test_a_template_without_parameters_takes_none():
    with pytest.raises(ReportError) as caught:
        fit({"x": 1}, [], "t.ipynb")
    assert "no parameters" in caught.value.fix


@pytest.mark.parametrize(
    "line", ["a = b", "a: int = 1 + x", "import os", "a: dict = {}", "a: int", "a = = 2"]
)
def test_only_literals_of_known_types_are_parameters(line):
    with pytest.raises(ReportError, match="parameters cell|has the type"):
        read_parameters(line, "t.ipynb")
