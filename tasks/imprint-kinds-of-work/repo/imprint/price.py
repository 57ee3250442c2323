"""What it costs. The rules by kind are on file by name, see docs/quotes.md."""

from math import ceil

from .rates import RATES


class UnknownKind(Exception):
    pass


SETUP = 3500


def card(job):
    cents = SETUP + job.count * RATES["card"]
    if job.colours > 2:
        cents += job.count * 3
    return cents


def poster(job):
    area = job.width_mm * job.height_mm / 10_000
    cents = SETUP * job.colours + job.count * area * RATES["poster"]
    if job.options.get("varnish"):
        cents *= 1.2
    return ceil(cents)


def booklet(job):
    copy = ceil(job.options.get("pages", 8) / 4 * RATES["booklet"] * (1.5 if job.colours > 1 else 1))
    return 2 * SETUP + job.count * (copy + 25)


def sticker(job):
    cents = SETUP + job.count * RATES["sticker"]
    if job.options.get("varnish"):
        cents += job.count
    if job.options.get("cut") == "shape":
        cents += 4000
    return cents


def rule_of(job):
    if job.kind in ("card", "poster", "booklet", "sticker"):
        return f"imprint.price:{job.kind}"
    raise UnknownKind(job.kind)


def discounted(job, cents):
    """The quantity discount: five percent, rounded in favour of the house."""
    if job.kind != "sticker" and job.count >= 500:
        return ceil(cents * 0.95)
    return cents


def price(job):
    if job.kind == "card":
        cents = card(job)
    elif job.kind == "poster":
        cents = poster(job)
    elif job.kind == "booklet":
        cents = booklet(job)
    elif job.kind == "sticker":
        cents = sticker(job)
    else:
        raise UnknownKind(job.kind)
    return discounted(job, cents)
