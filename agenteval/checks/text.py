"""The checks on text: `file-contains` on the grading copy and `answer-contains` on the answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

from agenteval.checks.patterns import SHOWN_CHARS, NoVerdictError, search
from agenteval.checks.protocol import Grading, Verdict
from agenteval.records import AnswerContainsCheck, FileContainsCheck
from agenteval.sandbox import read_regular

MAX_BYTES = 32 << 20


def check_file_contains(check: FileContainsCheck, grading: Grading) -> Verdict:
    """Look into a file of the grading copy; a missing file holds nothing and fails, negated or not."""
    text, problem = _read_inside(grading.box.workspace, check.path)
    if text is None:
        return Verdict(passed=False, detail=problem)
    return _verdict(check, text, check.path, grading)


def check_answer_contains(check: AnswerContainsCheck, grading: Grading) -> Verdict:
    """Look into the final answer; an empty answer fails, negated or not."""
    if not grading.answer.strip():
        return Verdict(passed=False, detail="there is no final answer")
    return _verdict(check, grading.answer, "the final answer", grading)


def _verdict(
    check: FileContainsCheck | AnswerContainsCheck, text: str, where: str, grading: Grading
) -> Verdict:
    if check.pattern is None:
        flags = re.IGNORECASE if check.ignore_case else 0
        match = re.search(re.escape(check.text or ""), text, flags)
        wanted, found = f"text {check.text!r}", None if match is None else match[0][:SHOWN_CHARS]
    else:
        wanted = f"pattern {check.pattern!r}"
        try:
            found = search(
                check.pattern, text, ignore_case=check.ignore_case, cancel=grading.cancel
            )
        except NoVerdictError as error:
            return Verdict(passed=None, detail=error.detail, error_class=error.error_class)
    seen = (
        f"{wanted} not found in {where}"
        if found is None
        else f"{wanted} found in {where}: {found!r}"
    )
    return Verdict(passed=(found is not None) != check.negate, detail=seen)


def _read_inside(folder: Path, path: str) -> tuple[str | None, str]:
    """Contents of a regular file below `folder`, never through a link that leaves it."""
    real, root = Path(os.path.realpath(folder / path)), Path(os.path.realpath(folder))
    if not real.is_relative_to(root):
        return None, f"{path} is a link that leaves the workspace"
    try:
        data = read_regular(real, MAX_BYTES + 1)
    except OSError as error:
        return None, f"{path} cannot be read: {error.strerror or error}"
    if len(data) > MAX_BYTES:
        return None, f"{path} is larger than {MAX_BYTES >> 20} MB"
    return data.decode("utf-8", "replace"), ""
