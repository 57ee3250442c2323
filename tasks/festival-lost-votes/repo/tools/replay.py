"""Plays samples/ into a fresh database, sync by sync, and compares with the counters."""

import csv
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from tally.ballots import Ballots  # noqa: E402
from tally.importer import Importer  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        spool = Path(folder) / "spool"
        spool.mkdir()
        for sync in sorted(p for p in (HERE / "samples").iterdir() if p.is_dir()):
            for path in sync.glob("*.csv"):
                shutil.copy(path, spool)
            ballots = Ballots(Path(folder) / "ballots.db")
            outcome = Importer(ballots).run(spool)
            print(
                f"{sync.name}: {outcome.counted} counted, {outcome.duplicates} duplicates,"
                f" {outcome.rejected} rejected"
            )
            ours = ballots.by_kiosk()
            ballots.close()
    with open(HERE / "samples" / "counters.csv", newline="", encoding="utf-8") as file:
        display = {row["kiosk"]: int(row["ballots"]) for row in csv.DictReader(file)}
    for kiosk, wanted in sorted(display.items()):
        note = "" if ours.get(kiosk) == wanted else "   <-- display says %d" % wanted
        print(f"{kiosk} {ours.get(kiosk, 0)}{note}")
    return int(ours != display)


if __name__ == "__main__":
    sys.exit(main())
