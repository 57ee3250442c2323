"""One unit with all its drop-ins, see docs/units.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

LISTS = {"At", "Notify", "Wants"}
KNOWN = {
    "Unit": {"Description", "Wants"},
    "Run": {"Command", "At", "Minutes", "Max", "Night", "Threshold", "Sensor", "Notify"},
}


class UnitError(Exception):
    pass


@dataclass
class Unit:
    name: str
    masked: bool = False
    settings: dict[str, str | list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def template_of(name: str) -> str | None:
    stem, at, rest = name.partition("@")
    instance, _, suffix = rest.rpartition(".")
    return f"{stem}@.{suffix}" if at and instance else None


def instance_of(name: str) -> str:
    return name.partition("@")[2].rpartition(".")[0]


def find(root: Path, name: str) -> Path | None:
    for candidate in (name, template_of(name)):
        for layer in ("site", "vendor"):
            if candidate and (root / layer / "units" / candidate).is_file():
                return root / layer / "units" / candidate
    return None


def drop_ins(root: Path, name: str) -> list[Path]:
    found: dict[str, Path] = {}
    for layer in ("site", "vendor"):
        for owner in (name, template_of(name)):
            if owner:
                for path in (root / layer / "units" / f"{owner}.d").glob("*.conf"):
                    found.setdefault(path.name, path)
    return [found[file] for file in sorted(found)]


def load(root: Path, name: str) -> Unit:
    path = find(root, name)
    if path is None:
        raise UnitError(f"no unit {name}")
    unit = Unit(name)
    if path.stat().st_size == 0:
        unit.masked = True
        return unit
    for part in [path, *drop_ins(root, name)]:
        unit.files.append(str(part.relative_to(root)))
        read(unit, part)
    for key, value in unit.settings.items():
        if isinstance(value, list):
            unit.settings[key] = [word.replace("%i", instance_of(name)) for word in value]
        else:
            unit.settings[key] = value.replace("%i", instance_of(name))
    return unit


def read(unit: Unit, path: Path) -> None:
    section = ""
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            continue
        key, equals, value = line.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or key not in KNOWN.get(section, ()):
            unit.problems.append(f"{path.name}:{number}: {line!r} in [{section}]")
            continue
        if key in LISTS:
            unit.settings[key] = [*unit.settings.get(key, []), *value.split()] if value else []
        else:
            unit.settings[key] = value
