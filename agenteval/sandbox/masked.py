"""A sandbox whose commands cannot say a secret: values of named variables are masked in all they print."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.box import Box, Sandbox, View
from agenteval.sandbox.masking import LEAST_BYTES, forms_of, mask

Listener = Callable[[str, bytes], None]


class Masked:
    """Another sandbox, with secrets masked before anybody can cut, quote or store its output.

    Parameters
    ----------
    inner
        Runs the commands.
    secrets
        Name of each variable to its value.
    """

    def __init__(self, inner: Sandbox, secrets: Mapping[str, str]) -> None:
        self.inner, self.secrets = inner, dict(secrets)
        self.name, self.isolates = inner.name, inner.isolates

    @property
    def identity(self) -> str:
        """That of the other sandbox."""
        return self.inner.identity

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Those of `programs` that a command would not find."""
        return self.inner.missing(programs)

    def view(self, box: Box) -> View:
        """Paths of the other sandbox."""
        return self.inner.view(box)

    def run(
        self,
        box: Box,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        bounds: Bounds | None = None,
        cancel: threading.Event | None = None,
        on_output: Listener | None = None,
    ) -> Finished:
        """Run `argv` in the other sandbox; a listener hears masked output, as soon as it is sure."""
        live = None if on_output is None else MaskedStreams(self.secrets, on_output)
        try:
            done = self.inner.run(box, argv, env=env, bounds=bounds, cancel=cancel, on_output=live)
        finally:
            if live is not None:
                live.end()
        return replace(
            done, stdout=mask(done.stdout, self.secrets), stderr=mask(done.stderr, self.secrets)
        )


class MaskedStreams:
    """Hands output on as it comes, but for what may turn out to be the beginning of a secret.

    Parameters
    ----------
    secrets
        Name of each variable to its value.
    listener
        Called with the name of a stream and masked bytes.
    """

    def __init__(self, secrets: Mapping[str, str], listener: Listener) -> None:
        self.secrets, self.listener = dict(secrets), listener
        self._forms = [
            form
            for value in self.secrets.values()
            for form in forms_of(value)
            if len(value.encode("utf-8", "surrogateescape")) >= LEAST_BYTES
        ]
        self._waiting: dict[str, bytes] = {}

    def __call__(self, stream: str, data: bytes) -> None:
        """Take what came, hand on what is sure."""
        whole = mask(self._waiting.get(stream, b"") + data, self.secrets)
        sure = len(whole) - self._may_begin(whole)
        self._waiting[stream] = whole[sure:]
        if sure:
            self.listener(stream, whole[:sure])

    def end(self) -> None:
        """Hand on the rest."""
        for stream, rest in self._waiting.items():
            if rest:
                self.listener(stream, rest)
        self._waiting.clear()

    def _may_begin(self, data: bytes) -> int:
        """Bytes at the end that are the beginning of some form of a secret."""
        return max(
            (
                length
                for form in self._forms
                for length in range(min(len(form) - 1, len(data)), 0, -1)
                if data.endswith(form[:length])
            ),
            default=0,
        )
