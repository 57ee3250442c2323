import json
import sys

from . import CountError, allocate
from .readin import read
from .table import table


def main(argv):
    names = [arg for arg in argv if not arg.startswith("--")]
    if len(names) != 1:
        print("usage: python -m hemicycle FILE [--json]", file=sys.stderr)
        return 2
    paper = read(names[0])
    try:
        result = allocate(paper.ballots, paper.seats, invalid=paper.invalid)
    except CountError as error:
        print(f"no result: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result) if "--json" in argv else table(paper.ballots, result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
