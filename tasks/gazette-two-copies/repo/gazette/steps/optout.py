from ..registry import step


@step("optout", after=("normalise",))
def optout(copies, context):
    lines = context.settings.path("optout").read_text("utf-8").split()
    gone = {line.lower() for line in lines}
    return [copy for copy in copies if copy.address not in gone]
