"""ChatCLI's kinds of check, each as one of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from agenteval.suite.authoring.task_toml import Value
from agenteval.suite.foreign.conversion import Conversion, Malformed, fitted
from agenteval.suite.foreign.durations import seconds_of
from agenteval.suite.foreign.patterns import reads_unicode, single_line

Text = Annotated[str, Field(min_length=1)]
COMMAND_TIMEOUT_S = 120.0  # theirs, when a check says nothing
JUDGE_THRESHOLD = 0.7


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JsonGiven(_Given):
    """Value of `json`."""

    require_keys: list[str] = Field(default_factory=list)


class FileText(_Given):
    """Value of `file_contains` and `file_regex`."""

    path: Text
    text: Text


class CommandGiven(_Given):
    """Value of `command`."""

    run: Text
    expect_exit: int = Field(0, ge=0, le=255)
    contains: str = ""
    timeout: str | float | None = None


class JudgeGiven(_Given):
    """Value of `judge`."""

    rubric: Text
    reference: str = ""
    threshold: float = Field(JUDGE_THRESHOLD, ge=0, le=1)
    samples: int = Field(1, ge=1, le=5)


class ChatCheck(_Given):
    """One check: exactly one kind, and what all kinds have."""

    name: str = ""
    weight: float | None = Field(None, ge=0)
    ignore_case: bool = False
    contains: Text | None = None
    not_contains: Text | None = None
    equals: Text | None = None
    regex: Text | None = None
    not_regex: Text | None = None
    json_: JsonGiven | None = Field(None, alias="json")
    file_exists: Text | None = None
    file_absent: Text | None = None
    file_contains: FileText | None = None
    file_regex: FileText | None = None
    command: CommandGiven | None = None
    tool_called: Text | None = None
    tool_not_called: Text | None = None
    max_cost_usd: float | None = Field(None, ge=0)
    max_turns: int | None = Field(None, ge=0)
    max_duration: str | float | None = None
    judge: JudgeGiven | None = None


Written = dict[str, Value]
Told = Callable[[str], None]
_ANSWER = {"contains": ("answer-contains", False), "not_contains": ("answer-contains", True)}
_MATCHES = {"regex": ("answer-matches", False), "not_regex": ("answer-matches", True)}
_FILES = {"file_exists": "file-exists", "file_absent": "file-absent"}
_TOOLS = {"tool_called": "tool-used", "tool_not_called": "tool-not-used"}
_SHARED = ("name", "weight", "ignore_case")


def our_check(raw: Any, where: str, task: Conversion, judge: str | None) -> Written:
    """Convert one check.

    Parameters
    ----------
    where
        Place in the case, for messages.
    judge
        provider/model of the suite's judge.

    Raises
    ------
    Malformed
        When it is not one check.
    """
    check = fitted(ChatCheck, {"json": {}, **raw} if _bare_json(raw) else raw, within=where)
    kinds = [name for name in raw if name not in _SHARED]
    if len(kinds) != 1:
        raise Malformed(where, f"must have exactly one kind, has {', '.join(kinds) or 'none'}")
    kind = kinds[0]
    value = getattr(check, "json_" if kind == "json" else kind)
    if value is None:
        raise Malformed(f"{where}.{kind}", "is empty")

    def told(why: str) -> None:
        task.changed(f"{where}.{kind}", why)

    written = _body(kind, value, f"{where}.{kind}", told, judge)
    if check.ignore_case:
        _add_case(written, kind, told)
    shared: Written = {"name": check.name} if check.name else {}
    if check.weight:  # theirs is 1 when it is 0 or missing
        shared["weight"] = check.weight
    return {"kind": written.pop("kind"), **shared, **written}


def _bare_json(raw: Any) -> bool:
    return isinstance(raw, dict) and "json" in raw and raw["json"] in (None, "")


def _body(kind: str, value: Any, where: str, told: Told, judge: str | None) -> Written:
    if kind.startswith("not_"):
        told("fails when there is no final answer at all; there it passes")
    if kind in _ANSWER:
        ours, negate = _ANSWER[kind]
        return {"kind": ours, "text": value, **({"negate": True} if negate else {})}
    if kind in _MATCHES:
        ours, negate = _MATCHES[kind]
        pattern = _pattern(value, where, told, answer=True)
        return {"kind": ours, "pattern": pattern, **({"negate": True} if negate else {})}
    if kind in _FILES:
        return {"kind": _FILES[kind], "path": value}
    if kind in _TOOLS:
        told(
            "names a tool as chatcli calls it; only an arm whose calls are metered can be given it"
        )
        return {"kind": _TOOLS[kind], "tool": value}
    if kind.startswith("max_"):
        return _bound(kind, value, where, told)
    return _special(kind, value, where, told, judge)


def _special(kind: str, value: Any, where: str, told: Told, judge: str | None) -> Written:
    if kind == "equals":
        return {"kind": "answer-equals", "text": value}
    if kind == "json":
        keys: Written = {"require_keys": value.require_keys} if value.require_keys else {}
        return {"kind": "answer-json", **keys}
    if kind == "file_contains":
        return {"kind": "file-contains", "path": value.path, "text": value.text}
    if kind == "file_regex":
        return {
            "kind": "file-matches",
            "path": value.path,
            "pattern": _pattern(value.text, f"{where}.text", told),
        }
    if kind == "command":
        return _command(value, where, told)
    return _judge(value, told, judge)


def _pattern(text: str, where: str, told: Told, *, answer: bool = False) -> str:
    pattern = single_line(text, where, answer=answer)
    if pattern != text:
        told(f"written as {pattern!r}: checks search in multi-line mode here")
    if reads_unicode(pattern):
        told("its classes match letters and digits of every script here")
    return pattern


def _command(value: CommandGiven, where: str, told: Told) -> Written:
    timeout_s = (
        COMMAND_TIMEOUT_S
        if value.timeout is None
        else seconds_of(value.timeout, f"{where}.timeout")
    )
    told("runs in a fresh copy of the result, offline; a time-out is no verdict, which counts as 0")
    written: Written = {"kind": "command", "run": value.run, "timeout_s": timeout_s}
    if value.expect_exit:
        written["expect_exit"] = value.expect_exit
    if value.contains:
        # theirs looks at both streams together
        written["run"] = f"{{ {value.run}\n}} 2>&1"
        written["stdout_contains"] = value.contains
    return written


def _judge(value: JudgeGiven, told: Told, judge: str | None) -> Written:
    told("a provider that fails is asked again and then leaves the trial out; there it is a 0")
    written: Written = {"kind": "judge", "rubric": value.rubric}
    if value.reference:
        written["reference"] = value.reference
    if judge is not None:
        written["model"] = judge
    return written | {"threshold": value.threshold, "samples": value.samples}


def _bound(kind: str, value: Any, where: str, told: Told) -> Written:
    if kind == "max_duration":
        return {"kind": "max-duration-s", "max": seconds_of(value, where)}
    told("without a metered record it passes there; here such an arm is refused")
    return {"kind": kind.replace("_", "-"), "max": value}


def _add_case(written: Written, kind: str, told: Told) -> None:
    if written["kind"] in ("answer-contains", "answer-matches", "answer-equals", "file-contains", "file-matches"):  # fmt: skip
        written["ignore_case"] = True
    elif kind not in _TOOLS:  # tools are compared without regard to case anyway
        told("`ignore_case` means nothing for this kind and is left out")
