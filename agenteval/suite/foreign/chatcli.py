"""ChatCLI's YAML suites: one file a suite, its cases with a fixture, inline files, setup and checks.

A scalar is what its field makes of it, as in Go: `contains: 42` and `contains: no` are texts.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from agenteval.records.strict import inside
from agenteval.records.task import ID_PATTERN
from agenteval.suite.foreign.chatcli_checks import our_check
from agenteval.suite.foreign.conversion import Conversion, Malformed, fitted
from agenteval.suite.foreign.documents import read_yaml
from agenteval.suite.foreign.durations import seconds_of
from agenteval.suite.foreign.reading import Reading

ENDINGS = (".yaml", ".yml")
NULLS = ("~", "null", "Null", "NULL")
TIMEOUT_S = 300.0  # theirs, when nothing is said
EMPTY_START = b"The task starts from an empty folder.\n"
Inside = Annotated[str, AfterValidator(inside)]
Mode = Literal["chat", "coder"]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, data: Any) -> Any:
        """A key with nothing after it, as in `env:`, says as much as none, in Go as well."""
        if not isinstance(data, dict):
            return data
        return {key: value for key, value in data.items() if not cls._says_nothing(key, value)}

    @classmethod
    def _says_nothing(cls, key: Any, value: Any) -> bool:
        field = cls.model_fields.get(key)
        if field is None or field.is_required():
            return False
        holds_more = not isinstance(field.get_default(call_default_factory=True), str | None)
        return value is None or value == "" or (holds_more and value in NULLS)


class Policy(_Given):
    """One rule of the coder's policy."""

    pattern: str
    action: Literal["allow", "deny", "ask"]


class Judge(_Given):
    """The judge of a suite."""

    provider: str = ""
    model: str = ""


class Shared(_Given):
    """What defaults and cases have in common."""

    mode: Mode | None = None
    timeout: str | float | None = None
    trials: int | None = Field(None, ge=1, le=20)
    pass_policy: Literal["all", "any", "majority"] | None = None
    env: dict[str, str] = Field(default_factory=dict)
    policy: list[Policy] = Field(default_factory=list)
    setup: list[str] = Field(default_factory=list)
    checks: list[dict[str, Any]] = Field(default_factory=list)


class Case(Shared):
    """One case."""

    id: str = Field(pattern=ID_PATTERN, max_length=100)
    description: str = ""
    tags: list[str] = Field(default_factory=list)
    prompt: str = Field(pattern=r"\S")
    fixture: Inside | None = None
    files: dict[Inside, str] = Field(default_factory=dict)
    skip: str = ""


class SuiteFile(_Given):
    """One file."""

    name: str = ""
    description: str = ""
    judge: Judge = Judge()
    defaults: Shared = Shared()
    cases: list[dict[str, Any]] = Field(min_length=1)


def read_chatcli(path: Path, reading: Reading) -> None:
    """Read one YAML file, or those that lie directly in a folder."""
    files = [path] if path.is_file() else _files(path)
    for file in files:
        try:
            suite = fitted(SuiteFile, read_yaml(file))
        except Malformed as problem:
            reading.bad(file, "", problem)
            continue
        name = suite.name or file.stem
        prefix = f"{name}-" if len(files) > 1 else ""
        for number, raw in enumerate(suite.cases, start=1):
            record = f"case {raw.get('id', number)}"
            reading.take(
                file,
                record,
                lambda raw=raw, file=file, suite=suite, prefix=prefix: _case(  # type: ignore[misc]
                    raw, suite, file, prefix
                ),
            )


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file())


def _case(raw: dict[str, Any], suite: SuiteFile, file: Path, prefix: str) -> Conversion:
    case, defaults = fitted(Case, raw), suite.defaults
    task = Conversion(prefix + case.id, f"{file}, case {case.id}")
    mode: Mode = case.mode or defaults.mode or "chat"
    timeout = defaults.timeout if case.timeout is None else case.timeout
    task.keys = {
        "id": task.task_id,
        "title": case.description.strip().partition("\n")[0],
        "category": "explain" if mode == "chat" else "feature",
        "tags": [*case.tags, f"mode-{mode}"],
        "timeout_s": TIMEOUT_S if timeout is None else seconds_of(timeout, "timeout"),
        "setup": [*defaults.setup, *case.setup],
        "pass_policy": case.pass_policy or defaults.pass_policy or "",
    }
    task.changed("mode", f"{mode}: a tag here; the prompt is given as it stands, without /coder, and `category` is guessed from it")  # fmt: skip
    if case.skip:
        task.keys["skip"] = case.skip
    env = {**defaults.env, **case.env}
    if env:
        task.tables["env"] = dict(env)
    task.files["prompt.md"] = case.prompt.strip().encode() + b"\n"
    _checks(case, suite, task)
    _start(case, file, task)
    _not_carried(case, suite, task)
    return task


def _checks(case: Case, suite: SuiteFile, task: Conversion) -> None:
    raw = [*(("checks", place, c) for place, c in enumerate(case.checks))]
    raw += [("defaults.checks", place, c) for place, c in enumerate(suite.defaults.checks)]
    if not raw:
        raise Malformed("checks", "is empty, and there are no default ones")
    judge = "/".join(part for part in (suite.judge.provider, suite.judge.model) if part)
    named = "/" in judge
    task.checks = [
        our_check(check, f"{where}[{place}]", task, judge if named else None)
        for where, place, check in raw
    ]
    if judge and not named:
        task.dropped("judge", f"{judge!r} is no provider/model; name one in [judge] of suite.toml")


def _start(case: Case, file: Path, task: Conversion) -> None:
    if case.fixture is not None:
        folder = file.parent / case.fixture
        if not folder.is_dir():
            raise Malformed("fixture", f"is no folder beside the suite: {case.fixture!r}")
        task.copies["repo"] = folder
        if any(path.name == ".git" for path in folder.rglob(".git")):
            task.dropped("fixture", "its .git: a task starts from files, without history")
    for path, text in case.files.items():
        task.files[str(PurePosixPath("repo", path))] = text.encode()
    if case.fixture is None and not case.files:
        task.files["repo/README.md"] = EMPTY_START
        task.changed("fixture", "there is none: the task starts from a README.md that says so")


def _not_carried(case: Case, suite: SuiteFile, task: Conversion) -> None:
    trials = case.trials or suite.defaults.trials
    if trials is not None:
        task.dropped("trials", f"repeats belong to a run: give it --repeat {trials}")
    if case.policy or suite.defaults.policy:
        task.dropped("policy", "what an agent may do is for its variant to say; the sandbox holds in any case")  # fmt: skip
    if "\n" in case.description.strip():
        task.dropped("description", "all but its first line, which is the title")
    if suite.description:
        task.dropped("suite description", "write it into suite.toml")
