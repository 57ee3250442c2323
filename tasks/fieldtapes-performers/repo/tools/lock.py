#!/usr/bin/env python3
"""Add new migrations to migrations/LOCK; released ones must not have changed."""

import hashlib
import sys
from pathlib import Path

folder = Path(__file__).resolve().parents[1] / "migrations"
lock = folder / "LOCK"
known = dict(line.split()[::-1] for line in lock.read_text().splitlines()) if lock.exists() else {}
for path in sorted(folder.glob("*.sql")):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if known.get(path.name, digest) != digest:
        sys.exit(f"{path.name} was released and has changed")
    if path.name not in known:
        with lock.open("a") as file:
            file.write(f"{digest}  {path.name}\n")
