"""A suite's defaults under a task's own keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agenteval.records import AnyCheck, JudgeCheck, Suite, Task, check_label
from agenteval.suite.problems import Problems


def merge(task: Task, suite: Suite) -> Task:
    """Fill a task with the defaults of its suite.

    `env` and `checks` add up; a variable or a named check that the task sets again is the
    task's. Any other key is the task's when it sets it, else the suite's. The suite's
    `protected` are added, every check gets the name it has in tables, and every judge its model.
    """
    defaults = suite.defaults
    unset = defaults.model_fields_set - task.model_fields_set
    protected = task.protected if "protected" in task.model_fields_set else defaults.protected
    added_up = {
        "env": {**defaults.env, **task.env},
        "checks": _with_judge(_named(_joined(defaults.checks, task.checks)), suite.judge.model),
        "protected": list(dict.fromkeys([*protected, *suite.protected])),
    }
    return task.model_copy(update={name: getattr(defaults, name) for name in unset} | added_up)


def check_names(checks: Sequence[AnyCheck], where: str, problems: Problems) -> None:
    """Note a problem for every name that one list of checks gives twice."""
    counted = Counter(check.name for check in checks if check.name)
    for name, times in counted.items():
        if times > 1:
            problems.add(
                f"{times} checks have the name {name!r}, so their results could not be told apart",
                where,
                "give each check a name of its own, or none",
            )


def _joined(defaults: Sequence[AnyCheck], own: Sequence[AnyCheck]) -> list[AnyCheck]:
    again = {check.name for check in own if check.name}
    return [*(check for check in defaults if check.name not in again), *own]


def _with_judge(checks: Sequence[AnyCheck], model: str | None) -> list[AnyCheck]:
    """Name the suite's judge in checks that name none, so that it is part of their digest.

    Optional ones are left out where there is none.
    """
    named = [
        check.model_copy(update={"model": model})
        if isinstance(check, JudgeCheck) and not check.judges
        else check
        for check in checks
    ]
    return [
        check
        for check in named
        if not (isinstance(check, JudgeCheck) and check.optional and not check.judges)
    ]


def _named(checks: Sequence[AnyCheck]) -> list[AnyCheck]:
    taken = {check.name for check in checks if check.name}
    named = []
    for position, check in enumerate(checks, start=1):
        label = check_label(check, position)
        if not check.name:
            while label in taken:
                label += f" {position}"
            taken.add(label)
        named.append(check.model_copy(update={"name": label}))
    return named
