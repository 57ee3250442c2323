"""Pictures are packed without a visible difference, and what is not understood is left alone."""

import struct
import zlib
from typing import Any

import numpy as np
import pytest
import vl_convert

from agenteval import charts
from agenteval.charts.png import SIGNATURE, packed
from agenteval.comparison import scoreboard


def written(pixels, kind=6, filters: Any = 0):
    height, width = pixels.shape[:2]
    lines = np.zeros((height, 1 + 4 * width), np.uint8)
    lines[:, 0] = filters
    delta = pixels.copy()
    if np.all(filters == 1):
        delta[:, 1:] = pixels[:, 1:] - pixels[:, :-1]
    if np.all(filters == 2):
        delta[1:] = pixels[1:] - pixels[:-1]
    lines[:, 1:] = delta.reshape(height, -1)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 1)),
        (b"IEND", b""),
    ]
    return SIGNATURE + b"".join(
        struct.pack(">I4s", len(data), name) + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def read(png):
    """Decode an indexed picture, checking every checksum."""
    assert png.startswith(SIGNATURE)
    chunks, at = {}, 8
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at : at + 8])
        chunks[name] = png[at + 8 : at + 8 + size]
        (check,) = struct.unpack(">I", png[at + 8 + size : at + 12 + size])
        assert check == zlib.crc32(name + chunks[name])
        at += size + 12
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind) == (8, 3)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + width)
    palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
    alpha = np.frombuffer(chunks.get(b"tRNS", b"\xff" * len(palette)), np.uint8)
    return np.concatenate([palette, alpha[:, None]], axis=1)[lines[:, 1:]]


def flat(colours, seed=0, alpha=255):
    rng = np.random.default_rng(seed)
    some = rng.integers(0, 256, (colours, 4)).astype(np.uint8)
    some[:, 3] = alpha
    return some[np.resize(np.arange(colours), (40, 60))]


@pytest.mark.parametrize("filters", [0, 1, 2])
@pytest.mark.parametrize("alpha", [255, 120])
def test_up_to_256_colours_nothing_is_lost(filters, alpha):
    pixels = flat(256, alpha=alpha)
    np.testing.assert_array_equal(read(packed(written(pixels, filters=filters))), pixels)


def test_more_colours_lose_their_lowest_bits_and_white_stays_white():
    ramp = np.full((40, 600, 4), 255, np.uint8)
    ramp[:, 1:, 0] = np.arange(599) % 256
    ramp[:, 1:, 1] = np.arange(599) // 5
    found = read(packed(written(ramp, filters=1)))
    assert np.abs(found.astype(int) - ramp.astype(int)).max() <= 32
    np.testing.assert_array_equal(found[:, 0], ramp[:, 0])


def test_what_is_not_understood_is_left_alone():
    mixed = np.zeros(40, np.uint8)
    mixed[0] = 4
    noise = np.random.default_rng(1).integers(0, 256, (40, 60, 4)).astype(np.uint8)
    for png in (written(flat(3), kind=2), written(flat(3), filters=mixed), written(noise)):
        assert packed(png) == png


def test_a_chart_shrinks_to_a_third_at_most(drawn_trials):
    spec = scoreboard(drawn_trials()).plot().to_dict()
    plain = vl_convert.vegalite_to_png(spec, scale=1.5)
    small = charts.to_png(spec)
    assert len(small) * 3 < len(plain)
    assert read(small).shape[2] == 4


def test_a_gradient_of_many_colours_keeps_the_frequent_ones_and_nears_the_rest():
    steps = np.linspace(0, 255, 60).astype(np.uint8)
    picture = np.zeros((40, 60, 4), np.uint8)
    picture[..., 0], picture[..., 1], picture[..., 3] = steps, steps[:40, None], 255
    picture[:, :20] = (255, 255, 255, 255)
    seen = read(packed(written(picture)))
    assert (seen[:, :20] == 255).all()
    assert np.abs(seen.astype(int) - picture).mean() <= 8
