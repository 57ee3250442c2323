"""One sample: a question sent, sent again while the provider fails, and its reply taken down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
    wait_random_exponential,
)

from agenteval.judge.cache import ReplyCache, cache_key
from agenteval.judge.dialects import Reply, Request
from agenteval.judge.failure import ProviderFailed
from agenteval.judge.parse import Parsed
from agenteval.judge.prompt import Prompt
from agenteval.judge.provider import endpoint_of, provider_for
from agenteval.records import JudgeSettings

LONGEST_WAIT_S = 60.0
REPLY_CHARS = 20_000


@dataclass(frozen=True)
class Sample:
    """One reply of one judge, or the lack of it.

    Attributes
    ----------
    judge, number
        Who was asked, and which of its samples this is, from 1.
    prompt_hash
        Hash of what it read.
    score
        0 to 1; None when there is none.
    problem, detail
        Why there is none: a word and a sentence.
    replied
        Whether a reply came at all.
    reply, reasoning, used
        The reply as it came (capped), its reasons, and the model that gave it.
    input_tokens, output_tokens, cost_usd, cached, tries, duration_s
        What it took.
    """

    judge: str
    number: int
    prompt_hash: str
    score: float | None = None
    problem: str | None = None
    detail: str | None = None
    replied: bool = True
    reply: str | None = None
    reasoning: str | None = None
    used: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    cached: bool = False
    tries: int = 0
    duration_s: float = 0.0


@dataclass(frozen=True)
class Asking:
    """How judges are asked.

    Attributes
    ----------
    settings
        Endpoints, time, retries.
    cache
        Replies that there are already.
    cancel
        Gives up when set.
    """

    settings: JudgeSettings
    cache: ReplyCache = ReplyCache(None)
    cancel: threading.Event | None = None

    def samples(
        self, prompt: Prompt, judge: str, number: int, read: Callable[[str], Parsed]
    ) -> list[Sample]:
        """Ask one judge `number` times.

        Once the provider has failed on one sample through all its retries, the others are tried
        once each.
        """
        found: list[Sample] = []
        for place in range(1, number + 1):
            retries = 0 if any(not one.replied for one in found) else self.settings.retries
            found.append(self._sample(prompt, judge, place, read, retries))
        return found

    def _sample(
        self, prompt: Prompt, judge: str, number: int, read: Callable[[str], Parsed], retries: int
    ) -> Sample:
        endpoint = endpoint_of(judge, self.settings)
        provider, name = provider_for(judge, self.settings)
        request = Request(
            name,
            prompt.system,
            prompt.user,
            self.settings.max_output_tokens,
            self.settings.temperature,
            endpoint is not None and endpoint.structured,
        )
        where = "litellm" if endpoint is None else endpoint.base_url
        key = cache_key(prompt.hash, judge, where, request, number)
        blank = Sample(judge, number, prompt.hash)
        kept = self.cache.get(key)
        if kept is not None:
            free = replace(kept, input_tokens=0, output_tokens=0, cost_usd=0.0)
            return replace(_read(blank, free, read), cached=True)
        began, tries = time.monotonic(), 0

        def ask() -> Reply:
            nonlocal tries
            tries += 1
            return provider.ask(request, timeout_s=self.settings.timeout_s)

        try:
            reply = self._retrying(retries)(ask)
        except ProviderFailed as error:
            return replace(
                blank,
                problem=error.kind,
                detail=error.what,
                replied=False,
                tries=tries,
                duration_s=time.monotonic() - began,
            )
        self.cache.put(key, reply)
        took = time.monotonic() - began
        return replace(_read(blank, reply, read), tries=tries, duration_s=took)

    def _retrying(self, retries: int) -> Retrying:
        event = self.cancel or threading.Event()
        return Retrying(
            retry=retry_if_exception(lambda e: isinstance(e, ProviderFailed) and e.again),
            stop=stop_after_attempt(retries + 1) | stop_when_event_set(event),
            wait=self._wait_s,
            sleep=sleep_using_event(event),
            reraise=True,
        )

    def _wait_s(self, state: RetryCallState) -> float:
        """A random wait whose bound doubles; longer when the provider asks for it."""
        drawn: Callable[[RetryCallState], float] = wait_random_exponential(
            multiplier=self.settings.first_wait_s, max=LONGEST_WAIT_S
        )
        error = state.outcome.exception() if state.outcome is not None else None
        asked = error.retry_after_s if isinstance(error, ProviderFailed) else None
        return min(LONGEST_WAIT_S, max(float(drawn(state)), asked or 0.0))


def _read(blank: Sample, reply: Reply, read: Callable[[str], Parsed]) -> Sample:
    if reply.refused:
        parsed = Parsed(None, "refused", "the judge, or its provider's filter, declined")
    else:
        parsed = read(reply.text)
    return replace(
        blank,
        score=parsed.score,
        problem=parsed.problem,
        detail=parsed.detail,
        reasoning=parsed.reasoning,
        reply=reply.text[:REPLY_CHARS],
        used=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=reply.cost_usd,
    )
