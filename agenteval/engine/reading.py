"""Which files of a workspace the agent programs read by themselves: instructions and settings."""

from __future__ import annotations

from pathlib import PurePosixPath

from agenteval.engine.git import GitError, git
from agenteval.suite import LoadedTask

# what ends in a slash is a folder, and all below it; either may lie at any depth. Programs that
# do not stand here are taken to read anything.
READS: dict[str, tuple[str, ...]] = {
    "aider": (".aider.conf.yml", ".aider.model.settings.yml", ".aiderignore", ".env"),
    # AGENTS.md: newer releases alone
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/"),
    "codex": ("AGENTS.md", "AGENTS.override.md", ".codex/", ".agents/"),
    "gemini": ("GEMINI.md", ".gemini/", ".agents/"),
    "mini-swe-agent": (),
    "opencode": (
        *("AGENTS.md", "CLAUDE.md", "CONTEXT.md", "opencode.json", "opencode.jsonc"),
        *(".opencode/", ".agents/", ".claude/skills/"),
    ),
}
# of programs that there is no agent for: instructions all the same
OTHERS = (".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md", ".cursor/", ".windsurf/")  # fmt: skip


def places_of(path: str) -> dict[str, str]:
    """Programs that read a file of the workspace by themselves, to the place by which they find it.

    >>> places_of("sub/GEMINI.md"), places_of("src/app.py")
    ({'gemini': 'GEMINI.md'}, {})
    """
    every = {**READS, "others": OTHERS}
    found = {name: next((p for p in places if _is_at(path, p)), None) for name, places in every.items()}  # fmt: skip
    return {name: place.rstrip("/") for name, place in found.items() if place is not None}


def instructions_in(task: LoadedTask, agent: str) -> str | None:
    """What a task tells an agent before any variant: its prompt, its setup, its repository's instructions.

    Returns
    -------
    str or None
        All of it as one text, links as what they point to; None where the repository is not here.
    """
    if task.repo is None and task.source is None:
        return None
    files = [place for place in READS[agent] if not place.endswith("/")]
    return "\n".join(
        [task.prompt, str(task.task.setup), *(_text(task, file) or "" for file in files)]
    )


def _is_at(path: str, place: str) -> bool:
    if place.endswith("/"):
        return f"/{place}" in f"/{path}"
    return PurePosixPath(path).name == place


def _text(task: LoadedTask, name: str) -> str | None:
    """A file at the root of the task's repository; a link as what it points to."""
    if task.repo is not None:
        path = task.repo / name
        if path.is_symlink():
            return str(path.readlink())
        return path.read_text("utf-8", "replace") if path.is_file() else None
    source = task.task.source
    if task.source is None or source is None:
        return None
    try:
        told = git(["cat-file", "blob", f"{source.rev}:{name}"], cwd=task.source)
    except GitError:
        return None
    return told.decode("utf-8", "replace")
