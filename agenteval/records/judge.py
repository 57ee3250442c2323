"""Which models judge, and how they are reached: `[judge]` of suite.toml."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from agenteval.records.strict import Strict

VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
MODEL = r"^\S+$"
Api = Literal["openai", "anthropic"]


class JudgeProvider(Strict):
    """How the models of one provider are reached; `provider` is what stands before the first slash."""

    base_url: str = Field(
        pattern=r"^https?://[^\s?#]+$",
        description="Where its API is, as in http://127.0.0.1:8080/v1.",
    )
    api: Api = Field("openai", description="Shape of its API: openai or anthropic.")
    key_env: str | None = Field(
        None,
        pattern=VARIABLE,
        description="Name of the environment variable that holds the key; its value is stored nowhere.",
    )
    input_usd_per_mtok: float | None = Field(
        None, ge=0, description="US dollars for a million input tokens."
    )
    output_usd_per_mtok: float | None = Field(
        None, ge=0, description="US dollars for a million output tokens."
    )
    structured: bool = Field(
        False, description="Ask for the reply by JSON schema; not every server can."
    )


class JudgeSettings(Strict):
    """Defaults of the checks of kind `judge`."""

    model: str | None = Field(
        None, pattern=MODEL, description="provider/name of the judge, where a check names none."
    )
    providers: dict[str, JudgeProvider] = Field(
        default_factory=dict,
        description="Own endpoints by provider; openai and anthropic are known, others need the extra `llm`.",
    )
    timeout_s: float = Field(120.0, gt=0, description="Seconds for one reply.")
    retries: int = Field(
        3, ge=0, le=20, description="Further requests after the provider failed on one."
    )
    first_wait_s: float = Field(
        1.0, ge=0, description="Bound of the wait before the second request; it doubles each time."
    )
    max_output_tokens: int = Field(1024, ge=16, description="Tokens of one reply.")
    temperature: float | None = Field(
        None, ge=0, description="Sampling temperature; the model's own when left out."
    )

    @field_validator("providers")
    @classmethod
    def _named(cls, value: dict[str, JudgeProvider]) -> dict[str, JudgeProvider]:
        for name in value:
            if not name or "/" in name:
                raise ValueError(f"{name!r} is no provider: it is what stands before the slash")
        return value

    def overridden(
        self,
        *,
        model: str | None = None,
        base_url: str | None = None,
        api: Api | None = None,
        key_env: str | None = None,
    ) -> JudgeSettings:
        """Settings in which what a command line says comes first.

        Parameters
        ----------
        base_url, api, key_env
            Of the provider of `model`, else of the model that is set already.
        """
        changed = self if model is None else self.model_copy(update={"model": model})
        said = {"base_url": base_url, "api": api, "key_env": key_env}
        said = {name: value for name, value in said.items() if value is not None}
        if not said:
            return changed
        provider = provider_of(changed.model or "")
        known = self.providers.get(provider) or KNOWN_PROVIDERS.get(provider)
        fields = (known.model_dump() if known else {}) | said
        own = {**self.providers, provider: JudgeProvider.model_validate(fields)}
        return changed.model_copy(update={"providers": own})


KNOWN_PROVIDERS: dict[str, JudgeProvider] = {
    "anthropic": JudgeProvider(
        base_url="https://api.anthropic.com/v1", api="anthropic", key_env="ANTHROPIC_API_KEY"
    ),
    "openai": JudgeProvider(base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"),
}


def provider_of(model: str) -> str:
    """What stands before the first slash of a model's name.

    >>> provider_of("local/meta-llama/Llama-3"), provider_of("gemma")
    ('local', '')
    """
    return model.partition("/")[0] if "/" in model else ""
