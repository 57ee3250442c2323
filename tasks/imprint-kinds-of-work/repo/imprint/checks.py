"""What is wrong with an order, in the order in which we ask the customer about it."""


def problems(job):
    if job.kind not in ("card", "poster", "booklet", "sticker"):
        return [f"unknown kind {job.kind}"]
    found = []
    if job.count < 1:
        found.append("nothing to print")
    limit = {"card": (210, 210), "booklet": (250, 350)}.get(job.kind, (500, 700))
    if min(job.width_mm, job.height_mm) > limit[0] or max(job.width_mm, job.height_mm) > limit[1]:
        found.append(f"too big, at most {limit[0]} x {limit[1]}")
    if job.kind == "booklet" and job.options.get("pages", 8) % 4:
        found.append("pages come in fours")
    if job.colours > (2 if job.kind == "booklet" else 4):
        found.append("too many colours")
    if job.options.get("varnish") and job.kind in ("card", "booklet"):
        found.append(f"no varnish on a {job.kind}")
    if job.kind == "sticker" and job.options.get("cut") not in (None, "square", "shape"):
        found.append(f"cannot cut {job.options['cut']}")
    return found
