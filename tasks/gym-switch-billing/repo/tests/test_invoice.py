from belay import Period, build_invoice

APRIL = Period.month("2025-04")


def test_whole_month(prices, member):
    invoice = build_invoice(member(("2024-01-01", "plus")), APRIL, prices)
    assert [(line.code, line.days, line.cents) for line in invoice.lines] == [
        ("plus", 30, 7500)
    ]
    assert invoice.tax_cents == 638
    assert invoice.total_cents == 8138


def test_joining_in_the_middle(prices, member):
    invoice = build_invoice(member(("2025-04-16", "basic")), APRIL, prices)
    assert invoice.lines[0].days == 15
    assert invoice.subtotal_cents == 2250


def test_the_leaving_day_is_paid_for(prices, member):
    invoice = build_invoice(
        member(("2024-01-01", "basic"), left_on="2025-04-12"), APRIL, prices
    )
    assert invoice.lines[0].days == 12
    assert invoice.subtotal_cents == 1800


def test_addons_in_full(prices, member):
    invoice = build_invoice(
        member(("2025-04-30", "basic"), addons=["locker"]), APRIL, prices
    )
    assert [line.cents for line in invoice.lines] == [150, 630]


def test_nothing_after_leaving(prices, member):
    gone = member(("2024-01-01", "basic"), left_on="2025-03-31", addons=["locker"])
    invoice = build_invoice(gone, APRIL, prices)
    assert invoice.lines == ()
    assert invoice.total_cents == 0


def test_switch_next_month_changes_nothing_yet(prices, member):
    invoice = build_invoice(
        member(("2024-01-01", "basic"), ("2025-05-03", "plus")), APRIL, prices
    )
    assert invoice.subtotal_cents == 4500


def test_switch_has_a_line_for_each_plan(prices, member):
    # TODO also look at the amounts
    invoice = build_invoice(
        member(("2024-01-01", "basic"), ("2025-04-11", "plus")), APRIL, prices
    )
    assert [line.code for line in invoice.lines] == ["basic", "plus"]
