"""One JSON request over HTTP, with a deadline, from the engine's own process."""

from __future__ import annotations

import http.client
import ipaddress
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

from agenteval.judge.failure import ProviderFailed

LARGEST = 8 << 20
SHOWN = 200
_AGAIN = frozenset({408, 409, 425, 429, *range(500, 600)})
# What a provider says when it will not read the text itself: the text can cause that.
_FILTERED = ("content_filter", "content_policy", "content management policy", "responsible_ai")


class TextRefusedError(Exception):
    """The provider refused the text that was to be judged, by a filter of its own."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another place."""

    def redirect_request(self, *parts: Any) -> None:
        del parts


def post_json(
    url: str, headers: Mapping[str, str], body: Mapping[str, Any], *, timeout_s: float
) -> dict[str, Any]:
    """Post an object and return the object that comes back.

    Parameters
    ----------
    timeout_s
        Seconds for the whole exchange; a server that trickles gets at most twice that.

    Raises
    ------
    ProviderFailed
        For any HTTP error, a timeout, no connection, or a reply that is no JSON object.
    TextRefusedError
        When the error says that a content filter refused the text.
    """
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
    )
    began = time.monotonic()
    try:
        with _opener(url).open(request, timeout=timeout_s) as response:
            data = _read(response, began + timeout_s, url)
    except urllib.error.HTTPError as error:
        raise _refused(error, url) from error
    except TimeoutError as error:
        raise _timeout(url, timeout_s) from error
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        if isinstance(getattr(error, "reason", None), TimeoutError):
            raise _timeout(url, timeout_s) from error
        told = getattr(error, "reason", None) or error
        what = f"The judge's provider cannot be reached: {type(error).__name__}: {told}"
        raise ProviderFailed(what, url, kind="unreachable", again=True) from error
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise garbage(url, data) from error
    if not isinstance(found, dict):
        raise garbage(url, data)
    return found


def garbage(url: str, data: bytes) -> ProviderFailed:
    """The failure of a provider that sent something else than a reply."""
    shown = data[:SHOWN].decode("utf-8", "replace")
    what = f"The judge's provider sent no reply of a model: {shown!r}"
    return ProviderFailed(what, url, kind="garbage", again=True)


def _read(response: http.client.HTTPResponse, deadline: float, url: str) -> bytes:
    data = b""
    while chunk := response.read1(1 << 16):
        data += chunk
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(data) > LARGEST:
            raise garbage(url, data)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return data


def _timeout(url: str, timeout_s: float) -> ProviderFailed:
    what = f"The judge's provider gave no reply within {timeout_s:g} s"
    return ProviderFailed(what, url, kind="timeout", again=True)


def _refused(error: urllib.error.HTTPError, url: str) -> ProviderFailed | TextRefusedError:
    try:
        body = error.read(1 << 16).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        body = ""
    finally:
        error.close()
    if error.code in (400, 403, 422) and any(word in body.lower() for word in _FILTERED):
        return TextRefusedError(f"the provider's filter refused the text: {body[:SHOWN]}")
    what = f"The judge's provider answered with HTTP {error.code}: {' '.join(body[:SHOWN].split())}"
    return ProviderFailed(
        what,
        url,
        kind=f"http_{error.code}",
        again=error.code in _AGAIN,
        retry_after_s=_seconds(error.headers.get("Retry-After")),
    )


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Proxies as the environment says, but none for this machine."""
    host = urllib.parse.urlsplit(url).hostname or ""
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if host == "localhost" or _is_loopback(host):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
