"""Harbor (Terminal-Bench) task folders: task.toml, instruction.md, environment/, tests/, solution/.

A folder becomes a task that runs in containers of its own image; the original lies in harbor/,
byte for byte. Where it has no image at all it runs without one, its absolute paths rewritten.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import get_args

from agenteval.records.task import ID_PATTERN, IMAGE_PATTERN, Category, Difficulty
from agenteval.suite.foreign.conversion import Conversion, Malformed, fitted
from agenteval.suite.foreign.documents import read_text, read_toml
from agenteval.suite.foreign.harbor_config import HarborConfig, carry_config
from agenteval.suite.foreign.harbor_grading import (
    LAID_IN,
    RESISTS,
    RUN,
    interpreter_of,
    obstacle,
    run_script,
)
from agenteval.suite.foreign.harbor_image import (
    PLACEHOLDER,
    SETUP,
    Dockerfile,
    linked_dockerfile,
    read_dockerfile,
    usable_workdir,
)
from agenteval.suite.foreign.harbor_paths import (
    DEFAULT_WORKDIR,
    mentions,
    place_of,
    relative_prompt,
)
from agenteval.suite.foreign.reading import Reading, task_places

INSTRUCTION, KEPT = "instruction.md", "harbor"
COMPOSE = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")
_ABSOLUTE = re.compile(r"(?<![\w./:])(/(?:etc|opt|var|root|srv|data|home|mnt)/[\w./-]+)")
_UNUSED = {
    "USER": "everything runs as the sandbox's own user",
    "ENTRYPOINT": "it is not started: each command of a trial is",
    "CMD": "it is not started: each command of a trial is",
    "HEALTHCHECK": "nothing waits for it",
}
OUR_PROGRAMS = frozenset({"sh"})  # every image needs it anyway


@dataclass(frozen=True)
class HarborFolder:
    """One folder, read.

    Attributes
    ----------
    dockerfile
        environment/Dockerfile, or the one line that its docker_image comes to; None without image.
    read
        What that says.
    workdir
        Folder that the agent works in; None when nothing tells.
    """

    path: Path
    config: HarborConfig
    dockerfile: bytes | None
    read: Dockerfile | None
    workdir: str | None

    @property
    def has_image(self) -> bool:
        """Whether it names or builds an image."""
        return self.dockerfile is not None

    def text(self, name: str) -> str:
        """Text of one of its files; empty when it is missing."""
        path = self.path / name
        return read_text(path) if path.is_file() else ""


def read_harbor(path: Path, reading: Reading) -> None:
    """Read one task folder, or a folder of them."""
    for folder in task_places(path, INSTRUCTION):
        reading.take(folder, "", lambda folder=folder: _task(folder))  # type: ignore[misc]
    for folder in task_places(path, "task.yaml"):
        reading.bad(folder / "task.yaml", "", Malformed("(file)", "is of the first Terminal-Bench; `harbor` itself migrates such folders"))  # fmt: skip


def read_folder(folder: Path) -> HarborFolder:
    """Read a task folder.

    Raises
    ------
    Malformed
        When its task.toml or its image cannot be used.
    """
    config = fitted(HarborConfig, read_toml(folder / "task.toml"), within="task.toml")
    path, image = folder / "environment/Dockerfile", config.environment.docker_image
    original: bytes | None = None
    if path.is_file():
        original = path.read_bytes()
    elif image is not None:
        if not re.fullmatch(IMAGE_PATTERN, image):
            raise Malformed("task.toml.environment.docker_image", f"is no name of an image: {image!r}")  # fmt: skip
        original = f"FROM {image}\n".encode()
    read = None if original is None else read_dockerfile(original.decode("utf-8", "replace"))
    workdir = config.environment.workdir or (read.workdir if read else None)
    harbor = HarborFolder(folder, config, original, read, workdir)
    if workdir is None and (read is None or _mentions(harbor, DEFAULT_WORKDIR)):
        return HarborFolder(folder, config, original, read, DEFAULT_WORKDIR)
    return harbor


def _mentions(harbor: HarborFolder, folder: str) -> bool:
    names = (INSTRUCTION, "tests/test.sh", "solution/solve.sh")
    return any(mentions(harbor.text(name), folder) for name in names)


def _task(folder: Path) -> Conversion:
    if not re.fullmatch(ID_PATTERN, folder.name) or len(folder.name) > 100:
        raise Malformed("(folder)", f"cannot be an id: {folder.name!r}")
    harbor = read_folder(folder)
    if not harbor.text(INSTRUCTION).strip():
        raise Malformed(INSTRUCTION, "is empty")
    if not (folder / "tests/test.sh").is_file():
        raise Malformed("tests/test.sh", "is missing, so nothing grades the task")
    task = Conversion(folder.name, str(folder))
    task.copies[KEPT] = folder
    _labels(task, harbor.config)
    _start(task, harbor)
    _grading(task, harbor)
    carry_config(task, harbor.config)
    _doubts(task, harbor)
    if (folder / "solution/solve.sh").is_file():
        task.changed("solution/solve.sh", "a reference is a patch here: --solve runs the script in the task's sandbox and keeps what it changed")  # fmt: skip
    task.files["notes.md"] = _notes(task).encode()
    return task


def _labels(task: Conversion, config: HarborConfig) -> None:
    metadata = config.metadata
    difficulty, category = metadata.get("difficulty"), metadata.get("category")
    tags = [str(tag) for tag in (metadata.get("tags") or config.task.get("keywords") or [])]
    task.keys = {"id": task.task_id, "title": str(config.task.get("description") or "")}
    if category in get_args(Category):
        task.keys["category"] = str(category)
    else:
        task.keys["category"] = "feature"
        task.changed("metadata.category", f"{category or 'none'}: feature until you say otherwise" + (", and a tag" if category else ""))  # fmt: skip
        tags += [str(category)] if category else []
    if difficulty in get_args(Difficulty):
        task.keys["difficulty"] = str(difficulty)
    else:
        task.changed("metadata.difficulty", f"{difficulty or 'none'}: medium until you say otherwise")  # fmt: skip
    task.keys["tags"] = tags


def _start(task: Conversion, harbor: HarborFolder) -> None:
    environment = harbor.path / "environment"
    compose = next((name for name in COMPOSE if (environment / name).is_file()), None)
    if compose is not None:
        task.skip(f"environment/{compose}", "several containers at a time cannot be run here")
    if harbor.dockerfile is None:
        _without_image(task, harbor)
        return
    workdir = harbor.workdir
    if workdir is None or not usable_workdir(workdir):
        task.skip("WORKDIR", f"is {workdir or 'not said'}: a trial changes one folder only, and this cannot be it; add WORKDIR /app to the original's Dockerfile and import again")  # fmt: skip
        workdir = DEFAULT_WORKDIR
    task.files["prompt.md"] = (harbor.path / INSTRUCTION).read_bytes()
    if environment.is_dir():
        task.copies["environment"] = environment
    task.files["environment/Dockerfile"] = linked_dockerfile(harbor.dockerfile, workdir)
    task.files[f"repo/{PLACEHOLDER}"] = b"The files to start from are in the image.\n"
    task.keys["setup"] = [SETUP]
    task.changed("WORKDIR", f"{workdir} is a link to the workspace, the only place that a trial can change; its files in the image are where the task starts, without a .git")  # fmt: skip
    if harbor.read and harbor.read.workdir is None and harbor.config.environment.workdir is None:
        task.changed("WORKDIR", f"not said in the Dockerfile: {workdir} is taken")
    if harbor.read and harbor.read.runs:
        task.tables["environment"] = {"network": True}
    for word, why in _UNUSED.items():
        if harbor.read and word in harbor.read.words:
            task.dropped(f"environment/Dockerfile, {word}", why)


def _without_image(task: Conversion, harbor: HarborFolder) -> None:
    workdir = place_of(harbor.workdir)
    task.files["prompt.md"] = relative_prompt(harbor.text(INSTRUCTION), workdir).encode()
    environment = harbor.path / "environment"
    if environment.is_dir() and any(path.is_file() for path in environment.rglob("*")):
        task.copies["repo"] = environment
    else:
        task.files["repo/README.md"] = b"The task starts from an empty folder.\n"
    task.changed(INSTRUCTION, f"there is no image: the task runs in the run's own sandbox, {workdir} is the current folder, and /tests, /logs and {workdir} are rewritten where they occur")  # fmt: skip


def _grading(task: Conversion, harbor: HarborFolder) -> None:
    tests = harbor.path / "tests"
    names = sorted(p.relative_to(tests).as_posix() for p in tests.rglob("*") if p.is_file())
    interpreter = interpreter_of(read_text(tests / "test.sh"))
    script = run_script(names, interpreter, place_of(harbor.workdir), linked=harbor.has_image)
    task.copies[f"hidden/{LAID_IN}/tests"] = tests
    task.files[f"hidden/{LAID_IN}/run.sh"] = script.encode()
    program = PurePosixPath(interpreter[1 if interpreter[0].endswith("/env") and len(interpreter) > 1 else 0]).name  # fmt: skip
    if program not in OUR_PROGRAMS:
        task.keys["requires"] = [program]
    verifier = harbor.config.verifier
    exports = "".join(f"export {key}={_quoted(value)}; " for key, value in verifier.env.items())
    task.checks.append(
        {
            "kind": "command",
            "name": "verifier",
            "run": exports + RUN,
            "timeout_s": verifier.timeout_sec,
        }
    )
    task.changed("reward", "a trial passes with a reward of 1; less than that fails, and shares of it are not kept")  # fmt: skip


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


def _doubts(task: Conversion, harbor: HarborFolder) -> None:
    for script in sorted((harbor.path / "tests").rglob("*.sh")):
        why = obstacle(read_text(script))
        if why is not None:
            task.skip(f"tests/{script.name}", why)
    said = harbor.text(INSTRUCTION)
    workdir = harbor.workdir or DEFAULT_WORKDIR
    outside = sorted({p.rstrip(".") for p in _ABSOLUTE.findall(said) if not p.startswith(workdir)})
    if outside:
        task.changed(INSTRUCTION, f"names {', '.join(outside[:3])}, outside of {workdir}: the image is read-only there")  # fmt: skip


def _notes(task: Conversion) -> str:
    lines = [
        "# For maintainers",
        "",
        f"A Harbor task, converted by `agenteval import-tasks`; the original is in {KEPT}/, byte for byte.",
        "",
        RESISTS,
        "Dropped or changed:",
        "",
        *(f"- {note.key}: {note.why}" for note in task.notes),
    ]
    return "\n".join(lines) + "\n"
