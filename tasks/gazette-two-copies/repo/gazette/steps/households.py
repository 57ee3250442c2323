"""One copy for a household that wants one: the first of them who is on the list."""

from ..registry import step


@step("households")
def households(copies, context):
    served = set()
    kept = []
    for copy in copies:
        if copy.one_copy and copy.household:
            if copy.household in served:
                continue
            served.add(copy.household)
        kept.append(copy)
    return kept
