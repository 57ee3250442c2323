"""What a scripted model wants done, mapped onto the tools that an agent offers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agenteval.errors import InvalidInput
from agenteval.gateway.wire.protocol import Tool, ToolCall

# by name first, in this order; then by a name that sounds like it and what the schema takes
SHELLS = ("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "terminal", "execute_bash", "execute_command", "run_command")  # fmt: skip
WRITERS = ("Write", "write_file", "write", "create_file", "file_editor", "str_replace_editor", "str_replace_based_edit_tool")  # fmt: skip
EDITORS = ("Edit", "replace", "edit", "edit_file", "file_editor", "str_replace_editor", "str_replace_based_edit_tool")  # fmt: skip
READERS = ("Read", "read_file", "read", "view", "file_editor", "str_replace_editor", "str_replace_based_edit_tool")  # fmt: skip
COMMANDS = ("command", "cmd")
PATHS = ("file_path", "filePath", "path", "absolute_path", "filename")
CONTENTS = ("content", "contents", "file_text", "text")
OLD = ("old_string", "oldString", "old_str")
NEW = ("new_string", "newString", "new_str")
FINISH = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"  # what mini-swe-agent waits for
FILLERS: Mapping[str, Any] = {"boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}  # fmt: skip


class NoUsableTool(InvalidInput):
    """The agent offers its model no tool for what the script wants done."""

    def __init__(self, what: str, where: str = "", fix: str = "") -> None:
        super().__init__(what, where, fix)


def no_tool_for(purpose: str, tools: Iterable[Tool]) -> NoUsableTool:
    """Make the error that says which tools there are in place of the one that is needed."""
    names = ", ".join(tool.name for tool in tools) or "none"
    return NoUsableTool(
        f"The agent offers no tool to {purpose}",
        f"tools offered: {names}",
        "let the agent use its shell or its write tool, or have the script call one of its tools by name",
    )


def has_shell(tools: Sequence[Tool]) -> bool:
    """Whether a command can be run."""
    return _shell(tools) is not None


def shell_call(command: str, tools: Sequence[Tool]) -> ToolCall:
    """Call the agent's shell, whose command may be a text or a list of arguments.

    Raises
    ------
    NoUsableTool
        When there is none.
    """
    tool = _shell(tools)
    if tool is None:
        raise no_tool_for("run a command", tools)
    name = _first(COMMANDS, tool) or "command"
    takes_list = _properties(tool).get(name, {}).get("type") == "array"
    return _call(tool, {name: ["sh", "-c", command] if takes_list else command})


def write_call(path: str, text: str, tools: Sequence[Tool]) -> ToolCall | None:
    """Call the agent's tool that writes a whole file; None where it offers none."""
    tool = _found(WRITERS, (PATHS, CONTENTS), "write", tools)
    if tool is None:
        return None
    given = {_named(PATHS, tool): path, _named(CONTENTS, tool, "file_text"): text}
    return _call(tool, given, mode="create")


def edit_call(path: str, old: str, new: str, tools: Sequence[Tool]) -> ToolCall | None:
    """Call the agent's tool that replaces a text in a file; None where it offers none."""
    tool = _found(EDITORS, (PATHS, OLD, NEW), "edit|replace", tools)
    if tool is None:
        return None
    given = {
        _named(PATHS, tool): path,
        _named(OLD, tool, "old_str"): old,
        _named(NEW, tool, "new_str"): new,
    }
    return _call(tool, given, mode="str_replace")


def read_call(path: str, tools: Sequence[Tool]) -> ToolCall | None:
    """Call the agent's tool that reads a file; None where it offers none."""
    tool = _found(READERS, (PATHS,), "read", tools)
    return None if tool is None else _call(tool, {_named(PATHS, tool): path}, mode="view")


def finish_call(answer: str, tools: Sequence[Tool]) -> ToolCall | None:
    """Call that ends the work of an agent which ends by a command; None for all others.

    mini-swe-agent offers one tool, `bash`, that takes nothing but a command; it takes an answer
    without a call for a mistake.
    """
    if [tool.name for tool in tools] != ["bash"] or set(_properties(tools[0])) != {"command"}:
        return None
    return shell_call(f"printf '%s\\n%s' {FINISH} {shlex.quote(answer)}", tools)


def says_done(call: ToolCall) -> bool:
    """Whether it is the call that ends the work of an agent which ends by a command."""
    return any(FINISH in value for value in (call.input or {}).values() if isinstance(value, str))


def _shell(tools: Sequence[Tool]) -> Tool | None:
    return _found(SHELLS, (COMMANDS,), "bash|shell|exec|terminal", tools)


def _found(
    names: Sequence[str], takes: Sequence[Sequence[str]], sounds: str, tools: Sequence[Tool]
) -> Tool | None:
    """Tool by its name, else the first that sounds like it and takes what it is to be given."""
    by_name = {tool.name: tool for tool in reversed(tools)}
    known = [by_name[name] for name in names if name in by_name]
    alike = [tool for tool in tools if re.search(sounds, tool.name, re.IGNORECASE)]
    for tool in (*known, *alike):
        bare = tool in known and not _properties(tool)
        if bare or all(_first(kind, tool) for kind in takes):
            return tool
    return None


def _properties(tool: Tool) -> Mapping[str, Any]:
    given = tool.schema.get("properties")
    properties = given if isinstance(given, Mapping) else {}
    return {name: value if isinstance(value, Mapping) else {} for name, value in properties.items()}


def _modes(tool: Tool) -> bool:
    """Whether its `command` chooses what it does to a file, as in a tool that does all of it."""
    return "create" in (_properties(tool).get("command", {}).get("enum") or ())


def _first(names: Sequence[str], tool: Tool) -> str | None:
    properties = _properties(tool)
    return next((name for name in names if name in properties), None)


def _named(names: Sequence[str], tool: Tool, without_schema: str = "path") -> str:
    return _first(names, tool) or without_schema


def _call(tool: Tool, given: dict[str, Any], mode: str | None = None) -> ToolCall:
    """Make a call with what the schema requires beyond what is given."""
    properties = _properties(tool)
    if mode is not None and (_modes(tool) or not properties):
        given = {"command": mode, **given}
    required = tool.schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in given:
            given[name] = _filler(properties.get(name, {}))
    return ToolCall(tool.name, "", given)


def _filler(schema: Mapping[str, Any]) -> Any:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = schema.get("type")
    return FILLERS.get(kind if isinstance(kind, str) else "", "scripted")
