"""What a wire format is: how a request is read, an answer is metered, and an answer of our own is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer in four disjoint buckets; None is unknown.

    Attributes
    ----------
    input_tokens
        Fresh input: neither read from a cache nor written to one.
    cache_read_tokens, cache_write_tokens
        Input read from a cache, and input written to one.
    output_tokens
        Output, reasoning included.
    long_cache_write_tokens
        Part of `cache_write_tokens` that is kept for longer (an hour at Anthropic) and costs more.
    """

    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    long_cache_write_tokens: int | None = None


@dataclass(frozen=True)
class Tool:
    """A tool that an agent offers its model: its name and the JSON schema of its input."""

    name: str
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolCall:
    """A tool call of the model: its name, id, and input (None where it is no JSON object).

    `raw` is the input as text where it is no JSON object. When a call is said, an empty id is
    filled with one of the format's own.
    """

    name: str
    id: str
    input: Mapping[str, Any] | None
    raw: str = ""


@dataclass(frozen=True)
class Asked:
    """One request, as far as the gateway needs to understand it.

    Attributes
    ----------
    kind
        `generate`, or `count` for a request that only counts tokens, or `other`.
    model
        Model asked for, as the program spelled it.
    stream
        Whether an event stream is asked for.
    tools
        Tools offered.
    opening
        Hash of what opens the conversation: what the user's side says before the model does, without
        the system prompt. The same in every request of one conversation.
    depth
        Model turns that the request already holds.
    results
        Tool results that are new in this request: (call id, text, whether it was an error).
    usage_asked
        Whether usage is wanted in a stream; Chat Completions sends it only when asked.
    array
        Whether the stream is one JSON array (Gemini without `alt=sse`).
    """

    kind: str
    model: str | None = None
    stream: bool = False
    tools: tuple[Tool, ...] = ()
    opening: str = ""
    depth: int = 0
    results: tuple[tuple[str, str, bool], ...] = ()
    usage_asked: bool = True
    array: bool = False


@dataclass(frozen=True)
class Answered:
    """One answer of the provider, as its own fields tell.

    Attributes
    ----------
    model
        Model that answered.
    usage
        From the provider's usage fields.
    stop_reason
        In the provider's words.
    calls
        Tool calls made.
    text
        Text said.
    complete
        Whether the answer came to its end; a stream that was cut did not, and an error is no answer.
    error
        The provider's error message, when it is one.
    """

    model: str | None = None
    usage: Usage = Usage()
    stop_reason: str | None = None
    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    complete: bool = False
    error: str | None = None


@dataclass(frozen=True)
class Say:
    """What a scripted model says: text, then tool calls; `length` cuts it off at the output limit."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage(100, 0, 0, 20)
    model: str = "scripted"
    length: bool = False


@dataclass(frozen=True)
class Reply:
    """A whole answer of our own: status, headers, and the body in the chunks it is sent in.

    `delay_s` is to be waited before the first byte, `gap_s` between chunks.
    """

    status: int
    headers: Mapping[str, str]
    chunks: Sequence[bytes]
    delay_s: float = 0.0
    gap_s: float = 0.0


class Reader(Protocol):
    """Reads an answer while it passes through, without holding it up."""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the body."""
        ...

    def answered(self) -> Answered:
        """What has been read so far."""
        ...


class Wire(Protocol):
    """One wire format. Everything here is pure: bytes and JSON in, values out."""

    name: str
    statuses: Mapping[str, int]

    def asks(self, method: str, path: str) -> bool:
        """Whether a request of this path (without the trial's own prefix) is of this format."""
        ...

    def read(self, path: str, body: bytes) -> Asked:
        """Read a request; one that cannot be read is of kind `other`.

        `path` has its query: Gemini says there how it wants its stream.
        """
        ...

    def reader(self, asked: Asked, status: int) -> Reader:
        """Make the reader of the answer to a request."""
        ...

    def say(self, asked: Asked, say: Say) -> Reply:
        """Say something as the model would, streamed when that was asked for."""
        ...

    def count(self, tokens: int) -> Reply:
        """Answer a request of kind `count`."""
        ...

    def refuse(self, status: int, kind: str, message: str) -> Reply:
        """An error in the format's own words.

        `kind` is one of `limit`, `rate_limit`, `overloaded`, `server`, `authentication`, `invalid`.
        Status 0 takes the one of `statuses`: for `limit`, the one at which clients give up at once.
        """
        ...

    def with_model(self, path: str, body: bytes, model: str) -> tuple[str, bytes]:
        """The same request for another model (path and body)."""
        ...

    def turns_in(self, body: bytes) -> Iterator[Mapping[str, Any]]:
        """The parts of the conversation, in order, each as JSON: what replay compares."""
        ...
