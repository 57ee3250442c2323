"""The web site's form, see docs/form.md."""

from __future__ import annotations

from beanrow.errors import OfficeError
from beanrow.members import Member

FIELDS = ("name", "street", "town", "postcode", "email", "phone", "plot")


def read_form(text: str, number: int) -> Member:
    values = dict.fromkeys(FIELDS, "")
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        key = key.strip().lower()
        if colon and key in values:
            values[key] = value.strip()
    for needed in ("name", "plot"):
        if not values[needed]:
            raise OfficeError(f"the form has no {needed}")
    return Member(number=number, **values)
