"""How a request to a judge's provider fails."""

from __future__ import annotations

from typing import Any

from agenteval.errors import Infrastructure


class ProviderFailed(Infrastructure):
    """The provider of a judge gave no reply: the sample is tried again, then it is missing.

    Parameters
    ----------
    kind
        One word for tables: `http_503`, `timeout`, `unreachable`, `garbage`.
    again
        Whether another request may do better.
    retry_after_s
        What the provider itself asked to wait; None when it did not.
    """

    def __init__(
        self, what: str, where: str, *, kind: str, again: bool, retry_after_s: float | None = None
    ) -> None:
        fix = "see that the provider is up and the key is good, then `agenteval regrade` the run"
        super().__init__(what, where, fix, "judge_provider_down")
        self.kind, self.again, self.retry_after_s = kind, again, retry_after_s

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.what, self.where, self.kind, self.again, self.retry_after_s)


def _made(*parts: Any) -> ProviderFailed:
    what, where, kind, again, wait = parts
    return ProviderFailed(what, where, kind=kind, again=again, retry_after_s=wait)
