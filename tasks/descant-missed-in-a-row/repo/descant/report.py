"""What the evenings come to, by singer."""

import json
from dataclasses import asdict, dataclass


@dataclass
class Tally:
    code: str
    name: str
    voice: str
    came: int = 0
    excused: int = 0
    missed: int = 0


def tallies(singers, rehearsals):
    """One tally a singer, in the order of the singers."""
    result = []
    for singer in singers:
        tally = Tally(singer.code, singer.name, singer.voice)
        for rehearsal in rehearsals:
            if rehearsal.date < singer.joined:
                continue
            # present wins: some people are excused and come all the same
            if singer.code in rehearsal.present:
                tally.came += 1
            elif singer.code in rehearsal.excused:
                tally.excused += 1
            else:
                tally.missed += 1
        result.append(tally)
    return result


def table(rows):
    width = max([len("name"), *(len(row.name) for row in rows)])
    lines = [f"{'name':<{width}}  {'came':>4}  {'excused':>7}  {'missed':>6}"]
    for row in rows:
        lines.append(f"{row.name:<{width}}  {row.came:>4}  {row.excused:>7}  {row.missed:>6}")
    return "\n".join(lines)


def export(rows):
    """The federation's form: a list with the fields of a tally, nothing else."""
    return json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)
