"""The print shop's file, see docs/printshop.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple

from beanrow.members import Member


def printshop_lines(members: Iterable[Member]) -> list[str]:
    return [
        ";".join(str(value) for value in astuple(member))
        for member in sorted(members, key=lambda member: member.number)
        if not member.erased
    ]
