"""`--with-user-config`: an agent with the operator's own settings and memory, never with their keys.

Nor with variables by which a program would look for its model elsewhere than at the gateway. What
goes along is copied read-only into the box's inputs and from there into the private HOME, so
nothing that the agent does there reaches the operator's own.
"""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, cast

from agenteval.agents.protocol import Agent, AgentReport, Job, Launch, Output
from agenteval.agents.transcript import table
from agenteval.errors import InvalidInput
from agenteval.records import digest
from agenteval.sandbox import View

INPUT = "user_config"
SUFFIX = "user-config"
ARCHIVE = "user_config.tar"
LARGEST_BYTES = 8 << 20
# nothing of these leaves the operator's HOME: keys, and what others said before
KEYS = re.compile(
    r"credential|secret|token|oauth|auth\.json|\.env|\.pem$|\.key$|^id_|account|password", re.IGNORECASE
)  # fmt: skip
PASSING = frozenset(
    ("backups", "cache", "debug", "downloads", "file-history", "history", "history.jsonl", "ide", "log", "logs",
     "node_modules", "paste-cache", "projects", "session-env", "sessions", "shell-snapshots", "statsig", "telemetry", "tmp",
     "todos", "tasks", ".git")
)  # fmt: skip
ENDINGS = (".json", ".jsonc", ".md", ".mdc", ".toml", ".txt", ".yaml", ".yml")
SECRET_NAME = re.compile(
    r"(?:api|access|secret|private|auth|account)[_-]?key|token(?!s)|secret|passw|credential|authorization|oauth|apikeyhelper",
    re.IGNORECASE,
)
SETTING = re.compile(r"""^\s*["']?([\w.-]+)["']?\s*[:=]\s*\S""")
# Claude Code lets variables of its settings win over those it is started with
SETTINGS = ".claude/settings"
LEADS_AWAY = re.compile(
    r"^(ANTHROPIC|AWS|CLOUD_ML|VERTEX)_|^CLAUDE_CODE_(USE|SKIP)_|_PROXY$", re.IGNORECASE
)
# of this file all but the servers changes with every start of the program
VOLATILE = {".claude.json": ("mcpServers",)}
START = 'tar -xf "$1" -C "$HOME" || exit 125; shift; exec "$@"'


class WithUserConfig:
    """An agent in whose HOME the operator's own configuration was laid.

    Parameters
    ----------
    inner
        The agent.
    home
        The operator's HOME.
    """

    def __init__(self, inner: Agent, home: Path) -> None:
        self.inner = inner
        self.name = inner.name
        self.files = read_user_config(tuple(getattr(inner, "user_config", ())), home)
        cast(Any, inner).with_user_config = True

    def __getattr__(self, name: str) -> Any:
        """Everything else is the agent's."""
        return getattr(self.inner, name)

    def version(self) -> str | None:
        """Version of the agent."""
        return self.inner.version()

    def inputs(self) -> dict[str, str]:
        """The agent's own, and a hash of what goes along."""
        parts = [part for path, data in sorted(self.files.items()) for part in (path, data)]
        return {**self.inner.inputs(), INPUT: digest("user-config-1", *parts)}

    def launch(self, job: Job, view: View) -> Launch:
        """As the agent says, after the files were laid."""
        launch = self.inner.launch(job, view)
        if job.turn > 1:  # they are there, and may have been changed by the agent
            return launch
        return replace(
            launch,
            argv=["sh", "-c", START, "sh", f"{view.inputs}/{ARCHIVE}", *launch.argv],
            files={**launch.files, ARCHIVE: packed(self.files)},
        )

    def report(self, job: Job, output: Output) -> AgentReport:
        """As the agent reads it."""
        return self.inner.report(job, output)


def with_user_config(agent: Agent, spec: str, home: Path | None = None) -> Agent:
    """The agent with the operator's own configuration.

    Raises
    ------
    InvalidInput
        When the agent has none, or there is none here.
    """
    paths = getattr(agent, "user_config", ())
    if not paths:
        raise InvalidInput(
            f"The agent {agent.name} takes no configuration of the operator's",
            f"--with-user-config, --agent {spec}",
            "leave the flag out, or hand the agent a variant",
        )
    found = WithUserConfig(agent, home or Path.home())
    if not found.files:
        raise InvalidInput(
            f"There is no configuration of {agent.name} to hand over",
            f"--with-user-config, looked for {', '.join(f'~/{path}' for path in paths)}",
            "leave the flag out",
        )
    return cast(Agent, found)


@cache
def read_user_config(paths: Sequence[str], home: Path) -> Mapping[str, bytes]:
    """Settings and memory below `home`: text files alone, without keys, logs and conversations.

    Parameters
    ----------
    paths
        Files or folders relative to it.

    Raises
    ------
    InvalidInput
        For more than 8 MB.
    """
    found: dict[str, bytes] = {}
    for path in paths:
        for file in _below(home / path):
            name = str(PurePosixPath(file.relative_to(home)))
            data = _clean(name, file.read_bytes())
            if data is not None:
                found[name] = data
    size = sum(map(len, found.values()))
    if size > LARGEST_BYTES:
        raise InvalidInput(
            f"The operator's configuration has {size >> 20} MB",
            f"--with-user-config, {', '.join(f'~/{path}' for path in paths)}",
            "it takes at most 8 MB of settings and memory; move other files away",
        )
    return found


def packed(files: Mapping[str, bytes]) -> bytes:
    """A tar archive of files that only their owner may read; the same files give the same bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def _below(path: Path, above: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """Files that may go along; of a link, its own name and that of what it leads to must allow it."""
    real = Path(os.path.realpath(path))  # which a ring of links does not stop
    names = {path.name, real.name}
    if real in above or names & PASSING or any(map(KEYS.search, names)):
        return
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            yield from _below(inner, above | {real})
    elif path.is_file() and all(name.endswith(ENDINGS) for name in names):
        yield path


def _clean(name: str, data: bytes) -> bytes | None:
    """The file without what is named like a secret; None when nothing of it can go along."""
    text = data.decode("utf-8", "replace")
    if name.endswith(".json"):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if name in VOLATILE:
            document = {k: v for k, v in table(document).items() if k in VOLATILE[name]}
        if name.startswith(SETTINGS) and "env" in table(document):
            own = table(document["env"])
            document["env"] = {k: v for k, v in own.items() if not LEADS_AWAY.search(k)}
        return json.dumps(_without_secrets(document), ensure_ascii=False).encode("utf-8", "replace")
    if name.endswith((".toml", ".yaml", ".yml", ".jsonc")):
        lines = text.splitlines(keepends=True)
        return "".join(line for line in lines if not _sets_secret(line)).encode()
    return text.encode()


def _sets_secret(line: str) -> bool:
    found = SETTING.match(line)
    return found is not None and SECRET_NAME.search(found[1]) is not None


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_secrets(v) for k, v in value.items() if not SECRET_NAME.search(k)}
    return [_without_secrets(each) for each in value] if isinstance(value, list) else value
