from datetime import date, timedelta

import pytest

from toolcrib import clock
from toolcrib.loans import Refused, checkout, days_late, give_back, is_overdue, open_loans


def test_open_loans_come_in_the_order_they_are_due(store):
    assert [loan.id for loan in open_loans(store)] == [201, 203]
    assert [loan.id for loan in open_loans(store, 31)] == [203]


def test_all_days_count_once_grace_is_over(store):
    loan = store.loans[201]
    assert days_late(loan, loan.due_on + timedelta(days=2)) == 0
    assert days_late(loan, loan.due_on + timedelta(days=3)) == 3


def test_overdue_knows_no_grace(store, on):
    assert is_overdue(store.loans[201], on)
    assert not is_overdue(store.loans[202], on)


def test_checkout_sets_the_due_day_by_kind(store, on):
    assert checkout(store, 17, "router", on).due_on == on + timedelta(days=7)


def test_a_tool_goes_out_once(store, on):
    with pytest.raises(Refused, match="Hand planer is out"):
        checkout(store, 23, "planer", on)


def test_a_lapsed_member_holds_one_tool(store, on):
    with pytest.raises(Refused, match="Meera Nair is full"):
        checkout(store, 31, "router", on)


def test_return_prints_a_receipt(store):
    text = give_back(store, 201, date(2024, 4, 14))
    assert text == "Hand planer back from Ines Duarte, thank you.\n4 days late: 5.00 to pay."
    with pytest.raises(LookupError):
        give_back(store, 201)


def test_today_can_be_replaced(store, monkeypatch):
    monkeypatch.setattr(clock, "today", lambda: date(2024, 4, 13))
    assert days_late(store.loans[201]) == 3
