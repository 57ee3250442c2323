"""How long a failed job waits."""

FIRST_S = 30.0
LONGEST_S = 3600.0


def delay_s(attempts: int) -> float:
    """Seconds until the next attempt, after `attempts` of them have failed."""
    # doubles; no jitter, two workers a machine do not stampede
    return min(FIRST_S * 2 ** max(attempts - 1, 0), LONGEST_S)
