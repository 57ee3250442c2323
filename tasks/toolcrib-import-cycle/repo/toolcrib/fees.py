"""What a late loan costs."""

from . import settings
from .members import find, tier


def fee_for(store, loan, on=None):
    """Cents for one loan, as of ``on`` if it is still out."""
    from .loans import days_late  # loans -> members -> fees -> loans

    late = days_late(loan, on)
    if not late:
        return 0
    cents = late * settings.FEE_CENTS_PER_DAY[store.tools[loan.tool_id].kind]
    if tier(find(store, loan.member_id), on) == "steward":
        cents //= 2
    return min(cents, settings.MAX_FEE_CENTS)


def balance(store, member_id, on=None):
    """Cents a member owes: every loan, out or back, that is not settled."""
    return sum(
        fee_for(store, loan, on)
        for loan in store.loans.values()
        if loan.member_id == member_id and not loan.fee_settled
    )
