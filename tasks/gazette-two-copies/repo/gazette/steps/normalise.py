"""Addresses as a machine would write them."""

import re
from dataclasses import replace

from ..registry import step

TAG = re.compile(r"\+[^@]*(?=@)")


def normalised(address):
    return TAG.sub("", address.strip().lower())


@step("normalise")
def normalise(copies, context):
    return [replace(copy, address=normalised(copy.address)) for copy in copies]
