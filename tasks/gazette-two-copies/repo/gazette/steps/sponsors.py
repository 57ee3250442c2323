"""docs/sponsors.md"""

import csv

from ..model import Copy
from ..registry import step


@step("sponsors", after=("dedupe", "households"))
def sponsors(copies, context):
    with open(context.settings.path("sponsors"), newline="", encoding="utf-8") as file:
        return copies + [
            Copy(row["contact"], row["address"], note="sponsor's copy") for row in csv.DictReader(file)
        ]
