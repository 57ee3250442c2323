"""A recording plays the model: the same bytes to the same requests, and no network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from agenteval.gateway.divergence import divergence
from agenteval.gateway.normalising import Normaliser, Rule
from agenteval.gateway.recording import Recorded, Recording
from agenteval.gateway.wire.protocol import Wire
from agenteval.sandbox import mask

Asks = dict[str, str | bool]


class Diverged(Exception):
    """A request is not the one that was recorded; its text says how."""


class Player:
    """Finds the recorded answer to each request.

    A request is answered by the first recorded exchange, not played yet, whose conversation is the
    same once ids, dates and paths are taken out. Requests beside the main conversation may also
    come more often than they were recorded.

    Parameters
    ----------
    recording
        What is played.
    wires
        Wire formats by name.
    places
        Folders of this trial to a name each.
    secrets
        Masked in what is sent, as they are in the recording.
    rules
        Further rules of what is not compared.
    label
        What messages call the trial.

    Attributes
    ----------
    path, model
        File of the recording, and the model that it is one of.
    """

    def __init__(
        self,
        recording: Recording,
        wires: Mapping[str, Wire],
        *,
        places: Mapping[str, str],
        secrets: Mapping[str, str],
        rules: Sequence[Rule] = (),
        label: str = "",
    ) -> None:
        self.path: Path = recording.path
        self.model = recording.model
        self._secrets, self._label = dict(secrets), label
        self._rules = tuple(rules)
        self._normaliser = Normaliser(places, rules)
        theirs = Normaliser(recording.places, rules)
        self._recorded = [
            (
                exchange,
                _asks(wires[exchange.wire], exchange.path, exchange.request),
                _parts(wires[exchange.wire], exchange.request, theirs),
            )
            for exchange in recording.exchanges
            if exchange.wire in wires
        ]
        self._played: set[int] = set()

    def name_places(self, places: Mapping[str, str]) -> None:
        """Say what this trial's folders are."""
        self._normaliser = Normaliser(places, self._rules)

    def answer(self, wire: Wire, path: str, body: bytes) -> Recorded:
        """The recorded answer to a request.

        Raises
        ------
        Diverged
            When there is none.
        """
        sent = _parts(wire, mask(body, self._secrets), self._normaliser)
        asks = _asks(wire, path, body)
        again: Recorded | None = None
        for exchange, asked, parts in self._recorded:
            if asked == asks and parts == sent:
                if exchange.seq not in self._played:
                    self._played.add(exchange.seq)
                    return exchange
                again = exchange
        if again is not None and again.kind in ("side", "count"):
            return again
        raise Diverged(self._told(asks, sent))

    def _told(self, asks: Asks, sent: Sequence[str]) -> str:
        left = [entry for entry in self._recorded if entry[0].seq not in self._played]
        left = [entry for entry in left if entry[1] == asks] or left
        if not left:
            return divergence(sent, None, label=self._label, seq=None)
        # the one that goes furthest with it; of those the earliest
        expected, asked, parts = max(left, key=lambda e: (_shared(e[2], sent), -e[0].seq))
        if asked != asks:
            sent, parts = [json.dumps(asks), *sent], [json.dumps(asked), *parts]
        return divergence(sent, parts, label=self._label, seq=expected.seq)


def _parts(wire: Wire, body: bytes, normaliser: Normaliser) -> list[str]:
    return [normaliser.part(part) for part in wire.turns_in(body)]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _asks(wire: Wire, path: str, body: bytes) -> Asks:
    """What sort of request it is, whatever model it names."""
    asked = wire.read(path, body)
    return {
        "wire": wire.name,
        "kind": asked.kind,
        "stream": asked.stream,
        "tools": bool(asked.tools),
    }
