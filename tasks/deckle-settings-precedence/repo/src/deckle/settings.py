"""Where the settings come from."""

import configparser
import os
from dataclasses import dataclass, fields
from pathlib import Path

LOCALES = ("en", "de", "fr")


class SettingsError(Exception):
    pass


@dataclass
class Settings:
    max_words: int = 120
    strict: bool = False
    ignore: tuple[str, ...] = ()
    locale: str = "en"


def _convert(name, text):
    if name == "max_words":
        try:
            return int(text)
        except ValueError:
            raise SettingsError(f"max_words has to be a number, not {text!r}") from None
    if name == "strict":
        return bool(text)
    if name == "ignore":
        return tuple(text.split(","))
    if text not in LOCALES:
        raise SettingsError(f"locale has to be one of {', '.join(LOCALES)}")
    return text


def load(directory="."):
    """The settings in force for a directory."""
    settings = Settings()
    for field in fields(Settings):
        value = os.environ.get(f"DECKLE_{field.name.upper()}")
        if value is not None:
            setattr(settings, field.name, _convert(field.name, value))
    ini = Path(directory) / "deckle.ini"
    if ini.exists():
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(ini, encoding="utf-8")
        if parser.has_section("deckle"):
            for field in fields(Settings):
                if parser.has_option("deckle", field.name):
                    setattr(
                        settings, field.name, _convert(field.name, parser["deckle"][field.name])
                    )
    return settings
