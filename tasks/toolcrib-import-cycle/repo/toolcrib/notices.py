"""The texts we print and mail."""

from . import clock
from .fees import fee_for
from .loans import days_late, is_overdue, open_loans
from .members import find


def _money(cents):
    return f"{cents // 100}.{cents % 100:02d}"


def receipt(store, loan):
    member = find(store, loan.member_id)
    lines = [f"{store.tools[loan.tool_id].name} back from {member.name}, thank you."]
    fee = fee_for(store, loan)
    if fee:
        late = days_late(loan)
        lines.append(f"{late} days late: {_money(fee)} to pay.")
    return "\n".join(lines)


def overdue_notice(store, loan, on=None):
    on = on or clock.today()
    member = find(store, loan.member_id)
    text = f"Dear {member.name}, {store.tools[loan.tool_id].name} was due on {loan.due_on}."
    fee = fee_for(store, loan, on)
    if fee:
        return f"{text} So far that is {_money(fee)}."
    return f"{text} Bring it soon and it costs nothing."


def overdue_notices(store, on=None):
    on = on or clock.today()
    return [overdue_notice(store, loan, on) for loan in open_loans(store) if is_overdue(loan, on)]
