"""How tests/test.sh of a Harbor task becomes a verdict: one script, laid in with the tests."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from agenteval.suite.foreign.harbor_paths import rewriting

LAID_IN = ".harbor"
RUN = f"sh {LAID_IN}/run.sh"
_SYSTEM = re.compile(r"\b(?:apt-get|apt|apk|yum|dnf|microdnf|pacman)\s+(?:-\S+\s+)*(?:update|install|add|-S)\b")  # fmt: skip
_NETWORK = re.compile(
    r"\b(?:curl|wget|uvx)\s|\bpip3?\s+install\b|\buv\s+(?:pip|run|tool|sync|add|venv)\b|\bnpm\s+(?:ci|i|install)\b"
    r"|\bnpx\s|\b(?:pnpm|yarn)\s+(?:install|add)\b|\bgit\s+clone\b|\bgo\s+(?:get|install|mod\s+download)\b|\bcargo\s+(?:install|fetch)\b"
)
# asking a server that the task itself started
_HERE = re.compile(r"\b(?:localhost|127\.0\.0\.1)\b|\[::1\]")
_CLIENT = re.compile(r"\b(?:curl|wget)\s")
_HEAD = """\
# Written by `agenteval import-tasks`: runs tests/test.sh the way Harbor does, in this grading copy,
# and turns the reward it writes into an exit code: 0 for a reward of 1, 1 for less, 3 for none.
here=$PWD top=${TMPDIR:-/tmp}
umask 022
rm -rf "$top/tests" "$top/logs"
mkdir -p "$top/tests" "$top/logs/verifier" "$top/logs/agent" "$top/logs/artifacts"
"""
_TAIL = """\
text=$top/logs/verifier/reward.txt json=$top/logs/verifier/reward.json
if [ -f "$text" ]; then
    reward=$(tr -d '[:space:]' <"$text")
elif [ -f "$json" ]; then
    reward=$(tr -d '[:space:]' <"$json" | sed -n 's/.*"reward":\\([0-9.eE+-]*\\)[,}].*/\\1/p')
else
    echo "tests/test.sh ended with $code and wrote no reward"
    exit 3
fi
echo "reward: ${reward:-not readable}; tests/test.sh ended with $code"
case $reward in
    1 | 1. | 1.0 | 1.00 | 1.000 | +1 | 1e0) exit 0 ;;
    '') exit 3 ;;
    *) exit 1 ;;
esac
"""
RESISTS = """\
What a verdict of `tests/test.sh` resists: the tests are laid into a fresh copy of the start and the
agent's change, one named file after the other, from bytes that the agent never had; whatever lay at
their place before, or beside them, is not used. The folder that the reward is read from is made for
the grading and was empty. The image is read-only, so programs and packages outside of the workspace
are those that were built.

What it does not resist: code of the workspace that test.sh runs has the same rights as test.sh. It
can write the reward file, end the process early, patch the test runner or shadow a module that the
tests import from the working folder. There are no recorded test ids and no tripwire as in checks of
kind hidden-tests: where that matters, write such a check and give it the test files.
"""


def run_script(
    tests: Sequence[str], interpreter: Sequence[str], workdir: str, *, linked: bool
) -> str:
    """The script that grades.

    Parameters
    ----------
    tests
        Files below tests/; only these are used, whatever else lies where they are laid in.
    interpreter
        What test.sh is started with.
    workdir
        Of the task.
    linked
        Whether the image has links for /tests, /logs and the working folder. Without an image
        these paths are rewritten in the tests.
    """
    copy = "cp -p" if linked else "rewritten"
    lines = [_HEAD] if linked else [_HEAD, rewriting(workdir)]
    folders = sorted({name.rpartition("/")[0] for name in tests} - {""})
    lines += [f'mkdir -p "$top/tests/"{shlex.quote(name)}\n' for name in folders]
    for name in map(shlex.quote, tests):
        lines.append(f'{copy} "{LAID_IN}/tests/"{name} "$top/tests/"{name}\n')
    lines.append(f'rm -rf "$here/{LAID_IN}"\n')
    lines.append(f"cd {shlex.quote(workdir)} || exit 125\n" if linked else "")
    lines.append(f'{shlex.join(interpreter)} "$top/tests/test.sh"\ncode=$?\n')
    return "".join(lines) + _TAIL


def interpreter_of(script: str) -> list[str]:
    r"""What a script is started with: its first line says, else bash.

    >>> interpreter_of("#!/bin/sh -e\n"), interpreter_of("#!/usr/bin/env bash\n"), interpreter_of("x")
    (['/bin/sh', '-e'], ['/usr/bin/env', 'bash'], ['bash'])
    """
    first = script.partition("\n")[0]
    words = first[2:].split() if first.startswith("#!") else []
    return words or ["bash"]


def obstacle(script: str) -> str | None:
    """Why a test script cannot do its work offline in a read-only image; None when nothing says so."""
    code = [line for line in script.splitlines() if not line.lstrip().startswith("#")]
    away = [line for line in code if not (_HERE.search(line) and _CLIENT.search(line))]
    for pattern, lines, needs in (
        (_SYSTEM, code, "installs packages of the system"),
        (_NETWORK, away, "fetches from the network"),
    ):
        found = pattern.search("\n".join(lines))
        if found is not None:
            return f"{needs} ({' '.join(found[0].split())}), and a grading is offline in a read-only image: install it in environment/Dockerfile, take the line out of hidden/{LAID_IN}/tests, then delete `skip`"
    return None
