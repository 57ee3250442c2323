"""Judges of any provider, through litellm (extra `llm`)."""

from __future__ import annotations

import importlib
from typing import Any

from agenteval.errors import MissingProgram
from agenteval.judge.dialects import Reply, Request
from agenteval.judge.failure import ProviderFailed

_FINAL = frozenset({400, 401, 403, 404, 422})


class LiteLLM:
    """Asks through litellm, which finds endpoint, key and price by the model's name."""

    def ask(self, request: Request, *, timeout_s: float) -> Reply:
        """Send one question.

        Raises
        ------
        ProviderFailed
            When no reply came.
        MissingProgram
            When litellm is not installed.
        """
        litellm, openai = _libraries()
        options: dict[str, Any] = {}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        try:
            found = litellm.completion(
                model=request.model,
                messages=[
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.user},
                ],
                max_tokens=request.max_output_tokens,
                timeout=timeout_s,
                num_retries=0,
                **options,
            )
        except litellm.exceptions.ContentPolicyViolationError as error:
            return Reply(str(error)[:2000], refused=True)
        except openai.OpenAIError as error:
            status = getattr(error, "status_code", None)
            late = isinstance(error, openai.APITimeoutError)
            kind = "timeout" if late else f"http_{status}" if status else "unreachable"
            what = f"The judge's provider failed: {type(error).__name__}: {str(error)[:200]}"
            raise ProviderFailed(
                what, request.model, kind=kind, again=status not in _FINAL
            ) from error
        return _reply(litellm, found)


def _libraries() -> tuple[Any, Any]:
    try:
        return importlib.import_module("litellm"), importlib.import_module("openai")
    except ImportError as error:
        raise MissingProgram(
            "This judge is reached through litellm, which is not installed",
            "extra llm",
            "pip install 'agenteval[llm]', or give its endpoint below [judge.providers]",
        ) from error


def _reply(litellm: Any, found: Any) -> Reply:
    choice = found.choices[0]
    usage = getattr(found, "usage", None)
    try:
        cost = float(litellm.completion_cost(completion_response=found)) or None
    except Exception:  # noqa: BLE001 - litellm raises a bare one for models it has no price of
        cost = None
    return Reply(
        text=choice.message.content or "",
        refused=choice.finish_reason == "content_filter",
        model=getattr(found, "model", None),
        input_tokens=getattr(usage, "prompt_tokens", None),
        output_tokens=getattr(usage, "completion_tokens", None),
        cost_usd=cost,
    )
