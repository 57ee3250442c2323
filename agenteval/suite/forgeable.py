"""Checks whose verdict code of the workspace can write by itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from agenteval.records import CommandCheck, Task

# They read files and print; none of them runs what it reads.
READERS = frozenset(
    {
        "basename", "cat", "cksum", "cmp", "comm", "cut", "diff", "dirname", "du", "echo", "egrep",
        "expr", "false", "fgrep", "file", "fold", "grep", "head", "jq", "ls", "md5sum", "nl", "od",
        "paste", "printf", "pwd", "readlink", "realpath", "sha1sum", "sha256sum", "sort", "stat",
        "strings", "tac", "tail", "test", "tr", "true", "uniq", "wc", "[", "!",
    }
)  # fmt: skip
_JOINTS = frozenset({";", "|", "||", "&&", "&", "(", ")", "{", "}", "if", "then", "else", "fi", "do", "done", "while", "until"})  # fmt: skip
_NAMES_A_FILE = frozenset({"<", ">", ">>", ">&", "<&", "2>", "&>"})


def forgeable_checks(task: Task) -> list[str]:
    """Names of checks on standard output whose command runs code of the workspace.

    Such code can print whatever the check looks for. Commands of programs that only read files are
    not among them; of any other program nobody knows, so it is taken to run code.
    """
    return [
        check.name or check.kind
        for check in task.checks
        if isinstance(check, CommandCheck)
        and (check.stdout_contains is not None or check.stdout_matches is not None)
        and runs_code(check.run)
    ]


def runs_code(command: str) -> bool:
    """Whether a shell command runs anything but programs that only read files.

    >>> runs_code("grep -c TODO app.py | head -1"), runs_code("python app.py | grep total")
    (False, True)
    """
    if "`" in command or "$(" in command or "<(" in command:
        return True
    try:
        return any(program not in READERS for program in _programs(command))
    except ValueError:
        return True


def _programs(command: str) -> Iterator[str]:
    words = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    expecting, skip = True, False
    for word in words:
        if skip:
            skip = False
        elif word in _NAMES_A_FILE:
            skip = True
        elif word in _JOINTS or set(word) <= set(";&|()"):
            expecting = True
        elif expecting and word.split("=")[0].isidentifier() and "=" in word:
            if word.startswith(("PATH=", "LD_")):
                yield word  # a variable before the program that makes it another one
        elif expecting:
            expecting = word == "!"
            yield word
