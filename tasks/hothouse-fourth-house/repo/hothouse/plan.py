from __future__ import annotations

import re
from pathlib import Path

from hothouse.loader import Unit, UnitError, load

START = "default.target"


def wanted(root: Path) -> dict[str, Unit]:
    """All units that the controller would start, by name; masked ones are not among them."""
    units: dict[str, Unit] = {}
    waiting = [START]
    while waiting:
        name = waiting.pop()
        if name in units:
            continue
        unit = load(root, name)
        if not unit.masked:
            units[name] = unit
            waiting += unit.settings.get("Wants", [])
    return dict(sorted(units.items()))


def plan(root: Path) -> list[tuple[str, str, str]]:
    """A day: time, unit, command. What has no time runs all day, at "always"."""
    lines = []
    for name, unit in wanted(root).items():
        command = unit.settings.get("Command")
        if command:
            for time in unit.settings.get("At") or ["always"]:
                lines.append((time, name, str(command)))
    return sorted(lines)


def check(root: Path) -> list[str]:
    """What is wrong with the units that are wanted."""
    problems = []
    try:
        units = wanted(root)
    except UnitError as error:
        return [str(error)]
    for name, unit in units.items():
        problems += [f"{name}: {problem}" for problem in unit.problems]
        for time in unit.settings.get("At", []):
            if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", time):
                problems.append(f"{name}: At={time} is no time")
        if len(set(unit.settings.get("Notify", []))) != len(unit.settings.get("Notify", [])):
            problems.append(f"{name}: somebody is notified twice")
    return problems
