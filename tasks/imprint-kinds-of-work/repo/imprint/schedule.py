"""Working days, and the plan for the week."""

PRICE_LIST = ["card", "poster", "booklet", "sticker"]


def days(job):
    if job.kind == "card":
        needed = 2
    elif job.kind == "booklet":
        needed = 4 + job.options.get("pages", 8) // 32
    else:
        needed = 3
        if job.kind == "poster" and max(job.width_mm, job.height_mm) > 500:
            needed += 1
    # every colour after the second has to dry for a day; varnish as well
    needed += max(0, job.colours - 2)
    if job.options.get("varnish") and job.kind in ("poster", "sticker"):
        needed += 1
    return needed


def plan(jobs):
    def place(job):
        known = job.kind in PRICE_LIST
        return (days(job), PRICE_LIST.index(job.kind) if known else len(PRICE_LIST), job.id)

    return sorted(jobs, key=place)
