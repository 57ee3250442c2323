"""What day it is. Call it as ``clock.today()``: the kiosk's demo mode replaces it."""

from datetime import date


def today() -> date:
    return date.today()
