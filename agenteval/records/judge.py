"""What is asked of a judge, which models judge, and how they are reached."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from agenteval.errors import InvalidInput
from agenteval.records.judgments import PanelRule, Scale
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


class JudgePanel(Strict):
    """Several judges of the same work."""

    models: list[str] = Field(
        min_length=2, max_length=9, description="provider/name of each judge, all different."
    )
    rule: PanelRule = Field(
        "majority", description="How they are joined: majority of verdicts, mean or median score."
    )

    @field_validator("models")
    @classmethod
    def _different(cls, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise ValueError("names a judge twice; more `samples` ask one judge several times")
        if not all(name and name == name.strip() for name in value):
            raise ValueError("has a name that is blank or padded")
        return value


class JudgeQuestion(Strict):
    """What is asked of a judge, and what its answer comes to."""

    rubric: str = Field(pattern=r"\S", description="What good work is, in words for the judge.")
    reference: str = Field("", description="A good answer, for the judge to compare with.")
    threshold: float = Field(0.7, ge=0, le=1, description="Score from which on the work passes.")
    samples: int = Field(1, ge=1, le=15, description="Replies of each judge; their median counts.")
    model: str | None = Field(
        None, pattern=MODEL, description="provider/name of the judge; that of [judge] by default."
    )
    scale: Scale = Field(
        "0-1", description="Scale that the judge is told and its reply is read by."
    )
    panel: JudgePanel | None = Field(None, description="Several judges in the place of `model`.")

    @model_validator(mode="after")
    def _one_way(self) -> JudgeQuestion:
        if self.panel is not None and self.model is not None:
            raise ValueError("names a `model` and a `panel`; keep one of the two")
        if self.panel is not None and self.panel.rule == "majority" and self.threshold == 0:
            raise ValueError("has threshold 0, so every judge of the majority passes everything")
        return self

    @property
    def judges(self) -> tuple[str, ...]:
        """Models that are asked; empty when none is named yet."""
        if self.panel is not None:
            return tuple(self.panel.models)
        return () if self.model is None else (self.model,)


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
        api: str | None = None,
        key_env: str | None = None,
    ) -> JudgeSettings:
        """Settings in which what a command line says comes first.

        Parameters
        ----------
        base_url, api, key_env
            Of the provider of `model`, else of the model that is set already.

        Raises
        ------
        InvalidInput
            When these are no endpoint.
        """
        changed = self if model is None else self.model_copy(update={"model": model})
        said = {"base_url": base_url, "api": api, "key_env": key_env}
        said = {name: value for name, value in said.items() if value is not None}
        if not said:
            return changed
        provider = provider_of(changed.model or "")
        known = self.providers.get(provider) or KNOWN_PROVIDERS.get(provider)
        fields = (known.model_dump() if known else {}) | said
        try:
            endpoint = JudgeProvider.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidInput(
                f"The judge cannot be reached so: {'.'.join(map(str, first['loc']))}: {first['msg']}",
                f"judge {changed.model}",
                "give --judge-url http://host:port/v1, --judge-api openai or anthropic, and the NAME of a variable to --judge-key-env",
            ) from error
        own = {**self.providers, provider: endpoint}
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
