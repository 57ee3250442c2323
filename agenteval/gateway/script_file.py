"""Scripts on disk: `scripted:FILE`.

A script is one JSON object:

```json
{"steps": [
   {"text": "Let me look.", "calls": [{"run": "ls"}]},
   {"calls": [{"read": "app.py"},
              {"edit": "app.py", "old": "a", "new": "b"},
              {"write": "new.txt", "text": "hello"},
              {"write": "new.bin", "base64": "AAE="},
              {"delete": "old.txt"},
              {"tool": "WebSearch", "input": {"query": "x"}}],
    "usage": {"input_tokens": 100, "cache_read_tokens": 0, "cache_write_tokens": 0,
              "output_tokens": 20}},
   {"calls": [{"apply": "diff --git a/app.py b/app.py ..."}]},
   {"text": "Done.", "delay_s": 0.5, "gap_s": 0.1,
    "error": {"status": 529, "message": "Overloaded", "times": 2, "retry_after_s": 1}},
   {"text": "and so", "length": true}],
 "side": {"text": "A title"},
 "toolless": false,
 "after_end": "repeat"}
```

All keys but `steps` have defaults.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from agenteval.errors import InvalidInput
from agenteval.gateway.deeds import Change, Deed, Delete, Edit, Literally, Read, Run, Write
from agenteval.gateway.scripting import PLAYED, Script, Step, Trouble
from agenteval.gateway.wire.protocol import Usage

Parse = Callable[[Any, str], Any]
AFTER_END = ("repeat", "error")


def load_script(path: Path) -> Script:
    """Read a script.

    Raises
    ------
    InvalidInput
        When there is none, or it says something that has no meaning; names the key.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"The script cannot be read: {error.strerror}",
            f"scripted:{path}",
            "give the path of a script, or use scripted:reference, scripted:noop or scripted:chance",
        ) from error
    return parse_script(text, str(path))


def parse_script(text: str | bytes, where: str = "script") -> Script:
    """Make a script of JSON.

    >>> parse_script('{"steps": [{"text": "Hello."}]}').steps[0].text
    'Hello.'

    Raises
    ------
    InvalidInput
        Says which key is wrong.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"The script is no JSON: {error}", where, "write one JSON object"
        ) from error
    found = _object(document, where, SCRIPT, needs=("steps",))
    if found.get("after_end", "repeat") not in AFTER_END:
        raise _wrong(found["after_end"], f"{where}: after_end", '"repeat" or "error"')
    return Script(**found)


def _wrong(value: Any, where: str, wanted: str) -> InvalidInput:
    told = json.dumps(value, ensure_ascii=False)
    return InvalidInput(f"{told[:80]} has no meaning here", where, f"give {wanted}")


def _object(
    value: Any, where: str, keys: Mapping[str, Parse], *, needs: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Parse an object that has these keys and no others."""
    if not isinstance(value, dict):
        raise _wrong(value, where, f"an object with the keys {', '.join(keys)}")
    for key in value:
        if key not in keys:
            near = get_close_matches(key, keys, n=1)
            hint = f"use {near[0]!r}" if near else f"use {', '.join(keys)}"
            raise InvalidInput(f"A script has no key {key!r} here", where, hint)
    for key in needs:
        if key not in value:
            raise InvalidInput(f"The key {key!r} is missing", where, f"add {key!r}")
    return {key: keys[key](item, f"{where}: {key}") for key, item in value.items()}


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(value, where, "a text")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, where, "true or false")
    return value


def _seconds(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e6:
        raise _wrong(value, where, "a number of seconds from 0")
    return float(value)


def _whole(low: int, high: int) -> Parse:
    def parse(value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise _wrong(value, where, f"a whole number from {low} to {high}")
        return value

    return parse


def _listed(one: Parse) -> Parse:
    def parse(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _wrong(value, where, "a list")
        return tuple(one(item, f"{where}[{at}]") for at, item in enumerate(value))

    return parse


def _input(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(value, where, "an object: the tool's input")
    return value


def _bytes(value: Any, where: str) -> bytes:
    try:
        return base64.b64decode(_text(value, where), validate=True)
    except binascii.Error as error:
        raise _wrong(value, where, "base64") from error


CALLS: Mapping[str, tuple[Mapping[str, Parse], tuple[str, ...]]] = {
    "run": ({"run": _text}, ()),
    "write": ({"write": _text, "text": _text, "base64": _bytes}, ()),
    "delete": ({"delete": _text}, ()),
    "edit": ({"edit": _text, "old": _text, "new": _text}, ("old", "new")),
    "read": ({"read": _text}, ()),
    "apply": ({"apply": _text}, ()),
    "tool": ({"tool": _text, "input": _input}, ()),
}


def _deed(value: Any, where: str) -> Deed:
    kind = next((kind for kind in CALLS if isinstance(value, dict) and kind in value), None)
    if kind is None:
        raise _wrong(value, where, f"a call with one of the keys {', '.join(CALLS)}")
    keys, needs = CALLS[kind]
    found = _object(value, where, keys, needs=needs)
    if kind == "write":
        if ("text" in found) == ("base64" in found):
            raise _wrong(value, where, "either text or base64 to write")
        return Write(found["write"], found.get("base64", found.get("text", "").encode()))
    made: Mapping[str, Callable[[], Deed]] = {
        "run": lambda: Run(found["run"]),
        "delete": lambda: Delete(found["delete"]),
        "edit": lambda: Edit(found["edit"], found["old"], found["new"]),
        "read": lambda: Read(found["read"]),
        "apply": lambda: Change(found["apply"].encode()),
        "tool": lambda: Literally(found["tool"], found.get("input", {})),
    }
    return made[kind]()


def _usage(value: Any, where: str) -> Usage:
    names = [field.name for field in fields(Usage)]
    given = _object(value, where, dict.fromkeys(names, _whole(0, 10**9)))
    return Usage(**{name: given.get(name, getattr(PLAYED, name)) for name in names})


def _trouble(value: Any, where: str) -> Trouble:
    return Trouble(**_object(value, where, TROUBLE, needs=("status",)))


def _step(value: Any, where: str) -> Step:
    found = _object(value, where, STEP)
    deeds = found.pop("calls", ())
    return Step(deeds=deeds, **found)


TROUBLE: Mapping[str, Parse] = {
    "status": _whole(400, 599),
    "message": _text,
    "times": _whole(1, 10**6),
    "retry_after_s": _seconds,
}
STEP: Mapping[str, Parse] = {
    "text": _text,
    "calls": _listed(_deed),
    "usage": _usage,
    "delay_s": _seconds,
    "gap_s": _seconds,
    "length": _flag,
    "error": _trouble,
}
SCRIPT: Mapping[str, Parse] = {
    "steps": _listed(_step),
    "side": _step,
    "toolless": _flag,
    "after_end": _text,
}
