"""Jobs since 2009, see docs/archive.md."""

from collections import Counter

from .paper import sheets
from .schedule import days


def listing(jobs):
    lines = [
        f"{job.id:>6}  {job.kind:<10}{job.count:>6}{sheets(job):>6} sheets{days(job):>3} days"
        for job in sorted(jobs, key=lambda job: job.id)
    ]
    counts = Counter(job.kind for job in jobs)
    known = [kind for kind in ("card", "poster", "booklet", "sticker") if counts[kind]]
    others = sorted(kind for kind in counts if kind not in known)
    lines += [f"{kind}: {counts[kind]}" for kind in [*known, *others]]
    return "\n".join(lines)
