"""A store of very many sealed trials, made from the sample store by repetition."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa

from agenteval.records import StoreFolder, bundled
from agenteval.store.journals import ATTEMPT_SCHEMA
from agenteval.store.parts import PartWriter
from agenteval.store.sealed import ParquetManifest, SealedRun, take_mark

RUNS = 100


def build(path: Path, trials: int, *, seed: int = 1) -> Path:
    """Write a store of `trials` trials in 100 runs: 500 tasks, 20 arms, every outcome."""
    folder, rng = StoreFolder(path), np.random.default_rng(seed)
    sample = bundled("data") / "sample_store/runs/sample/run.json"
    manifest = json.loads(sample.read_text())
    each = trials // RUNS
    sealed: dict[str, SealedRun] = {}
    with PartWriter(folder, "part-large") as writer:
        for number in range(RUNS):
            run_id = f"run-{number:03}"
            run = folder.run(run_id)
            run.path.mkdir(parents=True)
            manifest["run"]["run_id"] = run_id
            manifest["run"]["created_at"] = f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"
            run.manifest.write_text(json.dumps(manifest))
            run.journal.touch()
            writer.add("runs", _runs(manifest["run"]))
            writer.add("attempts", _attempts(run_id, each, rng, number * each))
            mark = take_mark(run)
            sealed[run_id] = SealedRun(
                run_json=mark.run_json,
                journal_bytes=mark.journal_bytes,
                journal_tail=mark.journal_tail,
            )
    ParquetManifest(parts=(writer.part(sealed),)).write(folder)
    return path


def _runs(row: dict) -> pa.Table:
    from agenteval.records import RunRow
    from agenteval.store.frames import arrow_schema

    return pa.Table.from_pylist([RunRow(**row).model_dump()], schema=arrow_schema("runs"))


def _attempts(run_id: str, size: int, rng: np.random.Generator, start: int) -> pa.Table:
    ids = random.Random(run_id)
    place = np.arange(size)
    status = rng.choice(["pass", "fail", "error"], size, p=[0.6, 0.3, 0.1])
    columns = {
        "run_id": [run_id] * size,
        "trial_id": [f"{ids.getrandbits(48):012x}" for _ in place],
        "attempt": np.ones(size, int),
        "grading": np.ones(size, int),
        "suite": ["large"] * size,
        "task_id": [f"task-{n:03}" for n in place % 500],
        "task_digest": ["0123456789abcdef"] * size,
        "kind": ["task"] * size,
        "category": [("bugfix", "feature", "debug", "config")[n % 4] for n in place % 500],
        "arm": [f"arm-{n:02}" for n in (place // 500) % 20],
        "arm_digest": [f"arm{n:013}" for n in (place // 500) % 20],
        "agent": ["command"] * size,
        "repeat": place // 10_000 + 1,
        "status": status,
        "passed": status == "pass",
        "score": rng.random(size),
        "ended_by": rng.choice(["agent", "timeout", "crash"], size, p=[0.85, 0.1, 0.05]),
        "error_class": np.where(status == "error", "timeout", None),
        "error_message": np.where(status == "error", "the agent took too long", None),
        "cost_usd": rng.lognormal(-2, 0.5, size),
        "agent_s": rng.lognormal(4, 0.5, size),
        "tampering": [[] for _ in place],
        "position": start + place,
    }
    nothing = [None] * size
    return pa.Table.from_arrays(
        [
            pa.array(columns.get(field.name, nothing), type=field.type, from_pandas=False)
            for field in ATTEMPT_SCHEMA
        ],
        schema=ATTEMPT_SCHEMA,
    )
