"""Variables of the operator's that an agent is handed, and keeping their values out of what is stored."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from agenteval.engine.freeze import Frozen
from agenteval.engine.git import git
from agenteval.engine.objects import Entry
from agenteval.engine.snapshot import Snapshot
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.errors import InvalidInput
from agenteval.records import MASKED, PATCH, RunManifest
from agenteval.sandbox import is_secret, mask, mask_strings, mask_text

OWN = frozenset({"HOME", "PATH", "TMPDIR", "LANG", "TERM"})
# Ids, which join tables, and words of a fixed list, which have no room for a secret.
KEPT = frozenset({
    "run_id", "trial_id", "suite", "task_id", "task_digest", "arm_digest", "plan_digest", "kind",
    "category", "difficulty", "language", "split", "status", "ended_by", "error_class",
    "cost_source", "tool_kind", "output", "source", "passed_variables",
})  # fmt: skip
NOTHING = "0" * 40
Model = TypeVar("Model", bound=BaseModel)


def variables_to_pass(names: Iterable[str]) -> dict[str, str]:
    """Values of the operator's variables, by name.

    Raises
    ------
    InvalidInput
        For a variable that is not set, is empty, or is set by the sandbox itself.
    """
    found = {}
    for name in names:
        if "=" in name or name in OWN or name.startswith("AGENTEVAL_"):
            raise InvalidInput(
                f"The variable {name.partition('=')[0]!r} cannot be handed to an agent",
                f"--pass-env {name.partition('=')[0]}",
                "give the name alone; its value is taken from your environment"
                if "=" in name
                else "leave it out: agenteval itself sets it inside the sandbox",
            )
        value = os.environ.get(name)
        if not value:
            raise InvalidInput(
                f"The variable {name} is {'empty' if value == '' else 'not set'}, so the agent cannot have it",
                f"--pass-env {name}",
                f"set it before the command (export {name}=...), or leave the option out",
            )
        found[name] = value
    return found


def secrets_of(passed: Mapping[str, str]) -> dict[str, str]:
    """Those of the passed variables whose values are masked: all but what plainly is no secret."""
    return {name: value for name, value in passed.items() if is_secret(value)}


def mask_patch(
    start: Snapshot, frozen: Frozen, secrets: Mapping[str, str]
) -> tuple[Frozen, dict[str, bytes]]:
    """Take secrets out of a frozen patch, and say so in an artifact.

    They are masked in the changed files, binary ones included, before the patch is taken: so it
    still applies, and gives the agent's files with `[NAME]` where the value was. The frozen tree
    stays as the agent left it.
    """
    if not secrets or not frozen.patch:
        return frozen, {}
    patch = mask(_patch_of_masked(start, frozen.tree, secrets) or frozen.patch, secrets)
    if patch == frozen.patch:
        return frozen, {}
    return replace(frozen, patch=patch), {MASKED: _marker([PATCH])}


def _patch_of_masked(start: Snapshot, tree: str, secrets: Mapping[str, str]) -> bytes | None:
    """Patch from the start to `tree` with its files masked; None when there is nothing to mask."""
    before: dict[bytes, Entry] = {}
    after: dict[bytes, Entry] = {}
    changed = False
    for path, old, new in _changes(start, tree):
        if old is not None:
            before[path] = old
        if new is None:
            continue
        contents = git(["cat-file", "blob", new.sha], store=start.store)
        masked, name = mask(contents, secrets), path if old else mask(path, secrets)
        changed = changed or masked != contents or name != path
        after[name] = (
            Entry(new.mode, start.store.add("blob", masked)) if masked != contents else new
        )
    if not changed:
        return None
    return git(
        ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv"]
        + ["--binary", "--full-index", "-p"]
        + [start.store.add_tree(before), start.store.add_tree(after)],
        store=start.store,
    )


def _changes(start: Snapshot, tree: str) -> Iterable[tuple[bytes, Entry | None, Entry | None]]:
    """Path and entries before and after of each changed file."""
    said = git(["diff-tree", "-r", "-z", "--no-renames", start.tree, tree], store=start.store)
    words = said.split(b"\0")
    for told, path in zip(words[:-1:2], words[1::2], strict=True):
        old_mode, new_mode, old, new, _ = told.decode().removeprefix(":").split(" ")
        yield (
            path,
            None if old == NOTHING else Entry(old_mode, old),
            None if new == NOTHING else Entry(new_mode, new),
        )


def masked_result(result: TrialResult, secrets: Mapping[str, str]) -> TrialResult:
    """Take secrets out of an attempt's records and artifacts, and say which artifacts held some."""
    if not secrets:
        return result
    artifacts = {
        name: data if name == MASKED else _masked_artifact(name, data, secrets)
        for name, data in result.artifacts.items()
    }
    # output was masked as it came: the label tells
    labels = [f"[{name}]".encode() for name in secrets]
    held = [
        name
        for name, data in artifacts.items()
        if data != result.artifacts[name] or any(label in data for label in labels)
    ]
    told = json.loads(artifacts[MASKED]) if MASKED in artifacts else []
    if held or told:
        artifacts[MASKED] = _marker([*told, *held])
    return replace(
        result,
        attempt=masked_model(result.attempt, secrets),
        checks=tuple(masked_model(check, secrets) for check in result.checks),
        artifacts=artifacts,
    )


def masked_model(model: Model, secrets: Mapping[str, str]) -> Model:
    """Take secrets out of the free text of a record."""
    if not secrets:
        return model
    return type(model).model_validate(mask_strings(model.model_dump(), secrets, KEPT))


def with_passed(manifest: RunManifest, passed: Mapping[str, str]) -> RunManifest:
    """Name the passed variables in a manifest, and take their values out of it."""
    named = manifest.model_copy(update={"passed_variables": sorted(passed)})
    return masked_model(named, secrets_of(passed))


def with_masked_labels(specs: list[TrialSpec], passed: Mapping[str, str]) -> list[TrialSpec]:
    """Take secrets out of the arms' labels, which say how an agent was started."""
    secrets = secrets_of(passed)
    if not secrets:
        return specs
    labels = {spec.arm_label: mask_text(spec.arm_label, secrets) for spec in specs}
    return [replace(spec, arm_label=labels[spec.arm_label]) for spec in specs]


def _masked_artifact(name: str, data: bytes, secrets: Mapping[str, str]) -> bytes:
    if not name.endswith((".json", ".jsonl")):
        return mask(data, secrets)
    # numbers and structure must stay, or nobody could read it
    if name.endswith(".json"):
        return _masked_json(data, secrets)
    return b"".join(_masked_json(line, secrets) for line in data.splitlines(keepends=True))


def _masked_json(text: bytes, secrets: Mapping[str, str]) -> bytes:
    try:
        data: Any = json.loads(text)
    except ValueError:
        return mask(text, secrets)
    masked = mask_strings(data, secrets, KEPT)
    if masked == data:
        return text
    return json.dumps(masked, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _marker(names: Iterable[str]) -> bytes:
    return json.dumps(sorted(set(names))).encode() + b"\n"
