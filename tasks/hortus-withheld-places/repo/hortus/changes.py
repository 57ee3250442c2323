"""What was corrected lately."""


def latest(store, limit):
    """Corrections, newest first."""
    ordered = sorted(store.changes, key=lambda change: change["at"], reverse=True)
    return [dict(change) for change in ordered[:limit]]
