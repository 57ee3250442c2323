"""Where the names beside points go, so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence

LETTER, LINE = 6.3, 13
# up to the left of a good arm there is seldom another
SIDES = (("left", "above"), ("right", "below"), ("left", "below"), ("right", "above"))
OVERHANG = 130
AWAY = {"right": 8, "left": -8, "below": 11, "above": -9}


def label_places(
    points: Sequence[tuple[float, float, str]], width: float, height: float
) -> list[str]:
    """Choose for each name a side of its point, the first names first.

    Parameters
    ----------
    points
        Place of each point in pixels from the upper left corner, and its name.
    width, height
        Size of the plot in pixels.

    Returns
    -------
    list of str
        `left above`, `right below`, `left below`, `right above`, or nothing where all would cover
        another name or leave the plot.
    """
    taken: list[tuple[float, float, float, float]] = []
    found = []
    for x, y, name in points:
        place = ""
        for across, updown in SIDES:
            long = LETTER * len(name)
            left = x + AWAY[across] - (long if across == "left" else 0)
            box = (left, left + long, y + AWAY[updown] - LINE / 2, y + AWAY[updown] + LINE / 2)
            inside = box[0] >= 0 and box[1] <= width + OVERHANG and box[2] >= 0 and box[3] <= height
            if inside and not any(_cover(box, other) for other in taken):
                place = f"{across} {updown}"
                taken.append(box)
                break
        found.append(place)
    return found


def _cover(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
