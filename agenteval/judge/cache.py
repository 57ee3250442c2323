"""Replies of judges kept by what was asked, so that nothing is paid for or rolled twice."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from agenteval.judge.dialects import Reply, Request
from agenteval.records import digest, replace_file


class ReplyCache:
    """Replies in a folder; without a folder, none are kept.

    Every reply is kept, also one without a score: asking again until there is one would give work
    that confuses its judge as many chances as it needs. Failures of the provider are not kept.

    Parameters
    ----------
    folder
        Where; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: str) -> Reply | None:
        """The reply that was given; a file that cannot be read is none."""
        if self.folder is None:
            return None
        try:
            found = json.loads(self._path(key).read_text("utf-8"))
            return Reply(**found)
        except (OSError, ValueError, TypeError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply durably."""
        if self.folder is not None:
            text = json.dumps(asdict(reply), ensure_ascii=False)
            replace_file(self._path(key), text.encode("utf-8", "replace"))

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key}.json"


def cache_key(prompt_hash: str, judge: str, where: str, request: Request, sample: int) -> str:
    """Hash of all that decides a reply: contents, judge, endpoint, options, number of the sample."""
    options = f"{request.max_output_tokens} {request.temperature} {request.structured}"
    return digest("reply-1", prompt_hash, judge, where, options, str(sample))
