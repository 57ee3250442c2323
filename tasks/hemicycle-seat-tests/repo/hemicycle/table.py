"""The table for the notice board (monospaced, the caretaker prints it)."""


def table(ballots, result):
    width = max(len(ballot.name) for ballot in ballots)
    lines = [
        f"{ballot.name:<{width}}  {ballot.votes:>6}  {result[ballot.name]:>3}" for ballot in ballots
    ]
    total = sum(result.values())
    return "\n".join([*lines, f"{'seats':<{width}}  {'':>6}  {total:>3}"])
