"""What checks get to see of an agent's work beside the grading copy: made of what the engine wrote."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from agenteval.checks import ChangedFile, Changes, Metered, Work, read_patch
from agenteval.engine.freeze import Frozen
from agenteval.engine.metering import MEASURED, calls_then, metered_work
from agenteval.engine.objects import ObjectStore
from agenteval.records import AttemptRow, MarkerAbsentCheck, Task
from agenteval.sandbox import read_regular

TRACES = "traces.json"
LARGEST = 1 << 20
LARGEST_CODE = 16 << 20
CODE = frozenset(
    {
        ".bash", ".c", ".cc", ".cfg", ".cjs", ".cpp", ".cs", ".css", ".cts", ".go", ".h", ".hpp",
        ".ini", ".java", ".js", ".json", ".jsx", ".kt", ".mjs", ".mts", ".php", ".py", ".pyi", ".rb",
        ".rs", ".scala", ".sh", ".swift", ".toml", ".ts", ".tsx", ".vue", ".yaml", ".yml",
    }
)  # fmt: skip


def work_of(
    frozen: Frozen,
    answer: str = "",
    *,
    store: ObjectStore | None = None,
    traces: Iterable[str] = (),
    handed: frozenset[str] | None = None,
    metered: Metered | None = None,
) -> Work:
    """Put together what checks may look at.

    Parameters
    ----------
    answer
        The agent's final answer.
    store
        Holds the contents of the frozen tree and of the start.
    traces
        As `traces_in` found them.
    handed
        Names that the variant handed over; None for the control.
    metered
        Records of the engine's clock and of the gateway.
    """
    files = read_patch(frozen.patch)
    if store is not None:
        files = tuple(_with_lines(file, store) for file in files)
    changes = Changes(files, frozen.patch, frozen.left_out, frozenset(traces))
    return Work(answer, changes, handed, metered or Metered())


def _with_lines(file: ChangedFile, store: ObjectStore) -> ChangedFile:
    """The file with its lines also where git takes code for binary: one zero byte would hide all of them."""
    looked_at = file.added or file.removed or not file.touched or file.link
    if looked_at or PurePosixPath(file.path).suffix not in CODE:
        return file
    before, after = _lines(file.before, store), _lines(file.after, store)
    return replace(
        file, added=tuple((after - before).elements()), removed=tuple((before - after).elements())
    )


def _lines(name: str | None, store: ObjectStore) -> Counter[str]:
    try:
        data = b"" if name is None else store.read(name)
    except FileNotFoundError:
        data = b""
    return Counter(data[:LARGEST_CODE].decode("utf-8", "replace").splitlines())


def traces_in(workspace: Path, task: Task) -> tuple[str, ...]:
    """Paths that the task's checks on markers ask for and that are there, ignored ones included."""
    asked = {os.path.normpath(c.path) for c in task.checks if isinstance(c, MarkerAbsentCheck)}
    return tuple(sorted(path for path in asked if os.path.lexists(workspace / path)))


def traces_artifact(task: Task, traces: Iterable[str]) -> dict[str, bytes]:
    """What `traces_then` reads; nothing where no check asks."""
    asks = any(isinstance(check, MarkerAbsentCheck) for check in task.checks)
    return {TRACES: json.dumps(list(traces)).encode() + b"\n"} if asks else {}


def traces_then(artifacts: Path) -> tuple[str, ...]:
    """The traces that an attempt's artifacts tell of; none where nothing was looked for then."""
    try:
        told = json.loads(read_regular(artifacts / TRACES, LARGEST))
    except (OSError, ValueError):
        return ()
    return tuple(map(str, told)) if isinstance(told, list) else ()


def metered_then(row: AttemptRow, artifacts: Path) -> Metered:
    """What a stored attempt holds that was measured; what its agent told stays out."""
    calls = calls_then(artifacts)
    if calls is None:
        cost = row.cost_usd if row.cost_source == "metered" else None
        return Metered(duration_s=row.agent_s, cost_usd=cost)
    metered = metered_work(
        row.model_dump(include=set(MEASURED) | {"cost_usd"}), calls, row.agent_s or 0.0
    )
    return replace(metered, duration_s=row.agent_s)
