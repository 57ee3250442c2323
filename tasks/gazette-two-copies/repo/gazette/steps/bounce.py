"""Addresses whose mail has come back too often."""

from collections import Counter

from ..people import read_column
from ..registry import step

ENOUGH = 3


@step("bounce", after=("optout",))
def bounce(copies, context):
    came_back = Counter(read_column(context.settings.path("bounces"), "address"))
    return [copy for copy in copies if came_back[copy.address] < ENOUGH]
