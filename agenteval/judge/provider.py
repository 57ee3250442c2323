"""From a judge's name to what answers: an endpoint of our own client, or litellm."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from typing import Protocol

from agenteval.errors import InvalidInput, MissingProgram
from agenteval.judge.dialects import DIALECTS, Reply, Request
from agenteval.judge.failure import ProviderFailed
from agenteval.judge.http import TextRefusedError, garbage, post_json
from agenteval.judge.lite import LiteLLM
from agenteval.records import KNOWN_PROVIDERS, JudgeProvider, JudgeSettings, provider_of
from agenteval.sandbox import is_secret, mask_text


class Provider(Protocol):
    """Answers questions."""

    def ask(self, request: Request, *, timeout_s: float) -> Reply:
        """Send one question.

        Raises
        ------
        ProviderFailed
            When no reply came.
        """
        ...


class Endpoint:
    """An OpenAI- or Anthropic-compatible API, over the standard library alone.

    Parameters
    ----------
    settings
        Where it is. The key is read from the environment now, and is in no message and no record.
    """

    def __init__(self, settings: JudgeProvider) -> None:
        self.settings = settings
        self._dialect = DIALECTS[settings.api]
        self._key = os.environ.get(settings.key_env) if settings.key_env else None
        secret = self._key is not None and is_secret(self._key)
        self._secrets = {settings.key_env or "": self._key or ""} if secret else {}

    def ask(self, request: Request, *, timeout_s: float) -> Reply:
        """Send one question; a text that the provider's filter refuses is a refusal."""
        url = self.settings.base_url.rstrip("/") + self._dialect.path
        try:
            data = post_json(
                url,
                self._dialect.headers(self._key),
                self._dialect.body(request),
                timeout_s=timeout_s,
            )
            reply = self._dialect.read(data)
        except TextRefusedError as error:
            return Reply(self._masked(str(error)), refused=True)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise garbage(url, str(data).encode()) from error
        except ProviderFailed as error:
            raise ProviderFailed(
                self._masked(error.what),
                error.where,
                kind=error.kind,
                again=error.again,
                retry_after_s=error.retry_after_s,
            ) from None
        return Reply(
            self._masked(reply.text),
            reply.refused,
            reply.model,
            reply.input_tokens,
            reply.output_tokens,
            self._cost_usd(reply),
        )

    def _masked(self, text: str) -> str:
        return mask_text(text, self._secrets) if self._secrets else text

    def _cost_usd(self, reply: Reply) -> float | None:
        prices = self.settings.input_usd_per_mtok, self.settings.output_usd_per_mtok
        if None in prices or reply.input_tokens is None or reply.output_tokens is None:
            return None
        return (
            reply.input_tokens * (prices[0] or 0) + reply.output_tokens * (prices[1] or 0)
        ) / 1e6


def endpoint_of(model: str, settings: JudgeSettings) -> JudgeProvider | None:
    """The endpoint of a judge, by its provider; None when litellm has to reach it."""
    provider = provider_of(model)
    return settings.providers.get(provider) or KNOWN_PROVIDERS.get(provider)


def provider_for(model: str, settings: JudgeSettings) -> tuple[Provider, str]:
    """What answers for a judge, and the model's name there."""
    endpoint = endpoint_of(model, settings)
    if endpoint is None:
        return LiteLLM(), model
    return Endpoint(endpoint), model.partition("/")[2] or model


def check_judges(models: Iterable[str | None], settings: JudgeSettings) -> None:
    """Refuse judges that cannot be asked, before anything is spent.

    Raises
    ------
    InvalidInput
        For a check that names no judge, or a key whose variable is not set.
    MissingProgram
        For a provider that only the extra `llm` reaches, when that is not installed.
    """
    for model in models:
        if model is None:
            raise InvalidInput(
                "A check of kind judge names no model",
                "suite.toml, key judge.model",
                'write model = "provider/name" below [judge], or give --judge-model',
            )
        endpoint = endpoint_of(model, settings)
        if endpoint is None:
            if importlib.util.find_spec("litellm") is None:
                raise MissingProgram(
                    f"The judge {model} is reached through litellm, which is not installed",
                    "extra llm",
                    "pip install 'agenteval[llm]', or give its endpoint below [judge.providers]",
                )
        elif endpoint.key_env is not None and not os.environ.get(endpoint.key_env):
            raise InvalidInput(
                f"The judge {model} needs a key, and {endpoint.key_env} is not set",
                f"provider {provider_of(model) or model}",
                f"set it (export {endpoint.key_env}=...), or name another variable with key_env",
            )
