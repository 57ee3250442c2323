"""What pydantic found, in the words of somebody who wrote a task file."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from agenteval.records import CHECK_KINDS, Experiment, Suite, Variant
from agenteval.suite.keys import Location, PlainKeys, camel_key, plain_key
from agenteval.suite.problems import Problem, nearest, one_of

_WANTED = {
    "string_type": "a text in quotes",
    "bool_type": "true or false, without quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "list_type": "a list, such as [\"...\"]",
    "dict_type": "a table of keys and values",
    "model_type": "a table of keys and values",
    "model_attributes_type": "a table of keys and values",
    "too_short": "a list with at least {min_length} entry",
    "string_too_short": "a text that is not empty",
    "string_too_long": "a text of at most {max_length} characters",
    "greater_than": "a number greater than {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "finite_number": "a finite number",
}  # fmt: skip
_NAME = "letters, digits, '.', '_' and '-' only (in an image also '/', ':' and '@'), with a letter or digit first"
_PATTERNS = {
    r"\S": "a text that is not blank",
    r"^\S+$": "a text without blanks",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "the name of a variable: letters, digits and '_' only",
    r"^https?://[^\s?#]+$": "an address that starts with http:// or https://, without blanks, '?' and '#'",
}

_RULES = {
    "needs exactly one": "give one of the two, and only one",
    "an empty": "write what must be found",
    "is not a regular expression": "mend the expression, or use `text` for literal text",
    "lists arms and also": "take out `arms`, or `agents`, `models` and `variants`",
}
_NOUNS: dict[type[BaseModel], str] = {
    Suite: "a suite",
    Variant: "a variant",
    Experiment: "an experiment",
}


def explain(
    error: ValidationError, model: type[BaseModel], keys: PlainKeys, file: str
) -> list[Problem]:
    """Turn each finding into a problem that names file, key, value and what is allowed."""
    return [_explain(found, model, keys, file) for found in error.errors(include_url=False)]


def _explain(found: Any, model: type[BaseModel], keys: PlainKeys, file: str) -> Problem:
    location = _without_tags(found["loc"])
    owner, noun = _owner(model, found["loc"][:-1])
    key = str(location[-1]) if location else ""
    where = f"{file}, key {keys.written(location)}"
    kind, context = found["type"], found.get("ctx", {})
    if kind == "extra_forbidden":
        return Problem(
            f"`{keys.spelled[location][0]}` is not a key of {noun}",
            where,
            _other_key(keys.spelled[location][0], owner, model, location),
        )
    if kind == "missing":
        return Problem(
            f"The key `{key}` of {noun} is missing", where, f"add it{_meaning(owner, key)}"
        )
    if kind.startswith("union_tag"):
        given = f"has the unknown kind {context['tag']!r}" if "tag" in context else "has no `kind`"
        near = nearest(str(context.get("tag", "")), CHECK_KINDS)
        fix = f"write kind = {near!r}" if near else f"set kind to {one_of(list(CHECK_KINDS))}"
        return Problem(f"The check {given}", f"{where}.kind", fix)
    value = keys.value(location, found["input"])
    if kind == "literal_error":
        near = nearest(
            str(value), context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        )
        hint = f"; nearest: {near!r}" if near else ""
        return Problem(
            f"`{keys.written(location)}` is {value!r}", where, f"use {context['expected']}{hint}"
        )
    if kind == "value_error":
        return _own_rule(str(context["error"]), location, keys, where if location else file, noun)
    wanted = _WANTED.get(kind, found["msg"]).format_map(context)
    if kind == "string_pattern_mismatch":
        wanted = _PATTERNS.get(context["pattern"], _NAME)
    return Problem(
        f"`{keys.written(location)}` is {_short(value)}",
        where,
        f"write {wanted}{_meaning(owner, key)}",
    )


def _own_rule(message: str, location: Location, keys: PlainKeys, where: str, noun: str) -> Problem:
    """Word what a model of `records` refuses by a rule of its own."""
    if message.startswith("path "):
        what, _, fix = message.partition("; ")
        return Problem(what[0].upper() + what[1:], where, fix)
    fix = next(
        (fix for start, fix in _RULES.items() if message.startswith(start)), "change the value"
    )
    named = f"`{keys.written(location)}`" if location else f"the {noun.split()[-1]}"
    what = message if message.startswith("an ") else f"{named} {message}"
    return Problem(what[0].upper() + what[1:], where, fix)


def _other_key(
    written: str, owner: type[BaseModel], root: type[BaseModel], location: Location
) -> str:
    name = plain_key(written)
    camel = any(letter.isupper() for letter in written)
    if len(location) > 1 and name in root.model_fields and name not in owner.model_fields:
        noun = _NOUNS.get(root, "a task").split()[-1]
        return (
            f"move it above the first line in [brackets]: `{written}` is a key of the {noun} itself"
        )
    choices = [field.alias or name for name, field in owner.model_fields.items()]
    near = nearest(name, choices)
    if near:
        return f"write `{camel_key(near) if camel else near}`"
    return f"use {one_of(choices)}"


def _owner(model: type[BaseModel], location: tuple[str | int, ...]) -> tuple[type[BaseModel], str]:
    """Model that a location lies in, and what to call it."""
    noun = _NOUNS.get(model, "a task")
    choices: list[type[BaseModel]] = []
    for part in location:
        if isinstance(part, int):
            continue
        if part in CHECK_KINDS and len(choices) > 1:
            model, noun = CHECK_KINDS[part], f"a {part} check"
            choices = []
        elif part in model.model_fields:
            choices = list(_models(model.model_fields[part].annotation))
            if len(choices) == 1:
                model, noun = choices[0], f"`{part}`"
    return model, noun


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _models(inner)


def _without_tags(location: tuple[str | int, ...]) -> Location:
    """Drop the check's kind, which pydantic puts after its number."""
    return tuple(
        part
        for place, part in enumerate(location)
        if not (
            place > 1 and location[place - 2] == "checks" and isinstance(location[place - 1], int)
        )
    )


def _meaning(owner: type[BaseModel], key: str) -> str:
    field = owner.model_fields.get(key)
    return f" ({key}: {field.description.rstrip('.')})" if field and field.description else ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
