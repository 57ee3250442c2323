"""Colours: enough contrast on the page, and told apart with every kind of colour vision."""

import itertools

import numpy as np
import pytest

from agenteval.charts.series import DASHES, MOST_SERIES, SHAPES, legend_columns, series_of
from agenteval.charts.theme import PALETTES, palette_of

# Machado, Oliveira & Fernandes (2009), doi:10.1109/TVCG.2009.113, severity 1
VISION = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(colour):
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    light, dark = sorted(
        (float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b)), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ np.clip(rgb, 0, 1)
        / [0.9505, 1, 1.089]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(a, b, vision):
    seen = [lab(np.array(VISION[vision]) @ linear(colour)) for colour in (a, b)]
    return float(np.linalg.norm(seen[0] - seen[1]))


@pytest.mark.parametrize("theme", PALETTES)
def test_marks_and_texts_have_contrast(theme):
    colours = palette_of(theme)
    for colour in (*colours.series, colours.accent, colours.better, colours.worse):
        assert contrast(colour, colours.background) >= 3
    for colour in (colours.ink, colours.muted, colours.better, colours.worse):
        assert contrast(colour, colours.background) >= 4.5


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", PALETTES)
def test_better_worse_and_neutral_are_told_apart_by_all(theme, vision):
    colours = palette_of(theme)
    for a, b in itertools.combinations((colours.better, colours.worse, colours.neutral), 2):
        assert apart(a, b, vision) > 15


def test_a_series_is_told_apart_without_any_colour():
    assert len(SHAPES) == len(DASHES) == MOST_SERIES == len(palette_of("light").series)
    assert len(set(SHAPES)) == len(set(map(tuple, DASHES))) == MOST_SERIES
    names = [f"arm {i}" for i in range(12)]
    series = series_of(names, palette_of("light"))
    for encoding in (series.color, series.shape, series.dash):
        scale = encoding.to_dict()["scale"]
        assert len(scale["domain"]) == len(scale["range"]) == MOST_SERIES
    assert legend_columns(["a very long name of an arm that fills the line"] * 4, 400) == 1
    assert legend_columns(["a", "b"], 400) == 2
