"""Pictures of charts kept small: few colours, well packed, so that a page can hold many."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_COLOURS = 256
DROPPED_BITS = 3
# with more it is no drawing
MOST_REDUCED = 2000
RGBA, INDEXED = 6, 3
# how a pixel is written as a difference: not at all, from the left, from above
AS_IS, LEFT, ABOVE = 0, 1, 2


def packed(png: bytes) -> bytes:
    """Write a picture of flat colours in a seventh of the bytes.

    The renderer writes four bytes a pixel, quickly packed. A chart has few colours: they become a
    palette, without loss up to 256 of them; with more, the lowest bits of each channel are dropped
    until they fit, and where bands overlap too often for that, rare colours give way to the nearest
    frequent one. A picture of another kind is returned as it is.

    Parameters
    ----------
    png
        A PNG file as `vl_convert` writes it.
    """
    chunks = _chunks(png)
    width, height, *kind = struct.unpack(">IIBBBBB", dict(chunks)[b"IHDR"])
    if kind != [8, RGBA, 0, 0, 0]:
        return png
    lines = np.frombuffer(
        zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT")), np.uint8
    ).reshape(height, 1 + 4 * width)
    pixels = _pixels(lines, width)
    if pixels is None:
        return png
    kept = [chunk for chunk in chunks if chunk[0] == b"pHYs"]
    for bits in range(DROPPED_BITS + 1):
        colours, index = np.unique(_dropped(pixels, bits), return_inverse=True)
        if len(colours) <= MOST_COLOURS:
            break
    else:
        if len(colours) > MOST_REDUCED:
            return png
        colours, index = _nearest(colours, index.ravel())
    return _indexed(colours, index.reshape(height, width).astype(np.uint8), kept)


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(SIGNATURE)
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at : at + 8])
        found.append((name, png[at + 8 : at + 8 + size]))
        at += size + 12
    return found


def _pixels(lines: NDArray[np.uint8], width: int) -> NDArray[np.uint8] | None:
    """Undo the differences; None for a kind that this does not know."""
    kinds = np.unique(lines[:, 0])
    pixels = lines[:, 1:].reshape(len(lines), width, 4)
    if len(kinds) != 1 or kinds[0] not in (AS_IS, LEFT, ABOVE):
        return None
    if kinds[0] == AS_IS:
        return pixels
    return np.cumsum(pixels, axis=1 if kinds[0] == LEFT else 0, dtype=np.uint8)


def _dropped(pixels: NDArray[np.uint8], bits: int) -> NDArray[Any]:
    """Return each pixel as one number, without its lowest bits (white stays white)."""
    if bits:
        top = 255 >> bits
        pixels = ((pixels.astype(np.uint16) >> bits) * 255 // top).astype(np.uint8)
    return np.ascontiguousarray(pixels).view(np.uint32)[..., 0]


def _nearest(
    colours: NDArray[Any], index: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Keep the most frequent colours, and let each of the others be the nearest of them."""
    order = np.argsort(-np.bincount(index, minlength=len(colours)), kind="stable")
    kept = colours[order[:MOST_COLOURS]]
    channels = colours.view(np.uint8).reshape(-1, 4).astype(np.int32)
    shown = kept.view(np.uint8).reshape(-1, 4).astype(np.int32)
    place = np.array([np.argmin(((shown - one) ** 2).sum(axis=1)) for one in channels])
    return kept, place[index]


def _indexed(
    colours: NDArray[Any], index: NDArray[np.uint8], kept: list[tuple[bytes, bytes]]
) -> bytes:
    height, width = index.shape
    channels = colours.view(np.uint8).reshape(-1, 4)
    lines = np.zeros((height, 1 + width), np.uint8)
    lines[:, 1:] = index
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, INDEXED, 0, 0, 0)),
        *kept,
        (b"PLTE", channels[:, :3].tobytes()),
        *([] if (channels[:, 3] == 255).all() else [(b"tRNS", channels[:, 3].tobytes())]),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    ]
    return SIGNATURE + b"".join(
        struct.pack(">I4s", len(data), name) + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
