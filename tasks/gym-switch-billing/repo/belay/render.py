"""Plain text, 48 columns, because that is what the desk's printer takes."""

from __future__ import annotations

from belay.invoice import Invoice
from belay.money import format_cents
from belay.plans import PriceList

WIDTH = 48


def invoice_text(invoice: Invoice, name: str, prices: PriceList) -> str:
    rows = [
        f"{name} ({invoice.member_id})",
        f"{invoice.period.first} to {invoice.period.last}",
        "-" * WIDTH,
    ]
    for line in invoice.lines:
        title = line.title
        if line.days is not None and line.days != invoice.period.days:
            title += f", {line.days} days"
        rows.append(_row(title, line.cents))
    rows.append("-" * WIDTH)
    rows.append(_row("Subtotal", invoice.subtotal_cents))
    rows.append(_row(f"Tax {prices.tax_percent}%", invoice.tax_cents))
    rows.append(_row("Total", invoice.total_cents))
    return "\n".join(rows)


def occupancy_text(counts: dict[str, int]) -> str:
    rows = [f"{plan:<38}{days:>10}" for plan, days in counts.items()]
    rows.append(f"{'total':<38}{sum(counts.values()):>10}")
    return "\n".join(rows)


def _row(title: str, cents: int) -> str:
    return f"{title:<36}{format_cents(cents):>12}"
