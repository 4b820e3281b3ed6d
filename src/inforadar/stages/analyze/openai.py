"""OpenAI and every endpoint that speaks its chat completions: OpenRouter, vLLM, Ollama, llama.cpp.

Chat completions rather than the newer responses API, because all of these have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import openai
from openai.types.chat import ChatCompletionMessageParam

from inforadar.stages.analyze.answer import ANSWER_SCHEMA
from inforadar.stages.analyze.base import FailureKind
from inforadar.stages.analyze.dialogue import (
    Access,
    AnswerFormat,
    Ending,
    ModelAnalyzer,
    Reply,
    Role,
    Turn,
    Unanswered,
    unanswered,
    unreachable,
)
from inforadar.stages.analyze.limiter import RateLimiter
from inforadar.stages.analyze.prompt import Prompt

OWN_URL = "https://api.openai.com/v1"

_FORMATS: dict[AnswerFormat, dict[str, Any]] = {
    AnswerFormat.SCHEMA: {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "analysis", "strict": True, "schema": ANSWER_SCHEMA},
        }
    },
    AnswerFormat.OBJECT: {"response_format": {"type": "json_object"}},
    AnswerFormat.TEXT: {},
}
_ENDINGS = {"length": Ending.TRUNCATED, "content_filter": Ending.REFUSED}


class OpenAiAnalyzer(ModelAnalyzer):
    """`AI_TYPE=openai`."""

    name = "openai"

    def __init__(self, *, model: str, prompt: Prompt, access: Access, limiter: RateLimiter) -> None:
        super().__init__(model=model, prompt=prompt, access=access, limiter=limiter)
        self._client = openai.AsyncOpenAI(
            # Everything is said here, so that nothing is taken from the library's own environment variables.
            api_key=access.api_key or "none",
            base_url=access.base_url or OWN_URL,
            timeout=access.timeout_s,
            max_retries=0,
        )
        # OpenAI's newer models refuse the old name, other servers know no other.
        self._limit = "max_tokens" if access.base_url else "max_completion_tokens"

    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        messages: list[ChatCompletionMessageParam] = [{"role": "system", "content": system}]
        messages += [
            {"role": "user", "content": turn.text}
            if turn.role is Role.USER
            else {"role": "assistant", "content": turn.text}
            for turn in turns
        ]
        extra: dict[str, Any] = {**_FORMATS[answer_format], self._limit: self.access.output_tokens}
        try:
            answer = await self._client.chat.completions.create(model=self.model, messages=messages, **extra)
        except openai.APIStatusError as fault:
            return unanswered(self.model, fault.status_code, fault.message, fault.response.headers)
        except openai.APITimeoutError as fault:
            raise TimeoutError from fault
        except (openai.APIError, ValueError) as fault:
            return unreachable(self.model, fault)
        return _reply(answer)

    async def close(self) -> None:
        await self._client.close()


def _reply(answer: Any) -> Reply | Unanswered:
    # Compatible servers leave out what OpenAI always sends, and put errors into a 200: nothing is taken for granted.
    if not getattr(answer, "choices", None):
        said = getattr(answer, "error", None) or "an answer without choices"
        return Unanswered(kind=FailureKind.OUTAGE, message=f"The endpoint sent {said}.")
    choice, usage = answer.choices[0], getattr(answer, "usage", None)
    message = choice.message
    refusal = getattr(message, "refusal", None)
    return Reply(
        text=refusal or message.content or "",
        ending=Ending.REFUSED if refusal else _ENDINGS.get(choice.finish_reason or "", Ending.COMPLETE),
        tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
        tokens_out=getattr(usage, "completion_tokens", 0) or 0,
    )
