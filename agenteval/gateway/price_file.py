"""Price tables on disk."""

from __future__ import annotations

import datetime
import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agenteval.errors import InvalidInput

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
FIX = 'write [models."NAME"] with input and output in dollars per million tokens'


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rates(_Part):
    """Dollars per million tokens; None is no rate, which is unknown and not free.

    Attributes
    ----------
    input, output
        Fresh input, and output.
    cache_read, cache_write, cache_write_long
        Input read from a cache, written to one, and written to one that keeps it for longer.
    """

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    cache_write_long: Dollars | None = None


class LongRates(Rates):
    """Rates of requests whose input is longer than `input_tokens`."""

    input_tokens: int = Field(gt=0)


class ModelPrice(Rates):
    """Rates of a model, and where they are from."""

    provider: str = ""
    above: LongRates | None = None

    @property
    def rates(self) -> Rates:
        """Rates of a request that is not long."""
        return self

    def rates_for(self, input_tokens: int) -> Rates:
        """Rates of a request with so much input, cached parts included."""
        long = self.above is not None and input_tokens > self.above.input_tokens
        return self.above if long and self.above is not None else self


class Source(_Part):
    """Where a provider's prices are from."""

    date: datetime.date
    source: str
    read_from: str = ""


class PriceFile(_Part):
    """A price table as it is on disk."""

    models: Mapping[str, ModelPrice]
    name: str = ""
    date: datetime.date | None = None
    providers: Mapping[str, Source] = {}


def parse_prices(path: Path) -> tuple[PriceFile, bytes]:
    """Read a price table, TOML or JSON; gives its bytes too.

    Raises
    ------
    InvalidInput
        When it cannot be read or says something that has no meaning; names the key.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"The price table cannot be read: {error.strerror}", str(path), "give the path of one"
        ) from error
    try:
        return PriceFile.model_validate(_document(path, data)), data
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"The price table has a mistake: {first['msg']}",
            f"{path}: {where}",
            _hint(str(first["loc"][-1]) if first["loc"] else "", first["type"]),
        ) from error


def _document(path: Path, data: bytes) -> Any:
    try:
        text = data.decode()
        return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise InvalidInput(f"The price table cannot be parsed: {error}", str(path), FIX) from error


def _hint(key: str, kind: str) -> str:
    known = [*ModelPrice.model_fields, *PriceFile.model_fields, *LongRates.model_fields]
    near = get_close_matches(key, known, n=1) if kind == "extra_forbidden" else []
    return f"use {near[0]!r}" if near else FIX
