from datetime import date

from toolcrib.fees import balance, fee_for


def test_stewards_pay_half(store):
    assert fee_for(store, store.loans[202]) == 600


def test_fee_is_capped(store):
    assert fee_for(store, store.loans[201], date(2024, 12, 1)) == 3000


def test_settled_loans_are_not_owed(store, on):
    assert balance(store, 23, on) == 600
    store.loans[202].fee_settled = True
    assert balance(store, 23, on) == 0
