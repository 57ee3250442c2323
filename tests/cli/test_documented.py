"""Every command is documented: an example in its help, and its name in README."""

from pathlib import Path

import pytest

from agenteval.cli.app import COMMANDS
from agenteval.cli.schema import column_table

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(cli, name):
    done = cli(name, "--help")
    assert done.code == 0
    assert "Example: " in done.out
    assert f"agenteval {name}" in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_readme_names_the_command(name):
    assert f"`agenteval {name}" in README or f"| `{name}" in README


def test_readme_has_the_column_table_of_trials():
    assert column_table("trials") in README
