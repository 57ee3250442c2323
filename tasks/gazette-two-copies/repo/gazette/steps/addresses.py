"""Those without a mail address are printed."""

from dataclasses import replace

from ..registry import step


@step("postal", after=("households",))
def postal(copies, context):
    return [copy if copy.address else replace(copy, printed=True) for copy in copies]
