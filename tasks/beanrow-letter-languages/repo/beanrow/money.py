from decimal import Decimal

# by the first letter of the plot; A is the sunny side
RENTS = {"A": Decimal("64.50"), "B": Decimal("48.00")}
OTHERS = Decimal("39.25")


def rent_of(plot: str) -> Decimal:
    return RENTS.get(plot[:1], OTHERS)


def pounds(amount: Decimal) -> str:
    return f"£{amount:.2f}"
