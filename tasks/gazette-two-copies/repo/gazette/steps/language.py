from dataclasses import replace

from ..registry import step


@step("language", after=("normalise",))
def language(copies, context):
    return [copy if copy.language else replace(copy, language="de") for copy in copies]
