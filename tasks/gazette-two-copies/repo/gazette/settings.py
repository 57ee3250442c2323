"""gazette.toml."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from .model import GazetteError


@dataclass(frozen=True)
class Settings:
    root: Path
    paths: dict
    pipeline: dict = field(default_factory=dict)
    issues: dict = field(default_factory=dict)

    def path(self, name):
        return self.root / self.paths[name]

    def issue(self, kind):
        try:
            return self.issues[kind]
        except KeyError:
            raise GazetteError(f"no issue of the kind {kind}") from None

    def off(self, kind):
        """Steps that are switched off for an issue; what it says itself replaces the general list."""
        return frozenset(self.issue(kind).get("off", self.pipeline.get("off", ())))


def load_settings(path):
    path = Path(path)
    raw = tomllib.loads(path.read_text("utf-8"))
    return Settings(
        path.parent, raw["paths"], raw.get("pipeline", {}), raw.get("issues", {})
    )
