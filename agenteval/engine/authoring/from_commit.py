"""A commit of somebody's history made into a task that its own tests prove."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.engine.authoring.drafting import (
    PYTHON,
    VENV_PYTHON,
    Wanted,
    Way,
    narrowed,
    pytest_commands,
    write_draft,
    write_proof,
    write_task_toml,
)
from agenteval.engine.authoring.history import History
from agenteval.engine.authoring.notes import Reading, notes_text, read_over
from agenteval.engine.authoring.proving import Observed, Proof, conclude, observe
from agenteval.engine.authoring.unfit import Unfit, advice, brief, error_line, unfit
from agenteval.engine.base import Bases
from agenteval.engine.isolation import check_isolation
from agenteval.engine.scratch import remove
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.validate import Finding, validate
from agenteval.errors import AgentEvalError, Infrastructure
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask, Runner, detect_project, load_suite
from agenteval.suite.authoring import (
    CommitChange,
    Split,
    check_new,
    check_suite,
    obstacle,
    place_task,
    split_change,
    task_id_of,
)

Tell = Callable[[str], None]
# what pytest says when it is the project's own settings, or hooks, that end the run
_CONFIGURED = ("unrecognized arguments", "hookimpl", "hookspec", "INTERNALERROR")


@dataclass(frozen=True)
class Drafted:
    """A task that was made from a commit, and validated.

    Attributes
    ----------
    folder
        Where it lies now.
    proof
        Which of its tests prove what.
    reading
        What its author must know of its prompt.
    findings
        Of the last validation: untouched, doing nothing and the reference, once each.
    """

    folder: Path
    proof: Proof
    reading: Reading
    findings: tuple[Finding, ...]


def from_commit(
    history: History,
    change: CommitChange,
    suite: Path,
    wanted: Wanted,
    *,
    sandbox: Sandbox,
    scratch: Path,
    tell: Tell = lambda text: None,
) -> Drafted:
    """Make a task of a commit and put it into a suite.

    Its tests are run `wanted.repeat` times on the parent's files and on the commit's, in the
    sandbox. Kept are those that fail before and pass after, every time, and those that pass
    either way; what is flaky, or fails with the reference too, is left out of the grading. Nothing
    is written into the suite unless the task then validates.

    Parameters
    ----------
    suite
        Folder of a suite, whose suite.toml holds for the task; made when it is missing.
    scratch
        A folder of one's own.
    tell
        Called with a line for people at each step.

    Raises
    ------
    Unfit
        When the commit cannot become a task, with the reason.
    InvalidInput
        When the suite cannot be made or written, or the id is taken; nothing has run then.
    """
    check_suite(suite)
    split = split_change(change.files, wanted.tests)
    why = obstacle(change, split)
    if why is not None:
        raise unfit(change, why, advice(why))
    taken = [path.name for path in suite.iterdir()] if suite.is_dir() else []
    task_id = wanted.task_id or task_id_of(change, taken)
    check_new(suite, task_id)
    stage = _Stage(history, change, split, wanted, task_id, suite, sandbox, scratch / "draft", tell)
    try:
        return stage.make()
    finally:
        remove(scratch / "draft")


@dataclass
class _Stage:
    """One draft on its way: it lies in a suite of its own until it is proven."""

    history: History
    change: CommitChange
    split: Split
    wanted: Wanted
    task_id: str
    suite: Path
    sandbox: Sandbox
    scratch: Path
    tell: Tell

    @property
    def folder(self) -> Path:
        return self.scratch / "suite" / self.task_id

    def make(self) -> Drafted:
        remove(self.scratch)
        self.folder.mkdir(parents=True)
        for name in ("suite.toml", "suite.json"):
            if (self.suite / name).is_file():
                shutil.copyfile(self.suite / name, self.scratch / "suite" / name)
        write_draft(self.folder, self.history, self.change, self.split, self.wanted)
        way, first = self._way()
        proof = self._prove(way, first)
        way = way if proof.suite else narrowed(way)
        self._write(way, proof)
        findings = validate((load_suite(self.folder).tasks[0],), sandbox=self.sandbox, repeat=1)
        bad = next((finding for finding in findings if not finding.ok), None)
        if bad is not None:
            raise self._unfit(f"as a task it does not validate: {bad.solution}: {bad.detail}")
        reading = read_over(self.folder, self.split)
        text = notes_text(self.change, self.split, proof, reading, self._said(way, proof))
        (self.folder / "notes.md").write_text(text, encoding="utf-8")
        placed = place_task(
            self.suite,
            self.task_id,
            lambda staged: _copy(self.folder, staged),
        )
        return Drafted(placed, proof, reading, tuple(findings))

    def _write(self, way: Way, proof: Proof | None = None) -> None:
        ignored = [] if proof is None else sorted(proof.dropped)
        write_task_toml(
            *(self.folder, self.task_id, self.change, self.split, self.wanted, way),
            ignored=ignored,
        )
        if proof is not None:
            write_proof(self.folder, self.change, self.wanted, proof)

    def _load(self, way: Way) -> LoadedTask:
        self._write(way)
        try:
            return load_suite(self.folder, unrecorded=True).tasks[0]
        except AgentEvalError as error:
            if not way.with_suite:
                raise self._unfit(f"its files cannot be a task's: {error.what}") from error
            return self._load(narrowed(way))

    def _way(self) -> tuple[Way, Observed]:
        """How the tests can be run, and the first run with the reference."""
        runner = next(iter(self.split.runners))
        commands = [self.wanted.runner]
        if not self.wanted.runner and runner == "pytest":
            commands = pytest_commands(self.folder / "repo", self._python(runner))
        seen = Observed(None, None)
        for command in commands:
            way = Way(runner, command)
            task = self._load(way)
            check_isolation([task], self.sandbox)
            self.tell(f"{self.change.short}: running its tests with the reference")
            seen = self._observe(task, solved=True, number=1)
            if seen.hidden is not None:
                return (way if seen.suite is not None else narrowed(way)), seen
            if not any(sign in seen.told for sign in _CONFIGURED):
                break
        raise self._unfit(f"its tests give no results with the reference: {_why(seen)}")

    def _python(self, runner: Runner) -> str:
        """Python that runs the tests: that of a .venv that the setup made, else python3."""
        if not self.wanted.setup:
            return PYTHON
        task, scratch = self._load(Way(runner)), self.scratch / "trials"
        check_isolation([task], self.sandbox)
        self.tell(f"{self.change.short}: setting it up")
        try:
            tree = Bases(scratch / "bases").get(task, self.sandbox).tree
            return VENV_PYTHON if os.path.lexists(tree / VENV_PYTHON) else PYTHON
        except Infrastructure as error:
            raise self._unfit(f"--setup fails: {brief(error.what)}") from error
        finally:
            remove(scratch)

    def _prove(self, way: Way, first: Observed) -> Proof:
        if not any(status == "passed" for status in (first.hidden or {}).values()):
            raise self._unfit(f"none of its tests passes with the reference: {_why(first)}")
        task = self._load(way)
        self.tell(f"{self.change.short}: running them without it")
        before, after = [self._observe(task, solved=False, number=1)], [first]
        if not conclude(before, after).fail_to_pass:
            raise self._unfit("no test of it fails before and passes after")
        if self.wanted.repeat > 1:
            self.tell(f"{self.change.short}: again, {self.wanted.repeat} times in all")
        for number in range(2, self.wanted.repeat + 1):
            before.append(self._observe(task, solved=False, number=number))
            after.append(self._observe(task, solved=True, number=number))
        proof = conclude(before, after)
        if not proof.steady:
            raise self._unfit("its tests have other ids each time they run")
        if not proof.fail_to_pass:
            raise self._unfit("no test of it fails before and passes after every time")
        return proof

    def _observe(self, task: LoadedTask, *, solved: bool, number: int) -> Observed:
        scratch = self.scratch / "trials"
        around = Surroundings(self.sandbox, Bases(scratch / "bases"), scratch)
        try:
            return observe(task, around, solved=solved, number=number)
        finally:
            remove(scratch)

    def _said(self, way: Way, proof: Proof) -> list[str]:
        said = []
        if not way.with_suite:
            said.append("The project's other tests are not part of the grading: none gave results.")
        if not proof.ran_before:
            said.append(
                "Without the reference the hidden tests gave no results at all (they did not end, or not even start): whether single ones pass either way is not known."
            )
        return said

    def _unfit(self, what: str) -> Unfit:
        given = self.wanted.setup
        found = "" if given else detect_project(self.folder / "repo").setup
        return unfit(self.change, what, advice(what, found=found, given=given))


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def _why(seen: Observed) -> str:
    """What a run told, and the last error that it shows when that is not said yet."""
    line = error_line(seen.output or seen.told)
    told = brief(seen.told)
    return f"{told}: {line}" if line and line not in told else told


def once(wanted: Wanted) -> Wanted:
    """The same with an id made of each commit's subject."""
    return replace(wanted, task_id=None)
