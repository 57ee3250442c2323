"""What litellm raises, as a refusal in the agent's wire format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json import JSONDecodeError
from traceback import walk_tb
from typing import Any

from agenteval.gateway.wire.protocol import Reply, Wire
from agenteval.sandbox import mask

# names of the variables that hold secrets of the clouds; their values are taken out of messages
SECRETS = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
    "GOOGLE_APPLICATION_CREDENTIALS", "VERTEXAI_CREDENTIALS",
)  # fmt: skip
TOKENS = re.compile(
    rb"ya29\.[\w.-]+|(?:Bearer|AWS4-HMAC-SHA256)\s+[^\s\"']+|X-Amz-Security-Token[:=]\S+"
)
KINDS = {
    401: "authentication", 403: "authentication", 408: "server", 429: "rate_limit", 503: "overloaded",
    529: "overloaded",
}  # fmt: skip
NO_CREDENTIALS = frozenset(
    {
        "NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound",
        "TokenRetrievalError", "UnauthorizedSSOTokenError", "SSOTokenLoadError", "InvalidConfigError",
        "DefaultCredentialsError", "RefreshError", "MalformedError",
    }
)  # fmt: skip
NO_CREDENTIALS_WORDS = ("Unable to locate credentials", "default credentials were not found")
# litellm makes a 422 of an answer that it cannot read
UNREADABLE_WORDS = ("Error converting to valid response block", "Error processing=")
# what litellm's translation raises, besides a bare Exception, of a request that it does not understand
UNTRANSLATED = (TypeError, KeyError, AttributeError, IndexError, ValueError)
UNTRANSLATED_WORDS = ("URL targets a blocked address",)
# but not where it reads an answer, or looks for credentials
ANSWERS = re.compile(
    r"(?:transform|translate)_\w*response$|model_response|chunk_parser|chunk_creator|^json$"
    r"|credential|access_token|load_auth|refresh_auth|vertex_ai_project|_sign_request|aws_region"
)
PASSED_ON = ("retry-after", "retry-after-ms", "x-amzn-errortype", "x-amzn-requestid")
LONGEST = 2000


def refusal_of(error: BaseException, wire: Wire, environ: Mapping[str, str]) -> Reply:
    """Say an error in a wire format, with its status and what it says of trying again.

    Parameters
    ----------
    error
        What litellm raised.
    wire
        The agent's wire format.
    environ
        Where the keys are that must not be said.
    """
    status = status_of(error)
    kind = KINDS.get(status, "server" if status >= 500 else "invalid")
    said = str(error).partition("\nTraceback (most recent call last)")[0] or type(error).__name__
    reply = wire.refuse(status, kind, masked(said, environ)[:LONGEST])
    told = _headers(error)
    return Reply(status, {**reply.headers, **told}, reply.chunks)


def status_of(error: BaseException) -> int:
    """Status that an error stands for.

    Credentials that are not there are a 401, a timeout is a 504, and a request that litellm could
    not translate, so that no provider was asked, is a 400: else an agent could have its trial left
    out at will.
    """
    for each in _causes(error):
        if type(each).__name__ in NO_CREDENTIALS:
            return 401
    if any(words in str(error) for words in NO_CREDENTIALS_WORDS):
        return 401
    if "Timeout" in type(error).__name__:
        return 504
    if any(words in str(error) for words in UNREADABLE_WORDS):
        return 502
    if _is_untranslated(error):
        return 400
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) and 400 <= status < 600 else 500


def masked(text: str, environ: Mapping[str, str]) -> str:
    """Text without keys and tokens of the clouds."""
    secrets = {name: environ[name] for name in SECRETS if environ.get(name)}
    data = TOKENS.sub(b"***", mask(text.encode("utf-8", "replace"), secrets))
    return data.decode("utf-8", "replace")


def _is_untranslated(error: BaseException) -> bool:
    """Whether litellm failed on the request itself, before a provider was asked."""
    if any(words in str(error) for words in UNTRANSLATED_WORDS):
        return True
    own = [each for each in _causes(error) if not _is_wrapper(each)]
    if not own or isinstance(own[0], JSONDecodeError):  # the agent's JSON has been read by then
        return False
    return all(
        (type(each) is Exception or isinstance(each, UNTRANSLATED))
        and getattr(each, "response", None) is None
        and not any(
            ANSWERS.search(frame.f_code.co_name) for frame, _ in walk_tb(each.__traceback__)
        )
        for each in own
    )


def _is_wrapper(error: BaseException) -> bool:
    """Whether it is litellm's word for any error that it does not know."""
    return type(error).__name__ == "APIConnectionError"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while error is not None and seen < 10:
        yield error
        error, seen = error.__cause__ or error.__context__, seen + 1


def _headers(error: BaseException) -> dict[str, str]:
    """What a provider said of trying again, wherever litellm keeps it."""
    found: dict[str, str] = {}
    for each in _causes(error):
        response = getattr(each, "response", None)
        for told in (
            getattr(response, "headers", None),
            getattr(each, "litellm_response_headers", None),
            getattr(each, "headers", None),
        ):
            found = {**_named(told), **found}
    return found


def _named(told: Any) -> dict[str, str]:
    if told is None or not hasattr(told, "items"):
        return {}
    lower = {str(name).lower().removeprefix("llm_provider-"): value for name, value in told.items()}
    return {name: str(lower[name]) for name in PASSED_ON if name in lower}
