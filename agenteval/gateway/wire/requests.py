"""What requests of several formats share: paths, and the model in the body."""

from __future__ import annotations

import json

from agenteval.gateway.wire.fields import as_json


def is_path(method: str, path: str, ending: str) -> bool:
    """Whether a request posts to a path that ends so; its query does not matter.

    >>> is_path("POST", "/v1/messages?beta=true", "/v1/messages")
    True
    """
    return method.upper() == "POST" and path.partition("?")[0].rstrip("/").endswith(ending)


def renamed(body: bytes, model: str) -> bytes:
    """Put another model into a JSON body; one that has it already, or is no JSON, stays as it is.

    >>> renamed(b'{"model": "a", "n": 1}', "b")
    b'{"model": "b", "n": 1}'
    """
    document = as_json(body)
    if not isinstance(document, dict) or document.get("model") == model:
        return body
    return json.dumps({**document, "model": model}).encode()
