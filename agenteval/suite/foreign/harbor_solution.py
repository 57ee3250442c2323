"""Harbor's solution/solve.sh as one shell command, to be run once in the task's own sandbox."""

from __future__ import annotations

import base64
import shlex
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.suite.foreign.documents import read_text
from agenteval.suite.foreign.harbor import KEPT, read_folder
from agenteval.suite.foreign.harbor_grading import interpreter_of
from agenteval.suite.foreign.harbor_paths import rewriting
from agenteval.suite.problems import shown

SOLVE = "solve.sh"
LARGEST = 90_000  # of one argument, which the kernel bounds


def solution_command(task: Path) -> str | None:
    """The command that does what a converted Harbor task's solution does; None when it has none.

    Parameters
    ----------
    task
        Folder that `import_tasks` made.

    Raises
    ------
    InvalidInput
        When the solution is too large for a command line.
    """
    folder = task / KEPT
    script = folder / "solution" / SOLVE
    if not script.is_file():
        return None
    harbor = read_folder(folder)
    lines = ["here=$PWD top=${TMPDIR:-/tmp}", "set -e"]
    if not harbor.has_image:
        lines.append(rewriting(harbor.workdir))
    for path in sorted(p for p in script.parent.rglob("*") if p.is_file()):
        name = path.relative_to(script.parent).as_posix()
        place = f'"$top/solution/"{shlex.quote(name)}'
        text = base64.b64encode(path.read_bytes()).decode()
        lines += [f"mkdir -p $(dirname {place})", f"printf %s {text} | base64 -d >{place}"]
        if not harbor.has_image:
            lines.append(f'rewritten {place} "$top/rewritten" && cat "$top/rewritten" >{place}')
    for key, value in harbor.config.solution.env.items():
        lines.append(f"export {key}={shlex.quote(value)}")
    if harbor.has_image and harbor.workdir:
        lines.append(f"cd {shlex.quote(harbor.workdir)}")
    lines.append(f'{shlex.join(interpreter_of(read_text(script)))} "$top/solution/{SOLVE}"')
    command = "\n".join(lines)
    if len(command) > LARGEST:
        raise InvalidInput(
            "The solution's files are too large to be handed to a sandbox",
            shown(script.parent),
            "solve the task with `agenteval task solve` by hand",
        )
    return command
