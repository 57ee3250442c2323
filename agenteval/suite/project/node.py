"""A Node project: package.json, its lockfile and its scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agenteval.suite.project.found import Project, present, text_of

_LOCKS = (
    ("pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn", "yarn install --frozen-lockfile"),
    ("bun.lock", "bun", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun", "bun install --frozen-lockfile"),
    ("package-lock.json", "npm", "npm ci"),
    ("npm-shrinkwrap.json", "npm", "npm ci"),
)
_RUNNERS = (
    ("vitest", "npx vitest run"),
    ("jest", "npx jest"),
    ("mocha", "npx mocha"),
    ("ava", "npx ava"),
)
_LINTERS = (("eslint", "npx eslint ."), ("@biomejs/biome", "npx biome check ."))
_TEST_GLOBS = ("**/*.test.*", "**/*.spec.*", "**/*-test.*")


def detect(folder: Path) -> Project | None:
    """Return what package.json says; None when there is none."""
    if not present(folder, "package.json"):
        return None
    evidence: list[str] = []
    package = _package(folder, evidence)
    depends = _names(
        package, "dependencies", "devDependencies", "peerDependencies", "optionalDependencies"
    )
    typed = bool(present(folder, "tsconfig.json")) or "typescript" in depends
    evidence.insert(
        0,
        f"{'typescript' if typed else 'javascript'}: package.json{' with TypeScript' if typed else ''}",
    )
    lock, manager, install = next(
        (entry for entry in _LOCKS if present(folder, entry[0])), ("", "npm", "npm install")
    )
    if lock == "yarn.lock" and present(folder, ".yarnrc.yml"):
        install = "yarn install --immutable"
    if depends:
        evidence.append(f"setup: {lock or 'dependencies without a lockfile'}")
    scripts = _strings(package, "scripts")
    tests = _tests(folder)
    return Project(
        folder,
        "typescript" if typed else "javascript",
        install if depends else "",
        _test(scripts, depends, manager, tests, evidence),
        _lint(scripts, depends, manager, evidence),
        tests,
        tuple(filter(None, [lock or "package.json"])) if depends else (),
        tuple(evidence),
    )


def _package(folder: Path, evidence: list[str]) -> dict[str, Any]:
    try:
        package = json.loads(text_of(folder / "package.json"))
    except json.JSONDecodeError as error:
        evidence.append(f"package.json is not valid JSON and was not used: {error}")
        return {}
    return package if isinstance(package, dict) else {}


def _test(
    scripts: dict[str, str],
    depends: set[str],
    manager: str,
    tests: tuple[str, ...],
    evidence: list[str],
) -> str:
    script = scripts.get("test", "")
    if script and "no test specified" not in script:
        evidence.append(f"test: script `test` ({script})")
        return f"{manager} test" if manager != "bun" else "bun run test"
    for name, command in _RUNNERS:
        if name in depends:
            evidence.append(f"test: {name} among the dependencies")
            return command
    if tests:
        evidence.append(f"test: files {', '.join(tests)}")
        return "node --test"
    return ""


def _lint(scripts: dict[str, str], depends: set[str], manager: str, evidence: list[str]) -> str:
    if "lint" in scripts:
        evidence.append(f"lint: script `lint` ({scripts['lint']})")
        return f"{manager} run lint"
    for name, command in _LINTERS:
        if name in depends:
            evidence.append(f"lint: {name} among the dependencies")
            return command
    return ""


def _tests(folder: Path) -> tuple[str, ...]:
    found = [f"{name}/**" for name in ("test", "tests", "__tests__") if (folder / name).is_dir()]
    places = [folder, *(folder / name for name in ("src", "lib") if (folder / name).is_dir())]
    patterns = [
        glob
        for glob in _TEST_GLOBS
        if any(any(place.glob(glob[3:] if place == folder else glob)) for place in places)
    ]
    return tuple(found + patterns)


def _strings(package: dict[str, Any], key: str) -> dict[str, str]:
    table = package.get(key)
    return (
        {name: value for name, value in table.items() if isinstance(value, str)}
        if isinstance(table, dict)
        else {}
    )


def _names(package: dict[str, Any], *keys: str) -> set[str]:
    return {name for key in keys for name in _strings(package, key)}
