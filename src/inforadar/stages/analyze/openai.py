"""OpenAI and every endpoint that speaks its chat completions: OpenRouter, vLLM, Ollama, llama.cpp.

Chat completions rather than the newer responses API, because all of these have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import openai

from inforadar.stages.analyze.answer import ANSWER_SCHEMA
from inforadar.stages.analyze.base import FailureKind
from inforadar.stages.analyze.dialogue import ModelAnalyzer
from inforadar.stages.analyze.endpoint import AnswerFormat, Ending, Reply, Turn, Unanswered
from inforadar.stages.analyze.generated import client_arguments, messages_of, sent

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

    def connect(self) -> None:
        self._client = openai.AsyncOpenAI(**client_arguments(self.access, OWN_URL))
        # OpenAI's newer models refuse the old name, other servers know no other.
        self._limit = "max_tokens" if self.access.base_url else "max_completion_tokens"

    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "system", "content": system}, *messages_of(turns)],
            self._limit: self.access.output_tokens,
            **_FORMATS[answer_format],
        }
        answer = await sent(openai, self.model, self._client.chat.completions.create(**request))
        return answer if isinstance(answer, Unanswered) else _reply(answer)

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
