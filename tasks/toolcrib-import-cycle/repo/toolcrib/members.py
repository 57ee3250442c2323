"""Who somebody is to us, and whether they may borrow."""

from . import clock, settings


def find(store, member_id):
    try:
        return store.members[member_id]
    except KeyError:
        raise LookupError(f"no member {member_id}") from None


def tier(member, on=None):
    if member.steward:
        return "steward"
    on = on or clock.today()
    return "member" if member.paid_until >= on else "guest"


def standing(store, member_id, on=None):
    """``ok``, ``full`` (has as many tools as the tier allows) or ``blocked``."""
    # in here because loans imports us, sorry
    from .fees import balance
    from .loans import is_overdue, open_loans

    on = on or clock.today()
    member = find(store, member_id)
    if balance(store, member_id, on) >= settings.BLOCK_AT_CENTS:
        return "blocked"
    held = open_loans(store, member_id)
    for loan in held:
        if is_overdue(loan, on) and (on - loan.due_on).days > settings.BLOCK_AFTER_DAYS:
            return "blocked"
    if len(held) >= settings.MAX_OPEN_LOANS[tier(member, on)]:
        return "full"
    return "ok"
