"""One copy for one address."""

from ..registry import step


@step("dedupe", after=("verify",), before=("households",))
def dedupe(copies, context):
    seen = set()
    kept = []
    for copy in copies:
        if copy.address and copy.address in seen:
            continue
        seen.add(copy.address)
        kept.append(copy)
    return kept
