"""From a commit's message to a prompt, labels and an id, for an author to read over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agenteval.records.task import Category, Difficulty
from agenteval.suite.authoring.change import CommitChange
from agenteval.suite.authoring.split import Split

_KEYWORD = r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see(?:\s+also)?)"
_NUMBERED = r"(?:[\w.-]+/[\w.-]+#|#|gh-)\d+"
_REFERENCE = rf"(?:(?:issue\s+|pr\s+)?(?:{_NUMBERED}|https?://\S+))"
_TRAILER = re.compile(
    r"^(?:(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|cc|pr-url)\s*:.*"
    rf"|(?:[*-]\s+)?{_KEYWORD}\s*:?\s+{_REFERENCE}(?:\s*(?:,|and|&)\s*{_REFERENCE})*\.?)$",
    re.IGNORECASE,
)
_KIND = re.compile(r"^(?P<kind>[a-z]+)(\([^)]*\))?!?:\s+(?P<rest>.+)$", re.IGNORECASE)
# a bare number is no issue's: in brackets it may be a call's argument
_NAMED = rf"(?:{_NUMBERED}|(?:issue|bug|pr|gh|fix(?:es)?|close[sd]?)[\s-]+#?\d+)"
_MORE = rf"(?:\s*(?:,|and|&)\s*(?:{_KEYWORD}\s+)?{_NAMED})*"
_CLAUSE = rf"{_KEYWORD}:?\s+{_NAMED}{_MORE}(?!\s*(?:,|and|&)+\s*{_NAMED})"
# only what a sentence does without: brackets, a clause at its end or before it, a sentence of its own
_ISSUE = re.compile(
    rf"\s*\((?:{_KEYWORD}:?\s+)?{_NAMED}{_MORE}\)"
    rf"|(?:\A|(?<=\n\n)){_CLAUSE}(?:\s*[:,;.]\s*|\s+[-–—]\s+|\s*\Z)"
    rf"|(?<=[.!?])\s+{_CLAUSE}(?:\.|(?=\s*\Z))"
    rf"|(?:\s*[,;]|\s+[-–—])\s*{_CLAUSE}(?=\s*(?:[.,;:!?)\n]|\Z))",
    re.IGNORECASE,
)
_CATEGORIES: dict[str, Category] = {
    "fix": "bugfix", "fixed": "bugfix", "fixes": "bugfix", "bug": "bugfix", "bugfix": "bugfix",
    "feat": "feature", "feature": "feature", "add": "feature", "added": "feature",
    "adds": "feature", "support": "feature", "allow": "feature", "implement": "feature",
    "refactor": "refactor",
}  # fmt: skip
EASY_LINES, MEDIUM_LINES, MEDIUM_FILES = 15, 80, 3


def prompt_of(change: CommitChange, issue: str = "") -> str:
    """Draft a prompt: the issue's text if there is one, else what the commit's message says.

    Trailers, numbers of issues and a kind in front (`fix(parser):`) are left out.
    """
    if issue.strip():
        return issue.strip() + "\n"
    kind = _KIND.match(change.subject)
    subject = kind["rest"] if kind and _known(kind["kind"]) else change.subject
    subject = _ISSUE.sub("", subject).strip() or subject
    if re.match(r"[a-z]+(\s|$)", subject):  # a name of a program's stays as it is
        subject = subject[:1].upper() + subject[1:]
    lines = [line.rstrip() for line in change.body.splitlines() if not _TRAILER.match(line.strip())]
    body = re.sub(r"\n{3,}", "\n\n", _ISSUE.sub("", "\n".join(lines))).strip()
    ended = subject if subject.endswith((".", "!", "?", ":")) else f"{subject}."
    return f"{ended}\n\n{body}\n" if body else f"{ended}\n"


def category_of(change: CommitChange, split: Split) -> Category:
    """Guess what kind of work a commit was, by its first words and by how many files it changed."""
    words = re.findall(r"[a-z]+", change.subject.lower())
    kind = _KIND.match(change.subject)
    first = [kind["kind"].lower()] if kind else []
    for word in (*first, *words[:4]):
        if word in _CATEGORIES:
            return _CATEGORIES[word]
    return "multi-file" if len(split.source) > MEDIUM_FILES else "bugfix"


def difficulty_of(split: Split) -> Difficulty:
    """Guess how hard it is, by the size of the fix: only trials tell."""
    if len(split.source) == 1 and split.source_lines <= EASY_LINES:
        return "easy"
    small = len(split.source) <= MEDIUM_FILES and split.source_lines <= MEDIUM_LINES
    return "medium" if small else "hard"


def task_id_of(change: CommitChange, taken: Sequence[str] = ()) -> str:
    """An id made of the first words of the subject; the commit's name is added when it is taken."""
    kind = _KIND.match(change.subject)
    subject = kind["rest"] if kind and _known(kind["kind"]) else change.subject
    words = re.findall(r"[a-z0-9]+", (_ISSUE.sub("", subject).strip() or subject).lower())
    name = "-".join(words[:6])[:48].strip("-") or "commit"
    folded = {each.casefold() for each in taken}
    return name if name not in folded else f"{name}-{change.sha[:7]}"


def _known(kind: str) -> bool:
    return kind.lower() in {
        *_CATEGORIES, "chore", "docs", "test", "tests", "perf", "style", "build", "ci", "wip",
    }  # fmt: skip
