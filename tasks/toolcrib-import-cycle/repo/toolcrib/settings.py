"""The numbers the committee votes on.

Read them as ``settings.NAME`` when they are needed. The kiosk overwrites them
at start-up.
"""

LOAN_DAYS = {"hand": 14, "power": 7, "large": 3}

# Voted 2019: 1. Voted 2022: 2.
GRACE_DAYS = 2

FEE_CENTS_PER_DAY = {"hand": 50, "power": 125, "large": 400}
MAX_FEE_CENTS = 3000
BLOCK_AT_CENTS = 1000
BLOCK_AFTER_DAYS = 14

MAX_OPEN_LOANS = {"guest": 1, "member": 4, "steward": 8}
