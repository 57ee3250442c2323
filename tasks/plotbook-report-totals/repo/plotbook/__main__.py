import csv
import sys

from . import names, open_book, report


def main(argv):
    match argv:
        case ["init", path]:
            open_book(path).close()
        case ["report", path, name, year] if name in names() and year.isdigit():
            rows = report(open_book(path), name, int(year))
            writer = csv.writer(sys.stdout, lineterminator="\n")
            if rows:
                writer.writerow(rows[0].keys())
            writer.writerows(rows)
        case _:
            print("usage: plotbook init FILE | report FILE NAME YEAR", file=sys.stderr)
            print("reports: " + " ".join(names()), file=sys.stderr)
            return 2
    return 0


sys.exit(main(sys.argv[1:]))
