"""Any program as an agent: a shell command with the prompt filled in."""

from __future__ import annotations

import difflib
import json
import re
import shlex
import shutil
from pathlib import Path

from agenteval.agents.protocol import AgentReport, Endpoint, Job, Launch, Output
from agenteval.errors import InvalidInput
from agenteval.records import Overlay, digest
from agenteval.sandbox import View

PLACEHOLDERS = ("prompt", "prompt_file", "workspace", "args")
# `${name}` is the shell's own
BRACES = re.compile(r"(?<!\$)\{(\w+)\}")
KNOWN = re.compile(r"(?<!\$)\{(prompt|prompt_file|workspace|args)\}")
# where a second shell, or no quoting at all, would read the prompt as code
SECOND_READING = re.compile(r"<<|\beval\b|\b(?:ba|da|z|k)?sh\s+(?:-\w+\s+)*-\w*c\b")
ANSWER_TAIL = 20_000


class CommandAgent:
    """Runs a shell command in the workspace.

    `{prompt}`, `{prompt_file}` and `{workspace}` are filled in, as literal text whether they stand
    bare or inside quotes. The final answer is what the command wrote to the file named by
    `$AGENTEVAL_ANSWER`, else the tail of its standard output. A non-zero exit code is a crash.

    A word of the command that names an existing file of the folder you are in becomes a declared
    input: it is shown read-only in the sandbox, and its contents are part of the arm's digest, so
    that a local program at two commits is two arms. Such a word has a slash (`./agent`), or is a
    bare name with an ending (`agent.sh`). A bare name means the workspace's own file where the
    task's repository or the variant has one of that name, a program on PATH where it is the
    command's first word, and what is written to where it stands behind `>`. A file of the workspace
    can be named in any case, as `{workspace}/NAME`.

    Arguments of a variant take the place of `{args}`, else they are added at the end, quoted. Its
    settings and MCP servers are JSON files that `$AGENTEVAL_SETTINGS` and `$AGENTEVAL_MCP` name,
    and `$AGENTEVAL_PLUGIN_DIRS` lists its plugins, joined by colons.

    With a model that the gateway reaches, `$AGENTEVAL_MODEL_URL` and `$AGENTEVAL_MODEL_KEY` say how,
    and so do the variables that the providers' own clients look at (`$OPENAI_BASE_URL`,
    `$ANTHROPIC_BASE_URL`, ...).

    Parameters
    ----------
    template
        The shell command.
    files
        Further files or folders that the program needs.
    """

    name = "command"

    def __init__(self, template: str, files: tuple[Path, ...] = ()) -> None:
        if not template.strip():
            raise InvalidInput(
                "The command agent has no command",
                "--agent command:",
                "give one, as in command:'./my-agent {prompt_file}'",
            )
        _refuse_traps(template)
        self.template, local, self._bare = _with_absolute_paths(template)
        missing = [path for path in files if not path.exists()]
        if missing:
            raise InvalidInput(
                "A file of the agent does not exist",
                f"--agent-files {missing[0]}",
                "give an existing file or folder",
            )
        self.files = (*local, *self._bare.values(), *(path.resolve() for path in files))

    def version(self) -> str | None:
        """Unknown: the program's contents are in the digest instead."""
        return None

    def inputs(self) -> dict[str, str]:
        """Hash of each local file of the command, and of each file below declared folders."""
        contents: dict[str, list[str]] = {}
        for path in dict.fromkeys(self.files):
            contents.setdefault(path.name, []).append(content_digest(path))
        return {name: digest(*hashes) for name, hashes in contents.items()}

    def launch(self, job: Job, view: View) -> Launch:
        """Fill in the placeholders."""
        prompt_file = f"{view.inputs}/prompt.md"
        values = {
            "prompt": job.task.prompt,
            "prompt_file": prompt_file,
            "workspace": view.workspace,
        }
        overlay = job.arm.overlay or Overlay()
        arguments = shlex.join(overlay.args)
        template = self._template_for(job)
        places = {found[1] for found in KNOWN.finditer(template)}
        command = KNOWN.sub(
            lambda found: (
                arguments
                if found[1] == "args"
                else _literal(values[found[1]], _quote_at(template, found.start()))
            ),
            template,
        )
        if arguments and "args" not in places:
            command += f" {arguments}"
        told = {
            name: (f"{name}.json", json.dumps(value).encode())
            for name, value in (("settings", overlay.settings), ("mcp", overlay.mcp))
            if value
        }
        env = {
            f"AGENTEVAL_{name.upper()}": f"{view.inputs}/{file}" for name, (file, _) in told.items()
        }
        if overlay.plugin_dirs:
            env["AGENTEVAL_PLUGIN_DIRS"] = ":".join(overlay.plugin_dirs)
        if job.endpoint is not None:
            env |= endpoint_variables(job.endpoint)
        return Launch(
            argv=["sh", "-c", command],
            env={"AGENTEVAL_PROMPT_FILE": prompt_file, **env},
            files=dict(told.values()),
            read_only=(*self.files, *map(Path, overlay.plugin_dirs)),
        )

    def _template_for(self, job: Job) -> str:
        """The command with the local files of bare names, unless the workspace has them."""
        template, overlay = self.template, job.arm.overlay or Overlay()
        start = job.task.repo or job.task.source
        for name, path in self._bare.items():
            if name not in overlay.files and (start is None or not (start / name).exists()):
                template = _replaced(template, name, str(path))
        return template

    def report(self, job: Job, output: Output) -> AgentReport:
        """Answer file, else the tail of stdout; finished when the exit code is 0."""
        del job
        answer = (
            output.answer_file if output.answer_file is not None else output.stdout[-ANSWER_TAIL:]
        )
        return AgentReport(answer=answer.decode("utf-8", "replace"), finished=output.exit_code == 0)


