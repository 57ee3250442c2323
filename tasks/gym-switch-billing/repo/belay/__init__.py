"""Monthly invoices for the climbing gyms."""

from belay.invoice import Invoice, Line, build_invoice
from belay.members import Member, PlanChange
from belay.periods import Period
from belay.plans import Plan, PriceList

__all__ = [
    "Invoice",
    "Line",
    "Member",
    "Period",
    "Plan",
    "PlanChange",
    "PriceList",
    "build_invoice",
]
