"""Checks of arguments: whatever cannot mean what was given is refused with three parts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agenteval.errors import InvalidInput, NotEnoughData

Array = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]


def real_array(values: Any, name: str, *, finite: bool = True) -> Array:
    """Return `values` as a new float array, refusing text, ragged rows and (by default) NaN."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        what = f"{name} holds something that is not a number"
        raise InvalidInput(what, f"argument {name}", "pass numbers of one shape") from error
    if finite and not np.isfinite(array).all():
        raise InvalidInput(
            f"{name} holds NaN or infinity",
            f"argument {name}, first at position {int(np.argmin(np.isfinite(array).ravel()))}",
            "drop the missing rows first and report how many were dropped",
        )
    return array


def open_unit(value: float, name: str) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    number = real_number(value, name)
    if not 0 < number < 1:
        fix = "pass a share such as 0.95, not a percentage"
        raise InvalidInput(f"{name} is {number:g}, outside (0, 1)", f"argument {name}", fix)
    return number


def real_number(value: Any, name: str, *, low: float = -np.inf, high: float = np.inf) -> float:
    """Return `value` as one finite float within [low, high]."""
    array = real_array(value, name)
    if array.ndim:
        raise InvalidInput(f"{name} is not one number", f"argument {name}", "pass a single number")
    number = float(array)
    if not low <= number <= high:
        what = f"{name} is {number:g}, outside [{low:g}, {high:g}]"
        raise InvalidInput(what, f"argument {name}", "pass a value inside that range")
    return number


def whole_number(value: Any, name: str, *, low: int) -> int:
    """Return `value` as an integer of at least `low`."""
    number = real_number(value, name)
    if number != int(number) or number < low:
        fix = f"pass a whole number of at least {low}"
        raise InvalidInput(f"{name} is {number:g}", f"argument {name}", fix)
    return int(number)


def choice(value: Any, name: str, allowed: Collection[Any]) -> Any:
    """Return `value` if it is one of `allowed`."""
    if not any(type(value) is type(option) and value == option for option in allowed):
        fix = f"choose one of {', '.join(map(repr, allowed))}"
        raise InvalidInput(f"{name} is {value!r}", f"argument {name}", fix)
    return value


def count_rows(passed: Any, n: Any) -> tuple[Array, Array]:
    """Return passes and trials broadcast together; 0 <= passed <= n, n = 0 allowed."""
    k, trials = real_array(passed, "passed"), real_array(n, "n")
    try:
        k, trials = np.broadcast_arrays(k, trials)
    except ValueError as error:
        what = f"passed has shape {k.shape} and n has shape {trials.shape}"
        raise InvalidInput(what, "arguments passed, n", "give one n for each passed") from error
    if not k.size:
        raise NotEnoughData("there are no counts", "arguments passed, n", "pass at least one row")
    if (k < 0).any() or (trials < 0).any():
        what = "a count is negative"
        raise InvalidInput(what, "arguments passed, n", "counts start at 0; check the aggregation")
    if (k > trials).any():
        row = int(np.argmax((k > trials).ravel()))
        what = f"passed is greater than n ({k.ravel()[row]:g} of {trials.ravel()[row]:g})"
        where = f"arguments passed, n, position {row}"
        raise InvalidInput(what, where, "pass (passed, n) in this order")
    return k, trials


def whole_rows(array: Array, name: str) -> Array:
    """Return `array` if every entry is a whole number."""
    if (array != np.floor(array)).any():
        fix = "pass counts; for scores in [0, 1] use values="
        raise InvalidInput(f"{name} holds a fraction", f"argument {name}", fix)
    return array


def task_column(values: Any, name: str, *, low: float = -np.inf, high: float = np.inf) -> Array:
    """Return one value a task as a 1-D array within [low, high], at least one task."""
    array = real_array(values, name)
    if array.ndim != 1:
        what = f"{name} has {array.ndim} dimensions"
        raise InvalidInput(what, f"argument {name}", "pass one value a task, in one dimension")
    if not array.size:
        raise NotEnoughData(f"{name} is empty", f"argument {name}", "pass at least one task")
    if (array < low).any() or (array > high).any():
        what = f"{name} leaves [{low:g}, {high:g}] ({array.min():g} to {array.max():g})"
        raise InvalidInput(what, f"argument {name}", "rescale, or use another method")
    return array


def same_length(a: Array, b: Array, names: str) -> None:
    """Refuse two columns of different length."""
    if len(a) != len(b):
        what = f"the columns have {len(a)} and {len(b)} tasks"
        fix = "keep the tasks that are in both, in the same order"
        raise InvalidInput(what, f"arguments {names}", fix)
