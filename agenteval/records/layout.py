"""Where things lie: the folders of a store and of a run, and the package's own data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DEFAULT_STORE = Path(".agenteval/store")
QUARANTINE = "quarantine.toml"
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class RunFolder:
    """One run on disk; paths in records are relative to it, so it can be moved."""

    path: Path

    @property
    def manifest(self) -> Path:
        """run.json."""
        return self.path / "run.json"

    @property
    def journal(self) -> Path:
        """journal.jsonl, append-only."""
        return self.path / "journal.jsonl"

    @property
    def artifacts(self) -> Path:
        """Folder of all artifacts."""
        return self.path / "artifacts"

    def attempt(self, trial_id: str, attempt: int) -> Path:
        """Folder of one attempt's artifacts: patch, answer, events, stdout, stderr, checks/."""
        return self.artifacts / trial_id / f"attempt-{attempt}"

    def grading(self, trial_id: str, attempt: int, grading: int) -> Path:
        """Folder of what one grading left: the attempt's own for the first, one below it for later ones."""
        folder = self.attempt(trial_id, attempt)
        return folder if grading == 1 else folder / f"grading-{grading}"


@dataclass(frozen=True)
class StoreFolder:
    """A folder of runs and of what was sealed from them."""

    path: Path

    @property
    def runs(self) -> Path:
        """Folder of run folders."""
        return self.path / "runs"

    @property
    def parquet(self) -> Path:
        """Folder of sealed tables."""
        return self.path / "parquet"

    @property
    def parquet_manifest(self) -> Path:
        """Which parts are live and which runs they hold."""
        return self.parquet / "manifest.json"

    @property
    def voids(self) -> Path:
        """What people voided, append-only."""
        return self.path / "voids.jsonl"

    @property
    def tags(self) -> Path:
        """What people saw in trials, append-only."""
        return self.path / "tags.jsonl"

    @property
    def looks(self) -> Path:
        """When the outcomes of holdout tasks were looked at, append-only."""
        return self.path / "looks.jsonl"

    @property
    def judgments(self) -> Path:
        """What judges said when trials were judged again, append-only."""
        return self.path / JUDGMENTS

    @property
    def labels(self) -> Path:
        """What people said of trials, append-only."""
        return self.path / "labels.jsonl"

    @property
    def judge_cache(self) -> Path:
        """Replies of judges, by the content they were given for."""
        return self.path / "judge-cache"

    @property
    def quarantine(self) -> Path:
        """Tasks whose trials are left out, whatever run they are of."""
        return self.path / QUARANTINE

    def run(self, run_id: str) -> RunFolder:
        """Folder of one run."""
        return RunFolder(self.runs / run_id)

    def create(self) -> None:
        """Make the store's folders; the default store ignores itself in git."""
        self.runs.mkdir(parents=True, exist_ok=True)
        if self.path.parent.name == DEFAULT_STORE.parent.name:
            ignore = self.path.parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n")


PATCH, ANSWER, EVENTS, STDOUT, STDERR, PROMPT = (
    "patch.diff", "answer.md", "events.jsonl", "stdout.txt", "stderr.txt", "prompt.md",
)  # fmt: skip
# What went through the gateway: how it ended, then a line a request.
TRAFFIC = "traffic.jsonl"
# What judges said while an attempt was graded, one sample a line; also the store's own file of what
# they said when trials were judged again.
JUDGMENTS = "judgments.jsonl"
# Names of the artifacts in which values of secret variables were masked: they are not quite what
# the agent made. There is no such file where none was.
MASKED = "masked.json"


def bundled(name: str) -> Path:
    """Folder `tasks`, `notebooks` or `data` of this package, installed or in a checkout."""
    inside = _PACKAGE / "_bundled" / name
    return inside if inside.exists() else _PACKAGE.parent / name


def digest(*parts: str | bytes) -> str:
    """Hash of parts, 16 hex digits; lengths are hashed too, so parts cannot run together."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(f"{len(data)}:".encode())
        state.update(data)
    return state.hexdigest()[:16]


def trial_id(run_id: str, suite: str, task_id: str, arm_digest: str, repeat: int) -> str:
    """Id of a trial, 12 hex digits; the same plan gives the same ids, so resume finds them."""
    return digest(run_id, suite, task_id, arm_digest, str(repeat))[:12]


def trial_ids(run_id: str, suite: str, task_id: str, arm_digest: str) -> Callable[[int], str]:
    """Function from the repeat to the id of a trial, for all repeats of one task and arm."""
    # the same as `digest` of all five, whose beginning is hashed once
    names = (name.encode() for name in (run_id, suite, task_id, arm_digest))
    state = hashlib.sha256(b"".join(b"%d:%b" % (len(name), name) for name in names))

    def of_repeat(repeat: int) -> str:
        own, number = state.copy(), str(repeat)
        own.update(f"{len(number)}:{number}".encode())
        return own.hexdigest()[:12]

    return of_repeat
