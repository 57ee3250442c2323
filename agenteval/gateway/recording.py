"""Recordings: every exchange of one trial in one file, zstd-compressed JSON lines, secrets masked."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import zstandard

from agenteval.errors import InvalidInput
from agenteval.sandbox import mask

ENDING = ".jsonl.zst"
End = Literal["whole", "broke", "left"]
FORMAT, VERSION = "agenteval-recording", 1
KEPT_HEADERS = ("content-type", "retry-after", "request-id", "x-request-id", "content-encoding")


@dataclass(frozen=True)
class Recorded:
    """One exchange as it was recorded.

    Attributes
    ----------
    seq
        Counts from 1.
    wire, kind
        Wire format, and whose request it was.
    method, path
        Of the request; the path without the trial's own part.
    request
        Body of the request.
    status, headers
        Of the answer; None where none came.
    chunks
        Seconds since the request, and bytes of the body that came then.
    end
        `whole`, or `broke` where the provider broke it off, or `left` where the agent did not wait.
    """

    seq: int
    wire: str
    kind: str
    method: str
    path: str
    request: bytes
    status: int | None
    headers: Mapping[str, str]
    chunks: tuple[tuple[float, bytes], ...] = ()
    end: End = "whole"

    @property
    def body(self) -> bytes:
        """Body of the answer."""
        return b"".join(data for _, data in self.chunks)


@dataclass(frozen=True)
class Recording:
    """A recording that was read: what its trial's folders were called, and the exchanges.

    `model` is the one that was asked for, `provider/name` or `scripted:...`; None in recordings of
    scripts that were made before they told which.
    """

    path: Path
    model: str | None
    places: Mapping[str, str] = field(default_factory=dict)
    exchanges: tuple[Recorded, ...] = ()


class Recorder:
    """Writes a recording, one line an exchange; what was written stays readable after a crash.

    Parameters
    ----------
    path
        File to write; its folder is made.
    model
        Model asked for, `provider/name` or `scripted:...`.
    secrets
        Name of each secret to its value.
    places
        Folders of the trial to a name each; may be named until the first exchange is kept.
    """

    def __init__(
        self,
        path: Path,
        *,
        model: str | None,
        secrets: Mapping[str, str],
        places: Mapping[str, str],
    ) -> None:
        self.secrets = dict(secrets)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb")
        self._out = zstandard.ZstdCompressor(level=6).stream_writer(self._file)
        self._model, self.places = model, dict(places)
        self._begun = False

    def keep(self, recorded: Recorded) -> None:
        """Write one exchange."""
        self._begin()
        request, chunks = mask(recorded.request, self.secrets), recorded.chunks
        masked = mask(recorded.body, self.secrets)
        if masked != recorded.body:
            # a secret may lie across chunks: they become one
            chunks = ((chunks[0][0], masked),)
        headers = {
            name.lower(): mask(value.encode(), self.secrets).decode()
            for name, value in recorded.headers.items()
            if name.lower() in KEPT_HEADERS
        }
        self._write(
            {
                "seq": recorded.seq,
                "wire": recorded.wire,
                "kind": recorded.kind,
                "method": recorded.method,
                "path": mask(recorded.path.encode(), self.secrets).decode(),
                "request": _text(request),
                "status": recorded.status,
                "headers": headers,
                "chunks": [[round(at, 4), _text(data)] for at, data in chunks],
                "end": recorded.end,
            }
        )

    def close(self) -> None:
        """End the file."""
        if not self._file.closed:
            self._begin()
            self._out.flush(zstandard.FLUSH_FRAME)
            self._file.close()

    def _begin(self) -> None:
        """Write the first line, unless it is there."""
        if not self._begun:
            self._begun = True
            head = {"format": FORMAT, "version": VERSION, "model": self._model}
            self._write({**head, "places": self.places})

    def _write(self, line: Mapping[str, Any]) -> None:
        self._out.write(
            json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        )
        self._out.flush(zstandard.FLUSH_BLOCK)


def read_recording(path: Path) -> Recording:
    """Read a recording; one that was cut off is read as far as it goes.

    Raises
    ------
    InvalidInput
        When it is none.
    """
    try:
        lines = list(_lines(path))
        head = json.loads(lines[0]) if lines else {}
        if head.get("format") != FORMAT:
            raise ValueError("its first line is not a recording's")
        if head.get("version") != VERSION:
            raise ValueError(f"it has version {head.get('version')}, this is {VERSION}")
        exchanges = tuple(_recorded(json.loads(line)) for line in lines[1:])
        return Recording(path, head.get("model"), dict(head.get("places") or {}), exchanges)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zstandard.ZstdError) as error:
        raise InvalidInput(
            f"The recording cannot be read: {error}",
            str(path),
            "name a file that `--record` made, or a folder of them",
        ) from error


def recording_of(place: Path, name: str) -> Path:
    """File of one trial's recording: `place` itself, or the one of that name in the folder.

    Parameters
    ----------
    place
        File, or a folder of recordings.
    name
        What the engine calls the trial in file names.
    """
    return place / f"{name}{ENDING}" if place.is_dir() else place


def _lines(path: Path) -> Iterator[bytes]:
    rest = b""
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        while data := reader.read(1 << 20):
            *whole, rest = (rest + data).split(b"\n")
            yield from whole


def _text(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _bytes(told: str | Mapping[str, str]) -> bytes:
    return told.encode() if isinstance(told, str) else base64.b64decode(told["base64"])


def _recorded(line: Mapping[str, Any]) -> Recorded:
    chunks: Sequence[tuple[float, Any]] = line["chunks"]
    return Recorded(
        seq=line["seq"],
        wire=line["wire"],
        kind=line["kind"],
        method=line["method"],
        path=line["path"],
        request=_bytes(line["request"]),
        status=line["status"],
        headers=dict(line["headers"]),
        chunks=tuple((at, _bytes(data)) for at, data in chunks),
        end=line["end"],
    )
