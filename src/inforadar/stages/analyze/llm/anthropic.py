"""The Anthropic messages API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anthropic

from inforadar.model.analysis import Reasoning
from inforadar.stages.analyze.base import FailureKind
from inforadar.stages.analyze.llm.answer import ANSWER_SCHEMA
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import AnswerFormat, Ending, Reply, Turn, Unanswered
from inforadar.stages.analyze.llm.generated import client_arguments, messages_of, sent

OWN_URL = "https://api.anthropic.com"

_FORMATS: dict[AnswerFormat, dict[str, Any]] = {
    AnswerFormat.SCHEMA: {"output_config": {"format": {"type": "json_schema", "schema": ANSWER_SCHEMA}}},
    AnswerFormat.TEXT: {},
}
_THOUGHT_TOKENS = {Reasoning.LOW: 1_024, Reasoning.MEDIUM: 4_096, Reasoning.HIGH: 16_384}
_MIN_THOUGHT_TOKENS = 1_024
_ENDINGS = {
    "max_tokens": Ending.TRUNCATED,
    "model_context_window_exceeded": Ending.TRUNCATED,
    "refusal": Ending.REFUSED,
}


class AnthropicAnalyzer(ModelAnalyzer):
    """`AI_TYPE=anthropic`."""

    name = "anthropic"
    formats = (AnswerFormat.SCHEMA, AnswerFormat.TEXT)

    def connect(self) -> None:
        self._client = anthropic.AsyncAnthropic(**client_arguments(self.access, OWN_URL))

    def tuned(self) -> dict[str, dict[str, Any]]:
        reasoning, temperature = self.access.reasoning, self.access.temperature
        if thoughts := _THOUGHT_TOKENS.get(reasoning):
            # A thinking model takes no temperature, and its thoughts count towards the answer's length.
            budget = max(min(thoughts, self.access.output_tokens // 2), _MIN_THOUGHT_TOKENS)
            return {"thinking": {"thinking": {"type": "enabled", "budget_tokens": budget}}}
        found: dict[str, dict[str, Any]] = {}
        if temperature is not None:
            # The library no longer has it, because new models refuse it; others still take it.
            found["temperature"] = {"extra_body": {"temperature": min(temperature, 1.0)}}
        if reasoning is Reasoning.OFF:
            found["thinking"] = {"thinking": {"type": "disabled"}}
        return found

    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        request: dict[str, Any] = {
            "model": self.model,
            "system": system,
            "messages": messages_of(turns),
            "max_tokens": self.access.output_tokens,
            **_FORMATS[answer_format],
            **self.tuning.arguments,
        }
        answer = await sent(anthropic, self.model, self._client.messages.create(**request))
        return answer if isinstance(answer, Unanswered) else _reply(answer)

    async def close(self) -> None:
        await self._client.close()


def _reply(answer: Any) -> Reply | Unanswered:
    # A gateway in between can send anything with status 200, and the library does not check the shape.
    content, usage = getattr(answer, "content", None), getattr(answer, "usage", None)
    if not isinstance(content, list) or usage is None:
        told = "The endpoint sent something other than a message."
        return Unanswered(kind=FailureKind.OUTAGE, message=told, may_be_billed=True)
    # Tokens from the vendor's prompt cache count as input, although they are billed at a lower price.
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return Reply(
        text="".join(block.text for block in content if block.type == "text"),
        ending=_ENDINGS.get(answer.stop_reason or "", Ending.COMPLETE),
        tokens_in=usage.input_tokens + cached,
        tokens_out=usage.output_tokens,
    )
