"""The checks on text: `file-contains`, `-matches`, `-equals` on the copy, `answer-...` on the answer."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from agenteval.checks.files import leaves
from agenteval.checks.patterns import SHOWN_CHARS, NoVerdictError, search
from agenteval.checks.protocol import Grading, Verdict
from agenteval.records import (
    AnswerContainsCheck,
    AnswerEqualsCheck,
    AnswerMatchesCheck,
    FileContainsCheck,
    FileEqualsCheck,
    FileMatchesCheck,
)
from agenteval.sandbox import read_regular

MAX_BYTES = 32 << 20
NO_ANSWER = Verdict(passed=False, detail="there is no final answer")


@dataclass(frozen=True)
class _Sought:
    """What is looked for: a literal text, or a pattern."""

    text: str | None
    pattern: str | None
    ignore_case: bool
    negate: bool

    def verdict(self, text: str, where: str, cancel: threading.Event | None) -> Verdict:
        """Look for it."""
        if self.pattern is None:
            flags = re.IGNORECASE if self.ignore_case else 0
            match = re.search(re.escape(self.text or ""), text, flags)
            wanted, found = f"text {self.text!r}", None if match is None else match[0][:SHOWN_CHARS]
        else:
            wanted = f"pattern {self.pattern!r}"
            try:
                found = search(self.pattern, text, ignore_case=self.ignore_case, cancel=cancel)
            except NoVerdictError as error:
                return Verdict(passed=None, detail=error.detail, error_class=error.error_class)
        seen = (
            f"{wanted} not found in {where}"
            if found is None
            else f"{wanted} found in {where}: {found!r}"
        )
        return Verdict(passed=(found is not None) != self.negate, detail=seen)


def _sought(
    check: FileContainsCheck | FileMatchesCheck | AnswerContainsCheck | AnswerMatchesCheck,
) -> _Sought:
    text = None if isinstance(check, FileMatchesCheck | AnswerMatchesCheck) else check.text
    return _Sought(text, check.pattern, check.ignore_case, check.negate)


def check_file_text(check: FileContainsCheck | FileMatchesCheck, grading: Grading) -> Verdict:
    """Look into a file of the grading copy; a missing file holds nothing and fails, negated or not."""
    text, problem = _read_inside(grading.box.workspace, check.path)
    if text is None:
        return Verdict(passed=False, detail=problem)
    return _sought(check).verdict(text, check.path, grading.cancel)


def check_file_equals(check: FileEqualsCheck, grading: Grading) -> Verdict:
    """Compare a file of the grading copy with a text; a missing file fails, negated or not."""
    text, problem = _read_inside(grading.box.workspace, check.path)
    if text is None:
        return Verdict(passed=False, detail=problem)
    same = text.removesuffix("\n") == check.text.removesuffix("\n")
    seen = "holds" if same else "does not hold"
    return Verdict(passed=same != check.negate, detail=f"{check.path} {seen} exactly the text")


def check_answer_text(check: AnswerContainsCheck | AnswerMatchesCheck, grading: Grading) -> Verdict:
    """Look into the final answer; an empty answer fails, negated or not."""
    if not grading.answer.strip():
        return NO_ANSWER
    return _sought(check).verdict(grading.answer, "the final answer", grading.cancel)


def check_answer_equals(check: AnswerEqualsCheck, grading: Grading) -> Verdict:
    """Compare the final answer with a text, spaces around both left out; an empty answer fails."""
    given, wanted = grading.answer.strip(), check.text.strip()
    if not given:
        return NO_ANSWER
    if check.ignore_case:
        given, wanted = given.casefold(), wanted.casefold()
    seen = "is" if given == wanted else "is not"
    return Verdict(
        passed=(given == wanted) != check.negate,
        detail=f"the final answer {seen} {check.text.strip()[:SHOWN_CHARS]!r}",
    )


def _read_inside(folder: Path, path: str) -> tuple[str | None, str]:
    """Contents of a regular file below `folder`, never through a link that leaves it."""
    if leaves(folder, path):
        return None, f"{path} is a link that leaves the workspace"
    real = Path(os.path.realpath(folder / path))
    try:
        data = read_regular(real, MAX_BYTES + 1)
    except OSError as error:
        return None, f"{path} cannot be read: {error.strerror or error}"
    if len(data) > MAX_BYTES:
        return None, f"{path} is larger than {MAX_BYTES >> 20} MB"
    return data.decode("utf-8", "replace"), ""
