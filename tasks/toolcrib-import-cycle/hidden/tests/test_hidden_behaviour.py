"""The figures and texts of version 2.3.1, and what docs/kiosk.md promises."""

import inspect
from datetime import date, timedelta

import pytest

from toolcrib import Loan, Member, Store, Tool, clock, settings
from toolcrib.fees import balance, fee_for
from toolcrib.loans import Refused, checkout, days_late, give_back, is_overdue, open_loans
from toolcrib.members import find, standing, tier
from toolcrib.notices import overdue_notice, overdue_notices, receipt

DUE = date(2024, 9, 10)


@pytest.fixture
def crib():
    return Store(
        [
            Member(1, "Ada Field", date(2024, 12, 31)),
            Member(2, "Bo Stern", date(2024, 1, 31), steward=True),
            Member(3, "Cy Lund", date(2024, 9, 12)),
        ],
        [
            Tool("saw", "Bow saw", "hand"),
            Tool("jig", "Jigsaw", "power"),
            Tool("lift", "Scissor lift", "large"),
            Tool("vise", "Vise", "hand"),
        ],
        [Loan(7, "saw", 1, DUE), Loan(8, "jig", 2, DUE), Loan(9, "vise", 3, DUE)],
    )


@pytest.mark.parametrize(
    ("days", "late", "overdue", "fee", "steward_fee"),
    [
        (0, 0, False, 0, 0),
        (1, 0, True, 0, 0),
        (2, 0, True, 0, 0),
        (3, 3, True, 150, 187),
        (14, 14, True, 700, 875),
        (61, 61, True, 3000, 3000),
    ],
)
def test_figures(crib, days, late, overdue, fee, steward_fee):
    on = DUE + timedelta(days=days)
    assert days_late(crib.loans[7], on) == late
    assert is_overdue(crib.loans[7], on) is overdue
    assert fee_for(crib, crib.loans[7], on) == fee
    assert fee_for(crib, crib.loans[8], on) == steward_fee
    assert balance(crib, 1, on) == fee


def test_standing(crib):
    assert standing(crib, 1, DUE) == "ok"
    assert standing(crib, 3, date(2024, 9, 12)) == "ok"
    assert standing(crib, 3, date(2024, 9, 13)) == "full"
    crib.loans[7].fee_settled = True
    assert standing(crib, 1, DUE + timedelta(days=14)) == "ok"
    assert standing(crib, 1, DUE + timedelta(days=15)) == "blocked"
    assert standing(crib, 2, DUE + timedelta(days=15)) == "blocked"
    assert tier(find(crib, 2), DUE) == "steward"


def test_a_returned_loan_keeps_its_lateness(crib):
    crib.loans[7].returned_on = DUE + timedelta(days=5)
    assert days_late(crib.loans[7], DUE + timedelta(days=50)) == 5
    assert not is_overdue(crib.loans[7], DUE + timedelta(days=50))
    assert balance(crib, 1, DUE + timedelta(days=50)) == 250


def test_texts(crib):
    on = DUE + timedelta(days=3)
    assert overdue_notices(crib, on) == [
        "Dear Ada Field, Bow saw was due on 2024-09-10. So far that is 1.50.",
        "Dear Bo Stern, Jigsaw was due on 2024-09-10. So far that is 1.87.",
        "Dear Cy Lund, Vise was due on 2024-09-10. So far that is 1.50.",
    ]
    assert overdue_notice(crib, crib.loans[7], DUE + timedelta(days=1)).endswith(
        "Bring it soon and it costs nothing."
    )
    assert give_back(crib, 8, on) == (
        "Jigsaw back from Bo Stern, thank you.\n3 days late: 1.87 to pay."
    )
    assert receipt(crib, crib.loans[8]).startswith("Jigsaw back")
    assert give_back(crib, 9, DUE) == "Vise back from Cy Lund, thank you."


def test_errors(crib):
    with pytest.raises(LookupError, match="no tool 'axe'"):
        checkout(crib, 1, "axe", DUE)
    with pytest.raises(LookupError, match="no open loan 70"):
        give_back(crib, 70, DUE)
    with pytest.raises(Refused, match="^Jigsaw is out$"):
        checkout(crib, 1, "jig", DUE)
    with pytest.raises(Refused, match="^Ada Field is blocked$"):
        checkout(crib, 1, "lift", DUE + timedelta(days=20))


def test_the_kiosk_changes_settings_after_importing_everything(crib, monkeypatch):
    on = DUE + timedelta(days=3)
    monkeypatch.setattr(settings, "GRACE_DAYS", 3)
    assert days_late(crib.loans[7], on) == 0
    assert fee_for(crib, crib.loans[7], on) == 0
    assert overdue_notice(crib, crib.loans[7], on).endswith("it costs nothing.")
    monkeypatch.setattr(settings, "GRACE_DAYS", 0)
    assert days_late(crib.loans[7], DUE + timedelta(days=1)) == 1
    monkeypatch.setattr(settings, "FEE_CENTS_PER_DAY", {"hand": 1, "power": 3, "large": 5})
    assert (balance(crib, 1, on), balance(crib, 2, on)) == (3, 4)
    monkeypatch.setattr(settings, "MAX_FEE_CENTS", 2)
    assert balance(crib, 1, on) == 2
    monkeypatch.setattr(settings, "BLOCK_AT_CENTS", 2)
    assert standing(crib, 1, on) == "blocked"
    monkeypatch.setattr(settings, "BLOCK_AT_CENTS", 5000)
    monkeypatch.setattr(settings, "MAX_OPEN_LOANS", {"guest": 0, "member": 1, "steward": 8})
    assert standing(crib, 1, on) == "full"
    monkeypatch.setattr(settings, "BLOCK_AFTER_DAYS", 2)
    assert standing(crib, 1, on) == "blocked"
    monkeypatch.setattr(settings, "LOAN_DAYS", {"hand": 1, "power": 1, "large": 30})
    assert checkout(crib, 2, "lift", DUE).due_on == date(2024, 10, 10)


def test_demo_mode_replaces_today(crib, monkeypatch):
    monkeypatch.setattr(clock, "today", lambda: DUE + timedelta(days=4))
    assert days_late(crib.loans[7]) == 4
    assert is_overdue(crib.loans[7])
    assert balance(crib, 1) == 200
    assert tier(crib.members[3]) == "guest"
    assert standing(crib, 3) == "full"
    assert len(overdue_notices(crib)) == 3
    assert give_back(crib, 7).endswith("4 days late: 2.00 to pay.")
    assert [loan.id for loan in open_loans(crib)] == [8, 9]


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (checkout, ["store", "member_id", "tool_id", "on"]),
        (give_back, ["store", "loan_id", "on"]),
        (standing, ["store", "member_id", "on"]),
        (fee_for, ["store", "loan", "on"]),
        (balance, ["store", "member_id", "on"]),
        (receipt, ["store", "loan"]),
        (days_late, ["loan", "on"]),
        (is_overdue, ["loan", "on"]),
        (open_loans, ["store", "member_id"]),
        (tier, ["member", "on"]),
        (find, ["store", "member_id"]),
    ],
)
def test_signatures(function, parameters):
    assert list(inspect.signature(function).parameters) == parameters
