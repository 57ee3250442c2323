"""What a run's numbers must not hide: machinery that failed, programs that never started."""

from __future__ import annotations

from typing import Any

NOT_STARTED = (126, 127)


def alarms(trials: Any) -> tuple[list[str], bool]:
    """Sentences for people, and whether some arm has nothing to show at all.

    Parameters
    ----------
    trials
        Trials of one run, as the store gives them.
    """
    told = []
    broken = trials[(trials["status"] == "error") & trials["passed"].isna()]
    if len(broken):
        why = ", ".join(f"{n} {name}" for name, n in broken["error_class"].value_counts().items())
        first = str(broken["error_message"].iloc[0]).splitlines()[0][:200]
        told.append(
            f"{len(broken)} of {len(trials)} trials failed in the machinery and are left out of the rates ({why}); the first: {first}"
        )
    empty = False
    for arm, own in trials.groupby("arm", sort=False):
        if not own["passed"].notna().any():
            empty = True
            told.append(f"no trial of {arm} counts: there is nothing to compare")
        codes = own["exit_code"].dropna()
        if len(codes) and codes.isin(NOT_STARTED).all():
            told.append(
                f"every trial of {arm} ended with exit code {int(codes.iloc[0])}: its program was most likely not found or may not be run, and its rate says nothing about it"
            )
    return told, empty
