"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anthropic
from anthropic.types import MessageParam

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

OWN_URL = "https://api.anthropic.com"

_FORMATS: dict[AnswerFormat, dict[str, Any]] = {
    AnswerFormat.SCHEMA: {"output_config": {"format": {"type": "json_schema", "schema": ANSWER_SCHEMA}}},
    AnswerFormat.TEXT: {},
}
_ENDINGS = {
    "max_tokens": Ending.TRUNCATED,
    "model_context_window_exceeded": Ending.TRUNCATED,
    "refusal": Ending.REFUSED,
}


class AnthropicAnalyzer(ModelAnalyzer):
    """`AI_TYPE=anthropic`."""

    name = "anthropic"
    formats = (AnswerFormat.SCHEMA, AnswerFormat.TEXT)

    def __init__(self, *, model: str, prompt: Prompt, access: Access, limiter: RateLimiter) -> None:
        super().__init__(model=model, prompt=prompt, access=access, limiter=limiter)
        self._client = anthropic.AsyncAnthropic(
            api_key=access.api_key or "none",
            base_url=access.base_url or OWN_URL,
            timeout=access.timeout_s,
            max_retries=0,
        )

    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        messages: list[MessageParam] = [
            {"role": "user", "content": turn.text}
            if turn.role is Role.USER
            else {"role": "assistant", "content": turn.text}
            for turn in turns
        ]
        try:
            answer = await self._client.messages.create(
                model=self.model,
                system=system,
                messages=messages,
                max_tokens=self.access.output_tokens,
                **_FORMATS[answer_format],
            )
        except anthropic.APIStatusError as fault:
            return unanswered(self.model, fault.status_code, fault.message, fault.response.headers)
        except anthropic.APITimeoutError as fault:
            raise TimeoutError from fault
        except (anthropic.APIError, ValueError) as fault:
            return unreachable(self.model, fault)
        return _reply(answer)

    async def close(self) -> None:
        await self._client.close()


def _reply(answer: Any) -> Reply | Unanswered:
    # A gateway in between can send anything with a 200, and the library checks no shape.
    content, usage = getattr(answer, "content", None), getattr(answer, "usage", None)
    if not isinstance(content, list) or usage is None:
        return Unanswered(kind=FailureKind.OUTAGE, message="The endpoint sent something else than a message.")
    # What was read from their prompt cache was read: it counts, if a little too dear.
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return Reply(
        text="".join(block.text for block in content if block.type == "text"),
        ending=_ENDINGS.get(answer.stop_reason or "", Ending.COMPLETE),
        tokens_in=usage.input_tokens + cached,
        tokens_out=usage.output_tokens,
    )
