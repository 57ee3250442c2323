"""Terminal-Bench: `results.json` of a run, a run's folder, or a tree of submissions.

Its rule: only `is_resolved: true` is a success; null (no verdict) counts as a failure.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agenteval.records import Arm, Outcome, Status, decide, digest
from agenteval.store.importers import fields
from agenteval.store.importers.drafts import (
    CheckDraft,
    Malformed,
    Reading,
    RunDraft,
    TaskDraft,
    TrialDraft,
)

_RESULTS, _METADATA = "results.json", "run_metadata.json"
_SUBMISSION = re.compile(r"(?P<date>\d{8})_(?P<agent>.+?)_(?P<model>.+)")
_ENDED_BY = {
    "agent_timeout": "timeout",
    "unknown_agent_error": "crash",
    "fatal_llm_parse_error": "crash",
    "context_length_exceeded": "token_limit",
    "output_length_exceeded": "token_limit",
    "agent_installation_failed": None,
}
_NO_FAILURE = ("unset", "none")


def read_terminal_bench(path: Path, reading: Reading) -> list[RunDraft]:
    """Read every run below a path once; copies are named in the notes."""
    drafts: list[RunDraft] = []
    run_folders: list[Path] = []
    for file in _results_files(path):
        if any(folder in file.parent.parents for folder in run_folders) and not _is_run(file):
            continue
        try:
            draft = _run(file, path, reading)
        except Malformed as problem:
            reading.bad(file, None, problem)
            continue
        run_folders.append(file.parent)
        original = next((other for other in drafts if other.origin == draft.origin), None)
        if original is not None:
            reading.notes.append(f"{file} is a copy of {original.file} and was not imported again.")
        else:
            drafts.append(draft)
    if any(trial.values["input_tokens"] for draft in drafts for trial in draft.trials):
        reading.notes.append(
            "Terminal-Bench does not tell cached from fresh input tokens: input_tokens holds both."
        )
    return drafts


def _results_files(path: Path) -> list[Path]:
    """Find the files, outer folders first, so that a nested copy comes after its original."""
    if path.is_file():
        return [path]
    return sorted(path.rglob(_RESULTS), key=lambda file: (len(file.parts), file))


def _is_run(file: Path) -> bool:
    try:
        data = fields.read_json(file)
    except Malformed:
        return False
    return isinstance(data, dict) and "results" in data


def _run(file: Path, root: Path, reading: Reading) -> RunDraft:
    data = fields.record(fields.read_json(file))
    if "results" not in data and "is_resolved" in data:
        raise Malformed(
            "results", "is missing: this is the file of one trial; give the run's own results.json"
        )
    results = fields.objects(data, "results")
    if not results:
        raise Malformed("results", "is empty")
    metadata = _metadata(file, reading)
    trials = _trials(results, metadata, file, reading)
    _note_accuracy(data, trials, file, reading)
    starts = [trial.values["started_at"] for trial in trials if trial.values["started_at"]]
    begun = (
        fields.time_or_unknown(metadata, "start_time") or min(starts, default=None) or _date(file)
    )
    return RunDraft(
        name=_name(file, root),
        origin=digest("terminal-bench", json.dumps(results, sort_keys=True)),
        file=file,
        suite=reading.suite or "terminal-bench",
        arm=_arm(file, metadata, reading),
        created_at=begun,
        trials=tuple(trials),
        recorded=len(results),
        concurrency=fields.count_or_unknown(metadata, "n_concurrent_trials"),
    )


def _trials(
    results: list[fields.Record], metadata: fields.Record, file: Path, reading: Reading
) -> list[TrialDraft]:
    trials: list[TrialDraft] = []
    repeats: dict[str, int] = {}
    ids: dict[Any, int] = {}
    version = " ".join(
        str(metadata[key]) for key in ("dataset_name", "dataset_version") if metadata.get(key)
    )
    for position, data in enumerate(results, start=1):
        try:
            own_id = data.get("id") or data.get("uuid")
            if own_id is not None and ids.setdefault(str(own_id), position) != position:
                raise Malformed("id", f"repeats record {ids[str(own_id)]}")
            task_id = fields.text(data, "task_id")
            trial = _trial(data, task_id, repeats.get(task_id, 0) + 1, version)
        except Malformed as problem:
            reading.bad(file, position, problem)
            continue
        repeats[task_id] = trial.repeat
        trials.append(trial)
    return trials


def _trial(data: fields.Record, task_id: str, repeat: int, version: str) -> TrialDraft:
    resolved = fields.truth_or_unknown(data, "is_resolved")
    failure = fields.text_or_unknown(data, "failure_mode") or "unset"
    ended_by = _ENDED_BY.get(failure, "agent")
    prompt = fields.text_or_unknown(data, "instruction")
    return TrialDraft(
        task=TaskDraft(
            task_id,
            ("terminal-bench", task_id, prompt or ""),
            prompt=prompt,
            tags=(version,) if version else (),
        ),
        repeat=repeat,
        outcome=_outcome(failure, ended_by, resolved=resolved),
        checks=_checks(data, failure, resolved=resolved),
        values={
            "ended_by": ended_by,
            "started_at": fields.time_or_unknown(data, "trial_started_at"),
            "duration_s": fields.seconds_between(data, "trial_started_at", "trial_ended_at"),
            "agent_s": fields.seconds_between(data, "agent_started_at", "agent_ended_at"),
            "grade_s": fields.seconds_between(data, "test_started_at", "test_ended_at"),
            "input_tokens": fields.count_or_unknown(data, "total_input_tokens"),
            "output_tokens": fields.count_or_unknown(data, "total_output_tokens"),
        },
    )


def _outcome(failure: str, ended_by: str | None, *, resolved: bool | None) -> Outcome:
    error = "check_timeout" if failure == "test_timeout" else "check_no_verdict"
    outcome = decide(
        ended_by=ended_by,
        checks_passed=[] if resolved is None else [resolved],
        check_errors=[error] if resolved is None else [],
    )
    if outcome.status == Status.ERROR and failure not in _NO_FAILURE:
        return Outcome(outcome.status, outcome.passed, failure)
    return outcome


def _checks(data: fields.Record, failure: str, *, resolved: bool | None) -> tuple[CheckDraft, ...]:
    checks = []
    for name, verdict in fields.record(data.get("parser_results") or {}).items():
        if verdict not in ("passed", "failed"):
            raise Malformed(f"parser_results.{name}", f"must be passed or failed, is {verdict!r}")
        checks.append(CheckDraft(name, verdict == "passed", float(verdict == "passed")))
    error = failure if resolved is None else None
    alone = CheckDraft("is_resolved", resolved, float(resolved is True), error_class=error)
    return tuple(checks) or (alone,)


def _metadata(file: Path, reading: Reading) -> fields.Record:
    path = file.parent / _METADATA
    if file.name != _RESULTS or not path.exists():
        return {}
    try:
        return fields.record(fields.read_json(path))
    except Malformed as problem:
        reading.bad(path, None, problem)
        return {}


def _arm(file: Path, metadata: fields.Record, reading: Reading) -> Arm:
    """Name agent and model: the caller, else the run's metadata, else the submission's folder."""
    named = _submission(file)
    return Arm(
        agent_spec=reading.agent
        or fields.text_or_unknown(metadata, "agent_name")
        or named.get("agent")
        or "unknown",
        model=reading.model or fields.text_or_unknown(metadata, "model_name") or named.get("model"),
    )


def _submission(file: Path) -> dict[str, str]:
    found = (_SUBMISSION.fullmatch(folder.name) for folder in file.resolve().parents)
    return next((match.groupdict() for match in found if match), {})


def _date(file: Path) -> datetime:
    date = _submission(file).get("date")
    try:
        return datetime.strptime(date or "", "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return datetime.now(UTC)


def _name(file: Path, root: Path) -> str:
    if file.name != _RESULTS:
        return file.stem
    inside = file.parent.relative_to(root).parts if root.is_dir() else ()
    return ".".join(inside) or file.resolve().parent.name


def _note_accuracy(
    data: fields.Record, trials: list[TrialDraft], file: Path, reading: Reading
) -> None:
    claimed = data.get("n_resolved")
    counted = sum(1 for trial in trials if trial.outcome.passed)
    if claimed is not None and claimed != counted:
        reading.notes.append(
            f"{file} says {claimed} trials are resolved; its records give {counted}."
        )
