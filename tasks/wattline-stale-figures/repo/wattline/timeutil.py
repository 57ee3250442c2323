"""Small things about time that more than one module needs."""


def day_of(at):
    """The calendar day of a moment."""
    return at.date()


def first_of_month(day):
    return day.replace(day=1)
