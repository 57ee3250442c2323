"""notes.md of a drafted task: where it is from, and what its author must look at before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.authoring.proving import Proof
from agenteval.suite.authoring import (
    Clue,
    CommitChange,
    Split,
    find_clues,
    marked,
    names_in,
    needed_names,
    texts_below,
    untold_names,
)

MOST_NAMED = 20


@dataclass(frozen=True)
class Reading:
    """What an author must know of a draft's prompt.

    Attributes
    ----------
    prompt
        The prompt with clues in double brackets.
    clues
        What in it gives the answer away.
    untold
        Names that hidden tests use and neither prompt nor starting repository has.
    """

    prompt: str
    clues: tuple[Clue, ...]
    untold: tuple[str, ...]


def read_over(folder: Path, split: Split) -> Reading:
    """Find in a draft's folder what its prompt tells too much, and too little."""
    prompt = (folder / "prompt.md").read_text("utf-8")
    patch = (folder / "solution.patch").read_bytes().decode("utf-8", "replace")
    tests = [
        (folder / "hidden" / path).read_bytes().decode("utf-8", "replace")
        for path in split.runnable
    ]
    texts = texts_below(folder / "repo")
    start = frozenset[str]().union(*map(names_in, (*texts, *texts.values())))
    needed = needed_names(start, patch, tests)
    clues = find_clues(prompt, patch, needed=needed)
    untold = untold_names(prompt, start, patch, tests)
    return Reading(marked(prompt, clues), tuple(clues), untold)


def notes_text(
    change: CommitChange, split: Split, proof: Proof, reading: Reading, said: Iterable[str] = ()
) -> str:
    """Text of notes.md."""
    hidden = ", ".join(f"`{file.path}`" for file in split.hidden)
    source = ", ".join(f"`{file.path}`" for file in split.source)
    lines = [
        "# For maintainers",
        "",
        f"Drafted from commit {change.sha} ({change.date[:10]}): {change.subject}",
        "",
        f"- Starting repository: the files of its parent {change.parents[0]}, without history.",
        f"- Hidden tests: {hidden}, as the commit left them.",
        f"- Reference: the rest of the commit ({source}).",
        f"- {len(proof.fail_to_pass)} tests fail before and pass after, {len(proof.pass_to_pass)} of the hidden tests and {len(proof.others)} of the project's others pass either way (origin.json, tests.json).",
        *_dropped(proof.dropped),
        *(f"- {line}" for line in said),
        "",
        "## Before it is used",
        "",
        "- Read prompt.md as somebody who does not know the fix. It should say what people see and want.",
        "- Category and difficulty in task.toml are guesses.",
        "- Write plausible wrong solutions into wrong/*.patch: each must fail.",
        "- Then take the tag `draft` out of task.toml.",
    ]
    if reading.untold:
        lines += [
            "",
            "### The prompt does not say, and hidden tests ask for",
            "",
            "These names come with the fix and are nowhere else, so the prompt should tell them:",
            "",
            *(f"- `{name}`" for name in reading.untold[:MOST_NAMED]),
        ]
    if reading.clues:
        lines += [
            "",
            "### What gives the answer away",
            "",
            *(f"- {clue.kind}: `{clue.text}`" for clue in _once(reading.clues)),
            "",
            "In the prompt, marked:",
            "",
            *(f"> {line}" for line in reading.prompt.strip().splitlines()),
        ]
    return "\n".join(lines) + "\n"


def _dropped(dropped: Mapping[str, str]) -> list[str]:
    return [f"- Not graded: `{test}` ({why})." for test, why in list(dropped.items())[:MOST_NAMED]]


def _once(clues: Iterable[Clue]) -> list[Clue]:
    return list({(clue.kind, clue.text): clue for clue in clues}.values())
