"""The slip that goes with the forme."""

from .paper import sheets
from .schedule import days

TITLES = {"card": "CARD", "poster": "POSTER", "booklet": "BOOKLET", "sticker": "STICKER"}


def ticket(job):
    title = TITLES.get(job.kind) or f"{job.kind.upper()} (old)"
    lines = [
        f"#{job.id}  {title}",
        f"{job.count} x {job.width_mm} x {job.height_mm} mm, {job.colours} col.",
    ]
    if job.kind == "booklet":
        pages = job.options.get("pages", 8)
        lines.append(f"{pages} pages, {'sewn' if pages > 48 else 'stapled'}")
    if job.kind == "card" and job.options.get("edge"):
        lines.append(f"edge: {job.options['edge']}")
    if job.kind == "sticker":
        lines.append(f"cut: {job.options.get('cut', 'square')}")
    if job.options.get("varnish"):
        if job.kind in ("card", "booklet"):
            lines.append("NO VARNISH (ask)")
        else:
            lines.append("varnish")
    lines.append(f"{sheets(job)} sheets, {days(job)} days")
    return "\n".join(lines)
