"""Lends the workshop's tools and remembers who has them."""

from .loans import Refused, checkout, give_back
from .models import Loan, Member, Tool
from .store import Store

__all__ = ["Loan", "Member", "Refused", "Store", "Tool", "checkout", "give_back"]
__version__ = "2.3.1"
