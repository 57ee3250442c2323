"""An answer on its way to the agent, wherever it comes from."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import zstandard

from agenteval.gateway.handed import HandOn
from agenteval.gateway.quota import LIMITED, Later
from agenteval.gateway.recording import End
from agenteval.gateway.wire.protocol import Answered, Reader

PIECE = 1 << 17
LONGEST_WORDS = 500

# the operator's to mend, not the agent's: a key, a bill, a model that is not there
OPERATORS = frozenset({401, 402, 403, 404})


def is_providers(status: int) -> bool:
    """Whether a status says that the provider failed, or the operator's account there."""
    return status >= 500 or status in LIMITED or status in OPERATORS


def said_of(error: BaseException) -> str:
    """What an error says, in few words: some quote all that came.

    >>> said_of(TimeoutError()), len(said_of(ValueError("x" * 100_000)))
    ('TimeoutError', 504)
    """
    said = str(error) or type(error).__name__
    return said if len(said) <= LONGEST_WORDS else f"{said[:LONGEST_WORDS]} ..."


class BrokeOff(Exception):
    """The connection on which an answer comes ended before the answer did."""


@dataclass
class Answer:
    """Status, headers and the body as it comes.

    Attributes
    ----------
    status, headers
        As they are given to the agent.
    chunks
        The body; raises `BrokeOff` or an error of the connection where it ends too early.
    told
        All headers of the provider.
    provider_error
        Whether it is a failure of the provider, or of the operator's account there.
    later
        What a refusal means.
    note
        What went wrong, in words.
    hand_on
        Hands the body on in place of `chunks`, where it comes from a provider.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]
    told: Mapping[str, str] = field(default_factory=dict)
    provider_error: bool = False
    later: Later | None = None
    note: str | None = None
    hand_on: HandOn | None = None


async def chunks_of(
    chunks: Iterable[bytes], *, end: End = "whole", late_s: float = 0.0, gap_s: float = 0.0
) -> AsyncIterator[bytes]:
    """Give chunks, the first one late; then break off, or say nothing more until the agent leaves."""
    if late_s:
        await asyncio.sleep(late_s)
    for chunk in chunks:
        yield chunk
        if gap_s:
            await asyncio.sleep(gap_s)
    if end == "left":
        await asyncio.get_running_loop().create_future()
    if end == "broke":
        raise BrokeOff("the answer broke off")


class _Decompressing(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


class Decoder:
    """Reads along in a compressed body; what passes through stays as it is.

    Parameters
    ----------
    encoding
        Value of Content-Encoding; one that is not known gives nothing.
    """

    def __init__(self, encoding: str) -> None:
        encoding = encoding.strip().lower()
        self._plain = encoding in ("", "identity")
        self._inner: _Decompressing | None = None
        if encoding in ("gzip", "x-gzip", "deflate"):
            self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        elif encoding == "zstd":
            self._inner = zstandard.ZstdDecompressor().decompressobj()

    def feed(self, chunk: bytes) -> bytes:
        """What these bytes add to the decoded body."""
        if self._plain:
            return chunk
        if self._inner is None:
            return b""
        try:
            return self._inner.decompress(chunk)
        except (zlib.error, zstandard.ZstdError):
            self._inner = None
            return b""


class ReadAlong:
    """Reads an answer that passes, in large pieces: in small ones it would cost several times more.

    Parameters
    ----------
    reader
        Of the wire format.
    encoding
        Value of Content-Encoding.
    """

    def __init__(self, reader: Reader, encoding: str) -> None:
        self._reader, self._decoder = reader, Decoder(encoding)
        self._waiting: list[bytes] = []
        self._bytes = 0

    def take(self, chunk: bytes) -> None:
        """Take the next bytes of the body."""
        self._waiting.append(chunk)
        self._bytes += len(chunk)
        if self._bytes >= PIECE:
            self._read()

    def answered(self) -> Answered:
        """What has passed so far."""
        self._read()
        return self._reader.answered()

    def _read(self) -> None:
        self._reader.feed(self._decoder.feed(b"".join(self._waiting)))
        self._waiting, self._bytes = [], 0
