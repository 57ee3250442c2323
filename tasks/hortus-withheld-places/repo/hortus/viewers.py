"""Who is asking."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Viewer:
    role: str

    @property
    def may_export(self):
        return self.role in ("member", "curator")


PUBLIC = Viewer("public")
MEMBER = Viewer("member")
CURATOR = Viewer("curator")
