"""Sheets to cut. A sheet is 500 by 700."""

from math import ceil

SHEET = (500, 700)


def _up(width, height):
    """How many go on a sheet, whichever way round they lie."""
    straight = (SHEET[0] // width) * (SHEET[1] // height)
    turned = (SHEET[0] // height) * (SHEET[1] // width)
    return max(straight, turned, 1)


def sheets(job):
    if job.kind == "card":
        net = ceil(job.count / _up(job.width_mm, job.height_mm))
    elif job.kind == "poster":
        # one on each, and more waste, they show every speck
        return job.count + ceil(job.count / 10)
    elif job.kind == "booklet":
        net = job.count * ceil(job.options.get("pages", 8) / 4)
        net = ceil(net / _up(2 * job.width_mm, job.height_mm))
        if job.options.get("cover"):
            net += ceil(job.count / 4)
    else:
        net = ceil(job.count / 24)
    return net + max(5, ceil(net / 50))
