def test_invoice(beanrow):
    code, out, _ = beanrow("letter", "invoice", 17)
    assert code == 0
    assert "5 March 2025" in out
    assert "plot B40 is £48.00 this year. Please pay by 2 April 2025." in out


def test_the_offices_own_braces(beanrow):
    assert "{sic}" in beanrow("letter", "welcome", 3)[1]


def test_no_such_letter(beanrow):
    code, _, err = beanrow("letter", "party", 3)
    assert code == 2
    assert "invoice, reminder, welcome" in err
