"""What an agent wrote is shown so that it cannot steer the terminal, and piped as it is."""

import os
import pty
import subprocess
import sys

import pytest

from agenteval.cli.output import printable

SCRIPT = "from agenteval.cli.output import tell; tell('\\x1b]0;owned\\x07 \\u202etxt\\n\\tend')"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünï \U0001f600\n\tx", "plain ünï \U0001f600\n\tx"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("over\rwritten\b\x00", "over\\rwritten\\x08\\x00"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\u202egnp.exe\u2066", "\\u202egnp.exe\\u2066"),
    ],
)
def test_control_characters_are_made_visible(text, shown):
    assert printable(text) == shown


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_in_a_pipe_nothing_is_changed():
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment(), capture_output=True)
    assert done.stdout.decode() == "\x1b]0;owned\x07 \u202etxt\n\tend\n"


def test_on_a_terminal_nothing_is_obeyed():
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", SCRIPT], env=environment(), stdout=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 4096)
    os.close(ours)
    assert b"\x1b" not in shown
    assert b"\\x1b]0;owned\\x07 \\u202etxt" in shown
