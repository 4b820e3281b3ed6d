"""Google Gemini, through its developer API."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
from google import genai
from google.genai import errors, types

from inforadar.model.analysis import Reasoning
from inforadar.stages.analyze.llm.answer import ANSWER_SCHEMA
from inforadar.stages.analyze.llm.connection import unreachable, was_sent
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import (
    AnswerFormat,
    Ending,
    Reply,
    Role,
    Turn,
    Unanswered,
    unanswered,
)

OWN_URL = "https://generativelanguage.googleapis.com"

_FORMATS: dict[AnswerFormat, dict[str, Any]] = {
    AnswerFormat.SCHEMA: {"response_mime_type": "application/json", "response_json_schema": ANSWER_SCHEMA},
    AnswerFormat.OBJECT: {"response_mime_type": "application/json"},
    AnswerFormat.TEXT: {},
}
_THINKING: dict[Reasoning, dict[str, Any]] = {
    Reasoning.OFF: {"thinking_level": types.ThinkingLevel.MINIMAL},
    Reasoning.LOW: {"thinking_level": types.ThinkingLevel.LOW},
    Reasoning.MEDIUM: {"thinking_level": types.ThinkingLevel.MEDIUM},
    Reasoning.HIGH: {"thinking_level": types.ThinkingLevel.HIGH},
}
"""The least that Gemini 3 takes is `minimal`, with which it hardly thinks."""
_COMPLETE = {"STOP", "FINISH_REASON_UNSPECIFIED", ""}
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s\Z")


class GeminiAnalyzer(ModelAnalyzer):
    """`AI_TYPE=gemini`."""

    name = "gemini"

    def connect(self) -> None:
        access = self.access
        # A client of our own: the library would subclass aiohttp's session, which aiohttp warns about.
        self._http = httpx2.AsyncClient(timeout=access.timeout_s)
        self._client = genai.Client(
            api_key=access.api_key or "none",
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=access.base_url or OWN_URL,
                timeout=int(access.timeout_s * 1000),
                httpx_async_client=self._http,
            ),
        )

    def tuned(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        if self.access.temperature is not None:
            found["temperature"] = {"temperature": self.access.temperature}
        if self.access.reasoning is not Reasoning.DEFAULT:
            found["thinking"] = {"thinking_config": types.ThinkingConfig(**_THINKING[self.access.reasoning])}
        return found

    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        contents = [
            types.Content(
                role="model" if turn.role is Role.ASSISTANT else "user", parts=[types.Part(text=turn.text)]
            )
            for turn in turns
        ]
        config = types.GenerateContentConfig(
            system_instruction=system,
            max_output_tokens=self.access.output_tokens,
            # An article must not be able to trigger anything: no tool is offered or called.
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            **_FORMATS[answer_format],
            **self.tuning.arguments,
        )
        try:
            answer = await self._client.aio.models.generate_content(
                model=self.model, contents=list[Any](contents), config=config
            )
        except errors.APIError as fault:
            return _unanswered(self.model, fault)
        except httpx2.TimeoutException as fault:
            if was_sent(fault):
                raise TimeoutError from fault
            return unreachable(self.model, fault)
        except (httpx2.HTTPError, ValueError) as fault:
            return unreachable(self.model, fault)
        except RecursionError:
            # The library parses the JSON too and fails on a thousand nested brackets: that is an answer, a bad one.
            return Reply(text="(brackets without end)")
        return _reply(answer)

    async def close(self) -> None:
        self._client.close()
        await self._http.aclose()


def _reply(answer: types.GenerateContentResponse) -> Reply:
    usage = answer.usage_metadata
    tokens_in = (usage.prompt_token_count or 0) if usage else 0
    thought = (usage.thoughts_token_count or 0) if usage else 0
    tokens_out = ((usage.candidates_token_count or 0) if usage else 0) + thought
    candidate = answer.candidates[0] if answer.candidates else None
    if candidate is None:
        blocked = answer.prompt_feedback.block_reason if answer.prompt_feedback else None
        said = f"it was blocked ({blocked.value})." if blocked else "there was no answer."
        return Reply(text=said, ending=Ending.REFUSED, tokens_in=tokens_in, tokens_out=tokens_out)
    parts = (candidate.content.parts or []) if candidate.content else []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    reason = candidate.finish_reason.value if candidate.finish_reason else ""
    ending = Ending.COMPLETE
    if reason == "MAX_TOKENS":
        ending = Ending.TRUNCATED
    elif reason not in _COMPLETE:
        ending, text = Ending.REFUSED, f"it was stopped ({reason})."
    return Reply(text=text, ending=ending, tokens_in=tokens_in, tokens_out=tokens_out)


def _unanswered(who: str, fault: errors.APIError) -> Unanswered:
    headers: Mapping[str, str] = getattr(fault.response, "headers", None) or {}
    known = {name.lower(): value for name, value in headers.items()}
    if "retry-after" not in known and (delay := _retry_delay(fault.details)):
        known["retry-after"] = delay
    return unanswered(who, fault.code, fault.message or fault.status or "", known)


def _retry_delay(details: Any) -> str | None:
    """Read how long to wait from Google's body: `{"@type": "…RetryInfo", "retryDelay": "12s"}`."""
    error = details.get("error") if isinstance(details, dict) else None
    listed = error.get("details") if isinstance(error, dict) else None
    for entry in listed if isinstance(listed, list) else []:
        value = entry.get("retryDelay") if isinstance(entry, dict) else None
        if isinstance(value, str) and (found := _DELAY.match(value)):
            return found[1]
    return None
