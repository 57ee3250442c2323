"""The check `answer-json`: the final answer is JSON, with the keys and of the shape asked for."""

from __future__ import annotations

import json
import re
import sys
import threading
from itertools import islice, takewhile
from typing import Any

from agenteval.checks.patterns import NoVerdictError
from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.text import NO_ANSWER
from agenteval.records import AnswerJsonCheck
from agenteval.sandbox import Bounds, run_process

TIMEOUT_S = 20.0
LARGEST = 4 << 20
MOST_TRIES = 100  # an answer of brackets only would be parsed for ever
_FENCE = re.compile(r"[ \t]*(```|~~~)")
# a schema's own patterns may never end on an answer written to provoke it
PROGRAM = """
import json, sys
sys.modules.setdefault("rfc3987_syntax", None)
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry
asked = json.load(sys.stdin)
found = best_match(Draft202012Validator(asked["schema"], registry=Registry()).iter_errors(asked["value"]))
json.dump(None if found is None else f"{found.json_path}: {found.message}"[:300], sys.stdout)
"""


def check_answer_json(check: AnswerJsonCheck, grading: Grading) -> Verdict:
    """Read the answer as JSON, then look at its keys and its shape; what is no JSON fails, negated or not."""
    if not grading.answer.strip():
        return NO_ANSWER
    found = first_json(grading.answer)
    if found is None:
        return Verdict(passed=False, detail="the final answer holds no JSON")
    (value,) = found
    try:
        problem = _problem(check, value, grading.cancel)
    except NoVerdictError as error:
        return Verdict(passed=None, detail=error.detail, error_class=error.error_class)
    detail = problem or "the final answer is JSON as asked for"
    return Verdict(passed=(problem is None) != check.negate, detail=detail)


def first_json(text: str) -> tuple[Any] | None:
    """The JSON value in a text: the whole of it, else the first fenced block, else the first object or list.

    >>> first_json("Here it is: [1, 2]. Done."), first_json("no")
    (([1, 2],), None)
    """
    if len(text) > LARGEST:
        return None
    for part in (text, _fenced(text)):
        value = _parsed(part)
        if value is not None:
            return value
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    for start in islice(re.finditer(r"[{\[]", text), MOST_TRIES):
        try:
            return (decoder.raw_decode(text, start.start())[0],)
        except (ValueError, RecursionError):
            continue
    return None


def _fenced(text: str) -> str:
    """Inside of the first fenced block; empty when there is none."""
    lines = iter(text.splitlines())
    mark = next((found[1] for line in lines if (found := _FENCE.match(line))), None)
    if mark is None:
        return ""
    return "\n".join(takewhile(lambda line: not line.strip().startswith(mark), lines))


def _parsed(text: str) -> tuple[Any] | None:
    try:
        return (json.loads(text, parse_constant=_no_constant),)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _problem(check: AnswerJsonCheck, value: Any, cancel: threading.Event | None) -> str | None:
    if check.require_keys:
        if not isinstance(value, dict):
            return "the final answer is no JSON object, so it has no keys"
        missing = [key for key in check.require_keys if key not in value]
        if missing:
            return f"the JSON lacks {', '.join(map(repr, missing))}"
    if check.json_schema is None:
        return None
    done = run_process(
        [sys.executable, "-I", "-W", "ignore", "-c", PROGRAM],
        env={},
        stdin=json.dumps({"schema": check.json_schema, "value": value}).encode(),
        bounds=Bounds(timeout_s=TIMEOUT_S, grace_s=0.1),
        cancel=cancel,
    )
    if done.stopped_by is not None or done.exit_code != 0:
        raise NoVerdictError(
            "check_timeout" if done.stopped_by == "timeout" else "check_no_verdict",
            f"comparing the answer with the schema ended with {done.stopped_by or done.exit_code}",
        )
    told: str | None = json.loads(done.stdout)
    return None if told is None else f"the JSON breaks the schema at {told}"
