"""OpenAI, and every endpoint with its chat completions API: OpenRouter, vLLM, Ollama, llama.cpp.

Chat completions rather than the newer responses API, because all of these support it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import openai

from inforadar.model.analysis import Reasoning
from inforadar.stages.analyze.base import FailureKind
from inforadar.stages.analyze.llm.answer import ANSWER_SCHEMA
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import AnswerFormat, Ending, Reply, Turn, Unanswered
from inforadar.stages.analyze.llm.generated import client_arguments, messages_of, sent

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
_LIMITS = ("max_tokens", "max_completion_tokens")
"""The old and the new name of the output limit. OpenAI's newer models refuse the old one, other servers the new."""
_ENDINGS = {"length": Ending.TRUNCATED, "content_filter": Ending.REFUSED}


class OpenAiAnalyzer(ModelAnalyzer):
    """`AI_TYPE=openai`."""

    name = "openai"

    def connect(self) -> None:
        self._client = openai.AsyncOpenAI(**client_arguments(self.access, OWN_URL))
        # A guess that the endpoint may correct: AI_BASE_URL can also be OpenAI's or Azure's own address.
        self._limit = _LIMITS[0 if self.access.base_url else 1]

    def tuned(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        reasoning = self.access.reasoning
        if self.access.temperature is not None:
            found["temperature"] = {"temperature": self.access.temperature}
        if reasoning is not Reasoning.DEFAULT:
            off = reasoning is Reasoning.OFF
            found["reasoning"] = {"reasoning_effort": "none" if off else reasoning.value}
            if self.access.base_url:
                # llama.cpp and vLLM switch it in the template; others ignore this.
                found["chat_template"] = {
                    "extra_body": {"chat_template_kwargs": {"enable_thinking": not off}}
                }
        return found

    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "system", "content": system}, *messages_of(turns)],
            **_FORMATS[answer_format],
            **self.tuning.arguments,
        }
        limit = self._limit
        reply = await self._send(request, limit)
        if not _is_about_limit(reply):
            return reply
        other = _LIMITS[1 - _LIMITS.index(limit)]
        again = await self._send(request, other)
        if not _is_about_limit(again):
            self._limit = other
        return again

    async def _send(self, request: dict[str, Any], limit: str) -> Reply | Unanswered:
        limited = {**request, limit: self.access.output_tokens}
        answer = await sent(openai, self.model, self._client.chat.completions.create(**limited))
        return answer if isinstance(answer, Unanswered) else _reply(answer)

    async def close(self) -> None:
        await self._client.close()


def _is_about_limit(reply: Reply | Unanswered) -> bool:
    """Tell whether the name of the limit was refused: each such refusal mentions the new name."""
    if isinstance(reply, Reply) or reply.kind is not FailureKind.BAD_REQUEST:
        return False
    return _LIMITS[1] in reply.message


def _reply(answer: Any) -> Reply | Unanswered:
    # Compatible servers leave out fields that OpenAI always sends, and send errors with status 200.
    if not getattr(answer, "choices", None):
        error = getattr(answer, "error", None)
        told = f"The endpoint sent {error or 'an answer without choices'}."
        return Unanswered(kind=FailureKind.OUTAGE, message=told, may_be_billed=not error)
    choice, usage = answer.choices[0], getattr(answer, "usage", None)
    message = choice.message
    refusal = getattr(message, "refusal", None)
    return Reply(
        text=refusal or message.content or "",
        ending=Ending.REFUSED if refusal else _ENDINGS.get(choice.finish_reason or "", Ending.COMPLETE),
        tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
        tokens_out=getattr(usage, "completion_tokens", 0) or 0,
    )
