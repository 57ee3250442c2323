"""Absolute paths of a Harbor task that runs without its image: named anew in its prompt and scripts."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from agenteval.suite.foreign.harbor_image import LINKED, usable_workdir

DEFAULT_WORKDIR = "/app"
# what a path may follow: else it is the end of a longer path, as in https://example.com/app
STARTS = r"(?:(?<![^\s\"'=:(`<>\[{,;|&!^])|(?<=\s\*)|(?<=\s\*\*)|(?<=^\*\*))"
_CODE = re.compile(r"(?P<marks>`+).+?(?P=marks)", re.DOTALL)
_COMMAND = re.compile(r"(?:\b(?:cd|ls)|\s-\w) $")
_IN_SED = r"[[:space:]\"'=:(\`<>{,;|&!^[]"
_ENDS_IN_SED = r"[^A-Za-z0-9_.-]\\|[.][^A-Za-z0-9_]\\|[.]*\$"


def place_of(workdir: str | None) -> str:
    """The working folder that is rewritten: the task's own when it can be, else Harbor's usual one.

    >>> place_of("/srv/site/"), place_of("/"), place_of(None)
    ('/srv/site', '/app', '/app')
    """
    if workdir is None or not usable_workdir(workdir):
        return DEFAULT_WORKDIR
    return str(PurePosixPath(workdir))


def mentions(text: str, folder: str) -> bool:
    """Whether a text names a folder, or something in it, by its absolute path."""
    return re.search(rf"{STARTS}{re.escape(folder)}\b", text) is not None


def relative_prompt(prompt: str, workdir: str) -> str:
    """A prompt with the paths below the working folder made relative to it.

    The folder itself is `.` in code and beside the signs of code, and `the current folder` in a
    sentence.

    >>> relative_prompt("Mend /app/a.py in /app: run `python /app/a.py`.", "/app")
    'Mend a.py in the current folder: run `python ./a.py`.'
    >>> relative_prompt("Set PYTHONPATH=/app:/app/lib, see https://example.com/app/docs", "/app")
    'Set PYTHONPATH=.:./lib, see https://example.com/app/docs'
    """
    code = [found.span() for found in _CODE.finditer(prompt)]
    below = r"(?P<below>/+)(?=[\w@$*{%~+<\[-]|\.[\w./])"
    path = re.compile(
        rf"(?P<lead>\b[Tt]he (?:(?:folder|directory) )?)?(?P<path>{STARTS}{re.escape(workdir)}"
        rf"(?:{below}|/*(?![\w/-]|\.\w)))(?P<noun> (?:folder|directory)\b)?"
    )

    def named(found: re.Match[str]) -> str:
        start, end, lead = found.start("path"), found.end("path"), found["lead"] or ""
        before, after = prompt[:start], prompt[end : end + 2]
        in_code = any(first <= start < last for first, last in code)
        if found["below"]:
            return f"{lead}./" if in_code or before.endswith(("=", ":")) else lead
        joined = before.endswith(tuple("=:\"'|&;<>")) or re.match(r":\S|[\"'|&;]", after)
        if in_code or joined or _COMMAND.search(before):
            return f"{lead}.{found['noun'] or ''}"
        return "The current folder" if lead.startswith("T") else "the current folder"

    return path.sub(named, prompt)


def rewriting(workdir: str | None) -> str:
    """A shell function that copies a file with a task's absolute paths made those of the trial.

    Every edit is made twice, since two paths may share the sign between them, and to a mark first,
    since the trial's own folder may hold the name that is looked for.
    """
    places = {f"/{name}": f"$top/{name}" for name in LINKED} | {place_of(workdir): "$here"}
    edits = []
    for number, path in enumerate(places):
        literal = re.sub(r"([.*\[])", r"[\1]", path)
        edit = (
            rf'-e "s#\\(^\\|{_IN_SED}\\|:-\\){literal}\\({_ENDS_IN_SED}\\)#\\1{_mark(number)}\\2#g"'
        )
        edits += [edit, edit]
    edits += [f'-e "s#{_mark(number)}#{place}#g"' for number, place in enumerate(places.values())]
    return f'rewritten() {{\n    sed {" ".join(edits)} "$1" >"$2"\n}}\n'


def _mark(number: int) -> str:
    return f"@agenteval-place-{number}@"
