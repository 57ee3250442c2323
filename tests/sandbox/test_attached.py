"""A program of the operator's own on their terminal: Ctrl-C is for it, and not for this process."""

import os
import signal
import sys

import pytest

from agenteval.sandbox import run_attached

INTERRUPT_PARENT = (
    "import os, signal; os.kill(os.getppid(), signal.SIGINT); "
    "raise SystemExit(0 if signal.getsignal(signal.SIGINT) is signal.default_int_handler else 9)"
)


def test_exit_code_folder_and_variables_are_its_own(tmp_path):
    code = run_attached(
        ["sh", "-c", 'echo "$WORD" > word; exit 7'],
        env={"PATH": os.environ["PATH"], "WORD": "hello"},
        cwd=tmp_path,
    )
    assert (code, (tmp_path / "word").read_text()) == (7, "hello\n")


def test_an_interrupt_reaches_only_the_program(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    code = run_attached([sys.executable, "-c", INTERRUPT_PARENT], env={}, cwd=tmp_path)
    assert code == 0
    assert signal.getsignal(signal.SIGINT) is before


def test_a_program_that_is_not_there_is_an_error(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(FileNotFoundError):
        run_attached(["/no/such/program"], env={}, cwd=tmp_path)
    assert signal.getsignal(signal.SIGINT) is before
