"""The library that reaches Bedrock and Vertex, loaded when the first trial needs it (extra `litellm`)."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import warnings
from functools import cache
from typing import Any

from agenteval.errors import MissingProgram

EXTRA = "pip install 'agenteval[litellm]'"
# litellm's native streams load parts of its proxy (nothing of which is started), and those load these
STREAMING = ("backoff", "fastapi", "orjson", "redis", "soundfile")
STREAMS = "litellm.proxy.pass_through_endpoints.streaming_handler"
# what each provider of litellm's needs
NEEDED = {
    "bedrock": ("litellm", "boto3", *STREAMING),
    "vertex_ai": ("litellm", "google.auth", "requests", *STREAMING),
}
# it would fetch lists from the network when imported, and read a .env of the working folder
OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_LOCAL_AUTOROUTER_PRESETS": "True",
    "LITELLM_MODE": "PRODUCTION",
}
LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")


def require_library(provider: str, model: str) -> None:
    """See that what reaches a provider is installed; nothing is imported for that.

    Parameters
    ----------
    provider
        In litellm's words: `bedrock` or `vertex_ai`.
    model
        The model as it was asked for, for the message.

    Raises
    ------
    MissingProgram
        When something is missing; names it and the extra.
    """
    missing = missing_for(provider)
    if missing:
        raise MissingProgram(
            f"What reaches the models of {model} is not installed: {', '.join(missing)}",
            f"--model {model}, extra litellm",
            f"{EXTRA}, or point --upstreams at a LiteLLM proxy",
        )


def missing_for(provider: str) -> list[str]:
    """Packages that reaching a provider needs and that are not installed.

    Parameters
    ----------
    provider
        In litellm's words.
    """
    return [name for name in NEEDED.get(provider, ("litellm",)) if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # what it is below is not there either
        return False


@cache
def load_library() -> Any:
    """The litellm module, told to keep to itself: no telemetry, no lists from the network, no prints.

    Raises
    ------
    MissingProgram
        When this litellm needs something that is not installed; better now than in a stream.
    """
    for name, value in OFFLINE.items():
        os.environ.setdefault(name, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own
            library: Any = importlib.import_module("litellm")
            for name in ("litellm.google_genai", STREAMS):
                importlib.import_module(name)
    except ImportError as error:
        raise MissingProgram(
            f"litellm cannot be loaded: {error}",
            "extra litellm",
            f"{EXTRA}, and what its version needs besides",
        ) from error
    library.telemetry = False
    library.suppress_debug_info = True
    library.turn_off_message_logging = True
    library.disable_token_counter = True  # it would guess where a provider tells no usage
    warnings.filterwarnings("ignore", module=r"litellm\b")
    warnings.filterwarnings("ignore", message=r".*`ReadOnly` qualifier", category=UserWarning)
    for name in LOGGERS:  # what goes wrong is told to the agent, and recorded
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return library
