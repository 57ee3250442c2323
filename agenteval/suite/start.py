"""Where a task starts: its prompt, and the repository the agent is given."""

from __future__ import annotations

import re
from pathlib import Path

from agenteval.records import Source, Task
from agenteval.suite.folder import Folder
from agenteval.suite.syntax import read_text
from agenteval.suite.tree import Entry, read_tree

PROMPT_FILE, REPO = "prompt.md", "repo"
_SHA = re.compile(r"^[0-9a-f]{7,64}$")


def read_prompt(task: Task, folder: Folder) -> str:
    """Return the prompt, from the key `prompt` or from prompt.md; empty after a problem."""
    file = folder.owned(PROMPT_FILE)
    inline = "prompt" in task.model_fields_set
    if file and inline:
        folder.problems.add(
            "The task has two prompts: the key `prompt` and prompt.md",
            folder.key("prompt"),
            "keep one of the two",
        )
        return ""
    text = read_text(file, folder.problems) if file else task.prompt
    if text is None:
        return ""
    if not text.strip():
        what = "The prompt is empty" if file or inline else "The task has no prompt"
        folder.problems.add(
            what,
            file or folder.path,
            "write what the agent is asked into prompt.md or the key `prompt`",
        )
    return text.strip()


def read_start(task: Task, folder: Folder) -> tuple[Path | None, Path | None, tuple[Entry, ...]]:
    """Return the folder repo/, the local path of `source` (one of them is None), and repo's files."""
    repo = folder.owned(REPO)
    if repo and task.source:
        folder.problems.add(
            "The task has two starting repositories: repo/ and `source`",
            folder.key("source"),
            "keep one of the two",
        )
    elif repo and not repo.is_dir():
        folder.problems.add(
            "repo is not a folder",
            repo,
            "make it a folder with the files that the agent starts from",
        )
    elif repo:
        entries = read_tree(repo, folder.problems)
        if not entries:
            folder.problems.add(
                "The starting repository is empty",
                repo,
                "put the files there that the agent starts from, a README at least",
            )
        return repo, None, entries
    elif task.source:
        return None, _source(task.source, folder), ()
    elif not (folder.path / REPO).exists():
        folder.problems.add(
            "The starting repository is not on disk",
            folder.path / REPO,
            'put its files into repo/, or name a commit with [source] git = "..." and rev = "..."',
        )
    return None, None, ()


def _source(source: Source, folder: Folder) -> Path | None:
    if not _SHA.match(source.rev):
        folder.problems.add(
            f"`source.rev` is {source.rev!r}, which may point to another commit tomorrow",
            folder.key("source.rev"),
            "give the commit's hash, as `git rev-parse` prints it",
        )
    path = (folder.path.parent / source.git.removeprefix("file://")).absolute()
    if not path.exists():
        folder.problems.add(
            f"The starting repository is not on disk: {source.git!r}",
            folder.key("source.git"),
            "give a path that exists, relative to the suite's folder",
        )
    elif not ((path / ".git").exists() or (path / "HEAD").is_file()):
        folder.problems.add(
            f"The starting repository is no git repository: {source.git!r}",
            folder.key("source.git"),
            "give the folder that holds .git, or put the files into repo/",
        )
    return path
