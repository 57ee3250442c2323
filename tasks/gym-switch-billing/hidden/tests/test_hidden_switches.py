import math
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from belay import Member, Period, Plan, PlanChange, PriceList, build_invoice
from belay.cli import main
from belay.occupancy import person_days

APRIL = Period.month("2025-04")
MAY = Period.month("2025-05")


def price_list(tax="0", addons=(), **monthly_cents):
    return PriceList(
        plans={code: Plan(code, code, cents) for code, cents in monthly_cents.items()},
        addons={code: Plan(code, code, cents) for code, cents in addons},
        tax_percent=Decimal(tax),
    )


def member(*changes, left_on=None, addons=()):
    return Member(
        "M-7",
        "Somebody",
        tuple(PlanChange(date.fromisoformat(on), plan) for on, plan in changes),
        left_on=date.fromisoformat(left_on) if left_on else None,
        addons=tuple(addons),
    )


def plan_lines(invoice):
    return [(line.code, line.days, line.cents) for line in invoice.lines]


def half_up(exact):
    return math.floor(exact + Fraction(1, 2))


PRICES = price_list(basic=4500, plus=7500)


def test_switch_day_belongs_to_the_new_plan():
    priya = member(("2024-11-05", "basic"), ("2025-04-11", "plus"))
    invoice = build_invoice(priya, APRIL, PRICES)
    assert plan_lines(invoice) == [("basic", 10, 1500), ("plus", 20, 5000)]
    assert invoice.subtotal_cents == 6500


def test_switch_on_the_first_hides_the_old_plan():
    invoice = build_invoice(
        member(("2024-11-05", "basic"), ("2025-04-01", "plus")), APRIL, PRICES
    )
    assert plan_lines(invoice) == [("plus", 30, 7500)]


def test_switch_on_the_last_day():
    invoice = build_invoice(
        member(("2024-11-05", "basic"), ("2025-04-30", "plus")), APRIL, PRICES
    )
    assert plan_lines(invoice) == [("basic", 29, 4350), ("plus", 1, 250)]


def test_switch_on_the_first_of_the_next_month():
    changes = ("2024-11-05", "basic"), ("2025-05-01", "plus")
    invoice = build_invoice(member(*changes), APRIL, PRICES)
    assert plan_lines(invoice) == [("basic", 30, 4500)]


def test_corrected_on_the_same_day():
    changes = (
        ("2024-11-05", "basic"),
        ("2025-04-11", "early"),
        ("2025-04-11", "plus"),
    )
    prices = price_list(basic=4500, early=3750, plus=7500)
    invoice = build_invoice(member(*changes), APRIL, prices)
    assert plan_lines(invoice) == [("basic", 10, 1500), ("plus", 20, 5000)]


def test_leaving_day_is_still_paid_after_a_switch():
    leaver = member(
        ("2024-11-05", "basic"), ("2025-04-11", "plus"), left_on="2025-04-14"
    )
    invoice = build_invoice(leaver, APRIL, PRICES)
    assert plan_lines(invoice) == [("basic", 10, 1500), ("plus", 4, 1000)]


def test_occupancy_counts_every_day_once():
    members = [
        member(("2024-11-05", "basic"), ("2025-04-11", "plus")),
        member(("2024-11-05", "basic"), ("2025-04-01", "plus")),
        member(("2024-11-05", "plus"), left_on="2025-04-05"),
    ]
    assert person_days(members, APRIL) == {"basic": 10, "plus": 20 + 30 + 5}


def test_same_price_all_month_is_the_price():
    prices = price_list(plus=7500, harbour=7500)
    jonas = member(
        ("2024-06-01", "plus"), ("2025-05-12", "harbour"), ("2025-05-22", "plus")
    )
    invoice = build_invoice(jonas, MAY, prices)
    assert plan_lines(invoice) == [
        ("plus", 11, 2661),
        ("harbour", 10, 2419),
        ("plus", 10, 2420),
    ]
    assert invoice.subtotal_cents == 7500


def test_last_line_can_also_be_a_cent_less():
    prices = price_list(a=4999, b=4999)
    invoice = build_invoice(
        member(("2024-06-01", "a"), ("2025-05-12", "b"), ("2025-05-22", "a")),
        MAY,
        prices,
    )
    assert [line.cents for line in invoice.lines] == [1774, 1613, 1612]


@pytest.mark.parametrize("first_switch", range(2, 31, 3))
@pytest.mark.parametrize("second_switch", range(3, 32, 4))
def test_lines_add_up_to_the_amount_rounded_once(first_switch, second_switch):
    if second_switch <= first_switch:
        first_switch, second_switch = second_switch - 1, first_switch + 1
    cents = {"a": 2990, "b": 4999, "c": 7501}
    somebody = member(
        ("2024-06-01", "a"),
        (f"2025-05-{first_switch:02d}", "b"),
        (f"2025-05-{second_switch:02d}", "c"),
    )
    invoice = build_invoice(somebody, MAY, price_list(**cents))
    exact = [Fraction(cents[line.code] * line.days, 31) for line in invoice.lines]
    assert sum(line.days for line in invoice.lines) == 31
    assert [line.cents for line in invoice.lines[:-1]] == [
        half_up(share) for share in exact[:-1]
    ]
    assert invoice.subtotal_cents == half_up(sum(exact))


def test_half_a_cent_goes_up():
    # 15 of 30 days of 45.01 are 22.505
    invoice = build_invoice(
        member(("2025-04-16", "odd")), APRIL, price_list(odd=4501)
    )
    assert plan_lines(invoice) == [("odd", 15, 2251)]


def test_half_a_cent_goes_up_before_the_last_line_too():
    invoice = build_invoice(
        member(("2024-01-01", "odd"), ("2025-04-16", "other")),
        APRIL,
        price_list(odd=4501, other=4501),
    )
    assert [line.cents for line in invoice.lines] == [2251, 2250]


def test_addons_do_not_take_the_odd_cent():
    prices = price_list(addons=[("locker", 630)], plus=7500, harbour=7500)
    jonas = member(
        ("2024-06-01", "plus"),
        ("2025-05-12", "harbour"),
        ("2025-05-22", "plus"),
        addons=["locker"],
    )
    invoice = build_invoice(jonas, MAY, prices)
    assert [line.cents for line in invoice.lines] == [2661, 2419, 2420, 630]


def test_tax_is_calculated_once_on_the_subtotal():
    prices = price_list(
        tax="8.5", addons=[("locker", 606), ("towel", 606)], basic=4506
    )
    invoice = build_invoice(
        member(("2024-01-01", "basic"), addons=["locker", "towel"]), APRIL, prices
    )
    # 57.18 x 8.5% = 4.8603; line by line it would be 3.83 + 0.52 + 0.52
    assert invoice.tax_cents == 486
    assert invoice.total_cents == 5718 + 486


def test_half_a_cent_of_tax_goes_up():
    # 45.00 x 8.5% = 3.825
    invoice = build_invoice(
        member(("2024-01-01", "basic")), APRIL, price_list(tax="8.5", basic=4500)
    )
    assert invoice.tax_cents == 383


def test_printed_invoice_of_the_report(capsys):
    assert main(["invoice", "M-1042", "--month", "2025-04"]) == 0
    rows = [line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    amounts = {row[0]: row[1] for row in rows if len(row) == 2}
    assert amounts["Basic, 10 days"] == "15.00"
    assert amounts["Plus, 20 days"] == "50.00"
    assert amounts["Total"] == "70.53"
