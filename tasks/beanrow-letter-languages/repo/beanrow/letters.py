"""Letters from templates. `{name}` and so on are filled in, see PLACES."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from beanrow.errors import OfficeError
from beanrow.members import Member
from beanrow.money import pounds, rent_of

TEMPLATES = Path(__file__).resolve().parent / "templates"
PLACES = ("name", "street", "town", "postcode", "plot", "amount", "today", "due")
DAYS_TO_PAY = 28


def long_date(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def kinds() -> list[str]:
    return sorted(path.stem for path in TEMPLATES.glob("*.txt"))


def write_letter(kind: str, member: Member, today: date) -> str:
    """The letter as it goes into the envelope."""
    if kind not in kinds():
        raise OfficeError(f"no letter {kind!r}; there are {', '.join(kinds())}")
    if member.erased:
        raise OfficeError(f"member {member.number} is erased")
    template = (TEMPLATES / f"{kind}.txt").read_text(encoding="utf-8")
    values = {
        "name": member.name,
        "street": member.street,
        "town": member.town,
        "postcode": member.postcode,
        "plot": member.plot,
        "amount": pounds(rent_of(member.plot)),
        "today": long_date(today),
        "due": long_date(today + timedelta(days=DAYS_TO_PAY)),
    }
    # not str.format: the office likes to write things like "{sic}"
    for place in PLACES:
        template = template.replace("{" + place + "}", values[place])
    return template
