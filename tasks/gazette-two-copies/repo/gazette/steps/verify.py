"""Mailboxes that do not exist. The server is asked with the address as it will be used."""

from ..registry import step


@step("verify", after=("normalise", "bounce"))
def verify(copies, context):
    return [copy for copy in copies if not copy.address or context.exists(copy.address)]
