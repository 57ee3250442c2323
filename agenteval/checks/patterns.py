"""Regular expressions on an agent's text: in a process of their own, since one may never end.

`re` cannot be stopped and holds the interpreter: one pattern that backtracks on text written to
provoke it would stop the whole engine.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Sequence

from agenteval.sandbox import Bounds, Finished, run_process

TIMEOUT_S = 20.0
KEEP_BYTES = 64 << 20
SHOWN_CHARS = 120
NOT_FOUND = 1
PROGRAM = f"""
import re, sys
flags, size = map(int, sys.stdin.buffer.readline().split())
pattern = sys.stdin.buffer.read(size).decode("utf-8", "surrogatepass")
text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
found = re.search(pattern, text, flags)
if found is None:
    sys.exit({NOT_FOUND})
sys.stdout.buffer.write(found[0][:{SHOWN_CHARS}].encode("utf-8", "surrogatepass"))
"""


WHICH_PROGRAM = """
import json, re, sys
asked = json.loads(sys.stdin.buffer.read())
pattern = re.compile(asked["pattern"], asked["flags"])
json.dump([place for place, text in enumerate(asked["texts"]) if pattern.search(text)], sys.stdout)
"""


class NoVerdictError(Exception):
    """The search was stopped.

    Parameters
    ----------
    error_class
        check_timeout, or check_no_verdict when it ended otherwise (out of memory, cancelled).
    detail
        For people.
    """

    def __init__(self, error_class: str, detail: str) -> None:
        super().__init__(error_class, detail)
        self.error_class, self.detail = error_class, detail


def search(
    pattern: str,
    text: str,
    *,
    ignore_case: bool = False,
    cancel: threading.Event | None = None,
) -> str | None:
    """Head of what `pattern` matches first (multi-line mode), or None.

    Raises
    ------
    NoVerdictError
        When the search takes more than `TIMEOUT_S` seconds, or fails.
    """
    sought = pattern.encode("utf-8", "surrogatepass")
    done = _asked(
        PROGRAM,
        b"%d %d\n" % (_flags(ignore_case=ignore_case), len(sought))
        + sought
        + text.encode("utf-8", "surrogatepass"),
        pattern,
        cancel,
    )
    return done.stdout.decode("utf-8", "surrogatepass") if done.exit_code == 0 else None


def which(
    pattern: str,
    texts: Sequence[str],
    *,
    ignore_case: bool = False,
    cancel: threading.Event | None = None,
) -> list[str]:
    """Those of `texts` in which `pattern` is found, in order.

    Raises
    ------
    NoVerdictError
        As `search`.
    """
    if not texts:
        return []
    asked = {"pattern": pattern, "flags": _flags(ignore_case=ignore_case), "texts": list(texts)}
    done = _asked(WHICH_PROGRAM, json.dumps(asked).encode(), pattern, cancel)
    found: list[int] = json.loads(done.stdout)
    return [texts[place] for place in found]


def _flags(*, ignore_case: bool) -> int:
    return int(re.MULTILINE | (re.IGNORECASE if ignore_case else 0))


def _asked(program: str, told: bytes, pattern: str, cancel: threading.Event | None) -> Finished:
    """Run a search to its end."""
    done = run_process(
        [sys.executable, "-I", "-S", "-W", "ignore", "-c", program],
        env={},
        stdin=told,
        bounds=Bounds(timeout_s=TIMEOUT_S, grace_s=0.1, keep_bytes=KEEP_BYTES),
        cancel=cancel,
    )
    if done.stopped_by == "timeout":
        raise NoVerdictError(
            "check_timeout",
            f"the pattern {pattern!r} was still being searched for after {TIMEOUT_S:.0f} s",
        )
    if done.stopped_by is not None or done.exit_code not in (0, NOT_FOUND) or done.stderr:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise NoVerdictError(
            "check_no_verdict",
            f"the search for {pattern!r} ended with {done.stopped_by or done.exit_code}: {said[:200]}",
        )
    return done
