from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Member:
    number: int
    name: str
    street: str
    town: str
    postcode: str
    plot: str
    email: str = ""
    phone: str = ""

    @property
    def erased(self) -> bool:
        return self.name == ERASED


ERASED = "(erased)"

# what a form or a duplicate may know better than nothing
FILLED_IN = ("email", "phone")

# the plot stays, the council wants to know which were let
PERSONAL = ("street", "town", "postcode", "email", "phone")


def merged(kept: Member, duplicate: Member) -> Member:
    """The kept one, with what it lacks from its duplicate."""
    missing = {
        field: getattr(duplicate, field) for field in FILLED_IN if not getattr(kept, field)
    }
    return replace(kept, **missing)


def erased(member: Member) -> Member:
    return replace(member, name=ERASED, **dict.fromkeys(PERSONAL, ""))
