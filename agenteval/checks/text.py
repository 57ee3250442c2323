"""The checks on text: `file-contains` on the grading copy and `answer-contains` on the answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

from agenteval.checks.protocol import Grading, Verdict
from agenteval.records import AnswerContainsCheck, FileContainsCheck
from agenteval.sandbox import read_regular

MAX_BYTES = 32 << 20


def check_file_contains(check: FileContainsCheck, grading: Grading) -> Verdict:
    """Look into a file of the grading copy; a missing file holds nothing and fails, negated or not."""
    text, problem = _read_inside(grading.box.workspace, check.path)
    if text is None:
        return Verdict(passed=False, detail=problem)
    return _verdict(check, text, check.path)


def check_answer_contains(check: AnswerContainsCheck, grading: Grading) -> Verdict:
    """Look into the final answer; an empty answer fails, negated or not."""
    if not grading.answer.strip():
        return Verdict(passed=False, detail="there is no final answer")
    return _verdict(check, grading.answer, "the final answer")


def _verdict(check: FileContainsCheck | AnswerContainsCheck, text: str, where: str) -> Verdict:
    flags = re.MULTILINE | (re.IGNORECASE if check.ignore_case else 0)
    pattern = check.pattern if check.pattern is not None else re.escape(check.text or "")
    found = re.search(pattern, text, flags)
    wanted = f"pattern {check.pattern!r}" if check.pattern is not None else f"text {check.text!r}"
    seen = (
        f"{wanted} found in {where}: {found[0][:120]!r}"
        if found
        else f"{wanted} not found in {where}"
    )
    return Verdict(passed=bool(found) != check.negate, detail=seen)


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
