"""Steps of a form."""

from decimal import ROUND_CEILING, ROUND_HALF_DOWN, Decimal


def to_step(value, step):
    """The multiple of `step` nearest to `value`; half-way it is the smaller one (rule 2)."""
    return (value / step).to_integral_value(ROUND_HALF_DOWN) * step


def whole_up(value):
    return value.to_integral_value(ROUND_CEILING)


def plain(number):
    """Without trailing zeros and without an exponent, for people."""
    text = format(Decimal(number), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
