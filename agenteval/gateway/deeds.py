"""What a scripted model does, and the turns it takes with the tools that an agent offers."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agenteval.gateway.commands import file_commands, patch_commands
from agenteval.gateway.tools import (
    edit_call,
    finish_call,
    has_shell,
    no_tool_for,
    read_call,
    shell_call,
    write_call,
)
from agenteval.gateway.wire.protocol import Tool, ToolCall

DONE = "Done."
FENCE = "```"
# replaces once, and fails where the text is not there
REPLACE = "import pathlib,sys;p=pathlib.Path(sys.argv[1]);t=p.read_text();assert sys.argv[2] in t;p.write_text(t.replace(sys.argv[2],sys.argv[3],1))"


@dataclass(frozen=True)
class Run:
    """Run a command in the agent's shell."""

    command: str


@dataclass(frozen=True)
class Write:
    """Write a whole file; with its write tool, else its shell."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Delete:
    """Delete a file, with its shell."""

    path: str


@dataclass(frozen=True)
class Edit:
    """Replace the first occurrence of a text in a file; with its edit tool, else its shell."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Read:
    """Read a file; with its read tool, else its shell."""

    path: str


@dataclass(frozen=True)
class Literally:
    """Call a tool by its name, as it is."""

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """Bring a whole change into the workspace: its patch with the shell, else file by file.

    Attributes
    ----------
    patch
        A patch made by git; None when only the files are known.
    files
        Final contents of what changes; None for what is deleted.
    """

    patch: bytes | None = None
    files: Mapping[str, bytes | None] = field(default_factory=dict)


Deed = Run | Write | Delete | Edit | Read | Literally | Change


@dataclass(frozen=True)
class Turn:
    """One turn of the model: text, and the calls it makes."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


def done(text: str, deeds: Sequence[Deed], tools: Sequence[Tool], *, ends: bool) -> list[Turn]:
    """Do something with an agent's tools: a change may take several turns, all else takes one.

    Parameters
    ----------
    ends
        Whether a turn without calls is the end of the work; some agents want to be told so.

    Raises
    ------
    NoUsableTool
        When the agent offers no tool for it.
    """
    turns: list[Turn] = []
    joins = False  # calls of one turn may run at the same time: a change has its turns to itself
    for deed in deeds:
        if isinstance(deed, Change):
            turns += [Turn(calls=calls) for calls in _change(deed, tools)]
            joins = False
        elif joins:
            turns[-1] = replace(turns[-1], calls=(*turns[-1].calls, _call(deed, tools)))
        else:
            turns.append(Turn(calls=(_call(deed, tools),)))
            joins = True
    if turns:
        return [replace(turns[0], text=text), *turns[1:]]
    finish = finish_call(text or DONE, tools) if ends else None
    return [Turn(text or DONE, () if finish is None else (finish,))]


def told(text: str, deeds: Sequence[Deed]) -> Turn:
    """Tell files whole in the text, for an agent whose model has no tools (`aider --edit-format whole`).

    Raises
    ------
    NoUsableTool
        When something else is to be done, or a file cannot be told so.
    """
    files: dict[str, bytes | None] = {}
    for deed in deeds:
        if isinstance(deed, Write):
            files[deed.path] = deed.data
        elif isinstance(deed, Change) and (deed.files or not deed.patch):
            files |= deed.files
        else:
            raise no_tool_for(f"{type(deed).__name__.lower()} something", ())
    listed = [_listed(path, data) for path, data in files.items()]
    return Turn("\n".join([*listed, text or DONE]))


def _listed(path: str, data: bytes | None) -> str:
    """Tell a file as aider reads it: its name, then its lines between fences."""
    text = _text(data)
    if text is None or any(line.startswith(FENCE) for line in text.split("\n")):
        raise no_tool_for(f"write {path}, which is deleted, binary or has fences in it", ())
    return f"{path}\n{FENCE}\n{text.removesuffix(chr(10))}\n{FENCE}\n"


def _call(deed: Deed, tools: Sequence[Tool]) -> ToolCall:
    """Call one tool: the one made for it, else the shell."""
    if isinstance(deed, Literally):
        return ToolCall(deed.tool, "", dict(deed.input))
    if isinstance(deed, Run):
        return shell_call(deed.command, tools)
    made: ToolCall | None = None
    command = ""
    if isinstance(deed, Read):
        made, command = read_call(deed.path, tools), f"cat {shlex.quote(deed.path)}"
    elif isinstance(deed, Edit):
        made = edit_call(deed.path, deed.old, deed.new, tools)
        command = shlex.join(["python3", "-c", REPLACE, deed.path, deed.old, deed.new])
    elif isinstance(deed, Delete):
        command = file_commands({deed.path: None})[0]
    elif isinstance(deed, Write):
        text = _text(deed.data)
        made = None if text is None else write_call(deed.path, text, tools)
        commands = file_commands({deed.path: deed.data})
        if made is None and len(commands) > 1:
            raise no_tool_for(f"write {deed.path}, which is too long for one command", tools)
        command = commands[0]
    return made or shell_call(command, tools)


def _change(change: Change, tools: Sequence[Tool]) -> Iterator[tuple[ToolCall, ...]]:
    """Bring in a change, turn by turn."""
    if has_shell(tools):
        by_patch = change.patch is not None
        commands = patch_commands(change.patch or b"") if by_patch else file_commands(change.files)
        yield from ((shell_call(command, tools),) for command in commands)
        return
    if change.patch and not change.files:
        raise no_tool_for("apply a patch", tools)
    writes = []
    for path, data in change.files.items():
        text = _text(data)
        made = None if text is None else write_call(path, text, tools)
        if made is None:
            raise no_tool_for(f"{'delete' if data is None else 'write'} {path}", tools)
        writes.append(made)
    # agents refuse to write over a file that was not read
    there = [path for path in change.files if path not in _created(change.patch or b"")]
    reads = tuple(call for path in there if (call := read_call(path, tools)))
    yield from (calls for calls in (reads, tuple(writes)) if calls)


def _created(patch: bytes) -> set[str]:
    """Files that a patch makes anew."""
    lines = patch.split(b"\n")
    return {
        after[6:].decode("utf-8", "replace")
        for before, after in zip(lines, lines[1:], strict=False)
        if before == b"--- /dev/null" and after.startswith(b"+++ b/")
    }


def _text(data: bytes | None) -> str | None:
    """Contents as text; None for binary ones, and for none."""
    if data is None or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
