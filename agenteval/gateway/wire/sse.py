"""Bodies of answers while they pass: event streams, JSON arrays and whole documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from agenteval.gateway.wire.fields import as_json, error_in
from agenteval.gateway.wire.protocol import Answered, Reply

MAX_BYTES = 1 << 26  # of one line or document: more than that is not read
BLANK = b"\xef\xbb\xbf \t\r\n"
JSON_HEADERS = {"content-type": "application/json"}
STREAM_HEADERS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


class EventStream:
    r"""Server-sent events, cut into chunks at any byte.

    >>> stream = EventStream()
    >>> stream.feed(b"event: a\r\ndata: 1\r"), stream.feed(b"\n\r\ndata: 2\n\n")
    ([], ['1', '2'])
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._length = 0
        self._data: list[bytes] = []
        self._after_return = False

    @property
    def between(self) -> bool:
        """Whether what comes next begins an event."""
        return not (self._line or self._data or self._after_return)

    def feed(self, chunk: bytes) -> list[str]:
        """Data of each event that ends in this chunk."""
        if self._after_return or b"\r" in chunk:
            chunk = self._plain(chunk)
        *ended, left = chunk.split(b"\n")
        if ended and self._line:
            ended[0] = b"".join([*self._line, ended[0]])
            self._line, self._length = [], 0
        if left and self._length < MAX_BYTES:
            self._line.append(left)
            self._length += len(left)
        found = []
        for line in ended:
            if line.startswith(b"data:"):
                self._take(line)
            elif not line and self._data:
                found.append(self._event())
        return found

    def rest(self) -> str | None:
        """Data of a last event that nothing ended, when it is whole JSON; given once."""
        if not (self._line or self._data):
            return None
        kept = self._data
        self._data = list(kept)
        last = b"".join(self._line)
        if last.startswith(b"data:"):
            self._take(last)
        text = self._event() if self._data else ""
        if as_json(text) is None:
            self._data = kept
            return None
        self._line, self._length = [], 0
        return text

    def _plain(self, chunk: bytes) -> bytes:
        """End all lines alike, of which there are three ways."""
        if self._after_return and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_return = False
        self._after_return |= chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take(self, line: bytes) -> None:
        self._data.append(line[6:] if line[5:6] == b" " else line[5:])

    def _event(self) -> str:
        data, self._data = self._data, []
        whole = data[0] if len(data) == 1 else b"\n".join(data)
        return whole.decode("utf-8", "replace")


class Fold(Protocol):
    """What an answer's documents add up to.

    Attributes
    ----------
    delta
        Matches a whole event, its last line end included, that adds to a text and says nothing else,
        as the provider spells it; None where the format's are not told so.
    """

    delta: re.Pattern[bytes] | None

    def add(self, found: re.Match[bytes]) -> None:
        """Take an event that `delta` matches: what `event` makes of it, without parsing it."""
        ...

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event of a stream."""
        ...

    def whole(self, document: Mapping[str, Any]) -> None:
        """Take an answer that came as one document."""
        ...

    def done(self) -> None:
        """Take the stream's own end mark (`[DONE]`)."""
        ...

    def answered(self) -> Answered:
        """What it adds up to so far."""
        ...


class BodyReader:
    """Reads a body as it passes; what it is shows in its first character.

    Parameters
    ----------
    fold
        Takes the documents.
    status
        HTTP status; from 400 on the body is an error.
    """

    def __init__(self, fold: Fold, status: int) -> None:
        self._fold, self._status = fold, status
        self._stream: EventStream | None = None
        self._kept: list[bytes] = []
        self._length = 0
        self._begun = False
        self._taken = 0
        self._error: str | None = None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the body."""
        if not self._begun:
            chunk = chunk.lstrip(BLANK)
            if not chunk:
                return
            self._begun = True
            if chunk[:1] not in b"{[<" and self._status < 400:
                self._stream = EventStream()
        if self._stream is not None:
            self._events(self._stream, chunk)
        elif self._length < MAX_BYTES:
            self._kept.append(chunk)
            self._length += len(chunk)

    def answered(self) -> Answered:
        """What has been read so far."""
        if self._stream is not None:
            rest = self._stream.rest()
            if rest is not None:
                self._event(rest)
        else:
            self._documents(b"".join(self._kept).decode("utf-8", "replace"))
        found = self._fold.answered()
        error = self._error or found.error
        if error is None:
            return found
        return replace(found, complete=False, error=error)

    def _events(self, stream: EventStream, chunk: bytes) -> None:
        """Take events: those that only add to a text at once, the others one by one."""
        at, delta = 0, self._fold.delta
        while delta is not None:
            if at or stream.between:
                while found := delta.match(chunk, at):
                    self._fold.add(found)
                    at = found.end()
            end = chunk.find(b"\n\n", at) + 2
            if end < 2:
                break
            for data in stream.feed(chunk[at:end]):
                self._event(data)
            at = end
        for data in stream.feed(chunk[at:]):
            self._event(data)

    def _event(self, data: str) -> None:
        event = as_json(data)
        if isinstance(event, dict):
            self._fold.event(event)
        elif event is None and data.strip() == "[DONE]":
            self._fold.done()

    def _documents(self, text: str) -> None:
        if self._status >= 400:
            self._error = error_in(as_json(text)) or f"HTTP {self._status}: {text[:200]}".strip()
        elif text.startswith("["):
            self._elements(text)
        elif not self._taken and isinstance(document := as_json(text), dict):
            self._taken = len(text)
            self._error = error_in(document)
            self._fold.whole(document)

    def _elements(self, text: str) -> None:
        """Take the elements of a JSON array that are there by now."""
        decoder = json.JSONDecoder()
        at = self._taken or 1
        while True:
            while at < len(text) and text[at] in " \t\r\n,":
                at += 1
            try:
                element, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return
            self._taken = at
            if isinstance(element, dict):
                self._error = self._error or error_in(element)
                self._fold.event(element)


def json_reply(document: Any, *, status: int = 200, **headers: str) -> Reply:
    """Make a reply of one JSON document."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return Reply(status, {**JSON_HEADERS, **named}, [body])


def stream_reply(events: Iterator[tuple[str | None, Any]]) -> Reply:
    """Make a reply of named events, one chunk each; a text is sent as it is."""
    chunks = []
    for name, event in events:
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        head = f"event: {name}\n" if name else ""
        chunks.append(f"{head}data: {data}\n\n".encode("utf-8", "replace"))
    return Reply(200, STREAM_HEADERS, chunks)