def endpoint_variables(endpoint: Endpoint) -> dict[str, str]:
    """How to reach the model, for programs of the operator's own and for the providers' clients."""
    url, key = endpoint.url, endpoint.key
    return {
        "AGENTEVAL_MODEL_URL": url,
        "AGENTEVAL_MODEL_KEY": key,
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": key,
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_BASE": f"{url}/v1",
        "OPENAI_API_KEY": key,
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": key,
    }


def _refuse_traps(template: str) -> None:
    """Refuse commands that cannot do what they seem to say."""
    where = f"--agent command:{template}"
    for word in BRACES.findall(template):
        near = difflib.get_close_matches(word, PLACEHOLDERS, n=1, cutoff=0.75)
        if near and word not in PLACEHOLDERS:
            raise InvalidInput(
                f"The command has the unknown placeholder {{{word}}}", where, f"write {{{near[0]}}}"
            )
    if "{prompt}" in template and SECOND_READING.search(template):
        raise InvalidInput(
            "The prompt would be read as shell code: {prompt} stands in a here-document or in the command of a second shell",
            where,
            'use {prompt_file}, as in "$(cat {prompt_file})"',
        )
    first = re.split(r"\s", template.strip(), maxsplit=1)[0]
    if re.match(r"\.{0,2}/", first) and not Path(first).exists():
        raise InvalidInput(
            f"The agent's program {first} does not exist",
            where,
            "correct the path; a program of the task's own repository is {workspace}/NAME",
        )


def _quote_at(command: str, position: int) -> str:
    """The kind of quote that is open at a place of a shell command: ', " or nothing."""
    quote, skip = "", False
    for character in command[:position]:
        if skip:
            skip = False
        elif character == "\\" and quote != "'":
            skip = True
        elif character in ("'", '"') and quote in ("", character):
            quote = "" if quote else character
    return quote


def _literal(text: str, quote: str) -> str:
    """`text` so that the shell takes it as it is, inside the quote that is open."""
    if quote == "'":
        return text.replace("'", "'\"'\"'")
    if quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", text)
    return shlex.quote(text)


def _with_absolute_paths(template: str) -> tuple[str, list[Path], dict[str, Path]]:
    """Words with a slash that name local files, made absolute; those files; and those of bare names."""
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise InvalidInput(
            f"The command cannot be split into words: {error}",
            f"--agent command:{template}",
            "close the quotes",
        ) from error
    found: list[Path] = []
    bare: dict[str, Path] = {}
    for word in dict.fromkeys(words):
        path = Path(word)
        if not path.is_file() or path.resolve().is_relative_to("/usr"):
            continue
        if "/" in word:
            found.append(path.resolve())
            template = _replaced(template, word, str(path.resolve()))
        elif path.suffix and not _is_meant_otherwise(word, words[0], template):
            bare[word] = path.resolve()
    return template, found, bare


def _is_meant_otherwise(name: str, first: str, command: str) -> bool:
    """Whether a bare name is a program on PATH, or what the command writes to."""
    written = re.search(rf">[>|]?\s*[\"']?{re.escape(name)}(?![\w./-])", command)
    return written is not None or (name == first and shutil.which(name) is not None)


def _replaced(command: str, word: str, by: str) -> str:
    pattern = rf"(?<![\w./-]){re.escape(word)}(?![\w./-])"
    return re.sub(pattern, lambda m: _literal(by, _quote_at(command, m.start())), command)


def content_digest(path: Path) -> str:
    """Hash of a file, or of every file below a folder with its name."""
    if path.is_file():
        return digest(path.read_bytes())
    files = sorted(p for p in path.rglob("*") if p.is_file())
    return digest(*(part for p in files for part in (str(p.relative_to(path)), p.read_bytes())))
