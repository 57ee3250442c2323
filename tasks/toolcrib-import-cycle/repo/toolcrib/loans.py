"""Handing tools out and taking them back."""

from datetime import timedelta

from . import clock, settings
from .members import find, standing
from .models import Loan


class Refused(Exception):
    """The member may not have this tool now. The text is shown at the desk."""


def open_loans(store, member_id=None):
    """Loans not yet returned, the one due first at the front."""
    found = [
        loan
        for loan in store.loans.values()
        if loan.is_open and member_id in (None, loan.member_id)
    ]
    return sorted(found, key=lambda loan: (loan.due_on, loan.id))


def is_overdue(loan, on=None):
    """Still out after the due day. Grace does not count here, it is about money."""
    on = on or clock.today()
    return loan.is_open and on > loan.due_on


def days_late(loan, on=None):
    """Days to be paid for: none within grace, and all of them after it."""
    end = loan.returned_on or on or clock.today()
    days = (end - loan.due_on).days
    return days if days > settings.GRACE_DAYS else 0


def checkout(store, member_id, tool_id, on=None):
    on = on or clock.today()
    member = find(store, member_id)
    tool = store.tools.get(tool_id)
    if tool is None:
        raise LookupError(f"no tool {tool_id!r}")
    if any(loan.tool_id == tool_id for loan in open_loans(store)):
        raise Refused(f"{tool.name} is out")
    state = standing(store, member_id, on)
    if state != "ok":
        raise Refused(f"{member.name} is {state}")
    loan = Loan(
        id=store.next_loan_id(),
        tool_id=tool_id,
        member_id=member_id,
        due_on=on + timedelta(days=settings.LOAN_DAYS[tool.kind]),
    )
    store.loans[loan.id] = loan
    return loan


def give_back(store, loan_id, on=None):
    """Closes the loan and returns the text of the receipt."""
    from .notices import receipt  # circular otherwise

    loan = store.loans.get(loan_id)
    if loan is None or not loan.is_open:
        raise LookupError(f"no open loan {loan_id}")
    loan.returned_on = on or clock.today()
    return receipt(store, loan)
