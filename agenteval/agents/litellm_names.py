"""Names and addresses of models for programs that reach them through litellm."""

from __future__ import annotations

from dataclasses import dataclass

from agenteval.agents.protocol import Endpoint, Job

CHAT_MODEL = "gpt-5.1"


@dataclass(frozen=True)
class Reached:
    """How a program that uses litellm reaches its model.

    Attributes
    ----------
    name
        Model, with the prefix that chooses the wire format.
    base
        Address that belongs to that format.
    key_name, base_name
        Variables that hold key and address.
    """

    name: str
    base: str
    key_name: str
    base_name: str


def provider_of(job: Job) -> str:
    """Provider of the model that was asked for; empty where a script answers.

    Only then does the wire format matter: a gateway passes on what it is sent.
    """
    model = job.arm.model or ""
    provider, slash, _ = model.partition("/")
    return provider if slash and ":" not in provider else ""


def reached_by(job: Job, endpoint: Endpoint) -> Reached:
    """Messages for models of Anthropic, Chat Completions for all others."""
    if provider_of(job) == "anthropic" and endpoint.model:
        return Reached(
            f"anthropic/{endpoint.model}", endpoint.url, "ANTHROPIC_API_KEY", "ANTHROPIC_API_BASE"
        )
    name = endpoint.model or CHAT_MODEL
    return Reached(f"openai/{name}", f"{endpoint.url}/v1", "OPENAI_API_KEY", "OPENAI_API_BASE")
