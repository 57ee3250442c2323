"""The parameters of a template: what its tagged cell declares, and values that fit it."""

from __future__ import annotations

import ast
import difflib
import io
import json
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from agenteval.errors import ReportError

_TRUE, _FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}
_FIX = "pass a value of that type (agenteval report TEMPLATE -p name=value)"


@dataclass(frozen=True)
class Parameter:
    """One line `name: type = default  # help` of a template's parameters cell.

    Attributes
    ----------
    name
        Name of the parameter.
    type
        One of `str`, `int`, `float`, `bool`, `list`; what a value is converted to.
    default
        Value when none is passed.
    help
        The comment behind it.
    """

    name: str
    type: str
    default: Any
    help: str = ""


def read_parameters(source: str, where: str) -> list[Parameter]:
    """Read a parameters cell.

    Parameters
    ----------
    source
        Text of the cell.
    where
        The template, for errors.

    Raises
    ------
    ReportError
        When a line is something else than a name with a literal.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise _not_a_literal((error.text or "").strip(), where) from None
    comments = {
        token.start[0]: token.string.lstrip("# ").rstrip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found = []
    for node in body:
        match node:
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value
            ):
                declared = ast.unparse(annotation).partition("[")[0]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                declared = ""
            case _:
                raise _not_a_literal(ast.unparse(node), where)
        try:
            default = ast.literal_eval(value)
        except ValueError:
            raise _not_a_literal(ast.unparse(node), where) from None
        kind = declared or type(default).__name__
        if kind not in _CONVERTERS:
            raise ReportError(
                f"Parameter `{name}` has the type {kind}",
                where,
                f"declare one of {', '.join(_CONVERTERS)}",
            )
        found.append(Parameter(name, kind, default, comments.get(node.end_lineno or 0, "")))
    return found


def fit(values: Mapping[str, Any], parameters: list[Parameter], where: str) -> dict[str, Any]:
    """Check `values` against the template's parameters and convert them.

    Text is converted to the declared type, so that values typed on a command line work; the
    result holds only what JSON can carry.

    Raises
    ------
    ReportError
        For a name the template does not have (the nearest valid ones first), or a value that
        is not of its type.
    """
    declared = {parameter.name: parameter for parameter in parameters}
    for name in values:
        if name not in declared:
            raise _unknown(name, list(declared), where)
    return {name: _convert(value, declared[name], where) for name, value in values.items()}


def _convert(value: Any, parameter: Parameter, where: str) -> Any:
    if value is None:
        return parameter.default
    try:
        converted = _CONVERTERS[parameter.type](value)
        json.dumps(converted, allow_nan=False)
    except (TypeError, ValueError):
        what = f"Parameter `{parameter.name}` is {parameter.type}, and {value!r} is not"
        raise ReportError(what, f"parameter {parameter.name} of {where}", _FIX) from None
    return converted


def _str(value: Any) -> str:
    if isinstance(value, PathLike):
        return str(fspath(value))
    if not isinstance(value, str):
        raise TypeError
    return value


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = _str(value).strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError
    return word in _TRUE


def _int(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise TypeError
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError
    return float(value)


def _list(value: Any) -> list[Any]:
    if isinstance(value, str):
        text = value.strip()
        value = (
            json.loads(text)
            if text.startswith("[")
            else [part.strip() for part in text.split(",") if part.strip()]
        )
    if not isinstance(value, list | tuple):
        raise TypeError
    return list(value)


_CONVERTERS = {"str": _str, "int": _int, "float": _float, "bool": _bool, "list": _list}


def _unknown(name: str, valid: list[str], where: str) -> ReportError:
    near = difflib.get_close_matches(name, valid, n=max(1, len(valid)), cutoff=0.5)
    ordered = [*near, *(other for other in valid if other not in near)]
    fix = (
        f"use one of: {', '.join(ordered)}"
        if ordered
        else "pass none: this template has no parameters"
    )
    return ReportError(f"Unknown report parameter `{name}`", where, fix)


def _not_a_literal(line: str, where: str) -> ReportError:
    return ReportError(
        f"A line of the parameters cell is no literal: {line}",
        where,
        "write `name: type = literal  # help`",
    )
