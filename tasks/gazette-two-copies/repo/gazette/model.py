from dataclasses import dataclass


@dataclass(frozen=True)
class Copy:
    """One copy of an issue for somebody."""

    name: str
    address: str
    household: str = ""
    one_copy: bool = False
    language: str = ""
    note: str = ""
    printed: bool = False


class GazetteError(Exception):
    """Told to the editor as it is."""
