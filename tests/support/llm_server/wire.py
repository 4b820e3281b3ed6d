"""The wire formats of OpenAI's chat completions, Anthropic's messages and Gemini's generateContent.

Each format is parsed into a `Call`, and an `Answer` is written in it, as the vendor documents it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCORES = ("framing", "clickbait", "persuasive", "hyper_stimulus", "speculative", "overall")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request, the same for every vendor."""

    vendor: str
    model: str
    system: str
    turns: tuple[tuple[str, str], ...]
    """(role, text); the model's own role is `assistant`."""
    answer_format: str
    """schema, object or text."""
    schema: Mapping[str, Any] | None
    key: str
    body: Mapping[str, Any]

    @property
    def article(self) -> str:
        """The first message: the fenced article."""
        return self.turns[0][1]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The model's answer, or how the endpoint fails."""

    text: str = ""
    ending: str = "complete"
    """complete, truncated or refused."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = "the model is on fire"
    error_details: tuple[Mapping[str, Any], ...] = ()
    raw: bytes | None = None
    """Sent instead of a well-formed body."""
    never: bool = False
    """Send nothing until the client disconnects."""
    drips: bool = False
    """Send only a blank now and then until the client disconnects."""
    breaks: bool = False
    """Close the connection without an answer."""
    after: asyncio.Event | None = None
    """Wait for this before answering."""
    tokens_in: int = 100
    tokens_out: int = 50


def good_answer(**changes: Any) -> dict[str, Any]:
    """Return a valid analysis with some fields changed."""
    score = {"value": 0.25, "reason": "One loaded word.", "words": []}
    return {
        "language": "en",
        "category": "politics",
        "title": "Minister criticises plan",
        "title_reason": "A loaded verb was replaced.",
        "description": "The minister spoke against the plan.",
        "description_reason": "Nothing was changed.",
        "summary": "The minister said that the plan costs too much.",
        "facts": ["The plan costs 3 million, the minister said."],
        "scores": {name: dict(score) for name in SCORES},
    } | changes


def answer_text(**changes: Any) -> str:
    return json.dumps(good_answer(**changes), ensure_ascii=False)


def read_openai(body: Mapping[str, Any], headers: Mapping[str, str]) -> Call:
    wanted = body.get("response_format") or {}
    kinds = {"json_schema": "schema", "json_object": "object", None: "text"}
    first, *rest = body["messages"]
    assert first["role"] == "system"
    return Call(
        vendor="openai",
        model=body["model"],
        system=first["content"],
        turns=tuple((turn["role"], turn["content"]) for turn in rest),
        answer_format=kinds[wanted.get("type")],
        schema=wanted.get("json_schema", {}).get("schema"),
        key=headers["Authorization"].removeprefix("Bearer "),
        body=body,
    )


def write_openai(answer: Answer, call: Call) -> dict[str, Any]:
    if answer.status != 200:
        return {"error": {"message": answer.error, "type": "server_error", "code": None, "param": None}}
    refused = answer.ending == "refused"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": call.model,
        "choices": [
            {
                "index": 0,
                "finish_reason": "length" if answer.ending == "truncated" else "stop",
                "message": {
                    "role": "assistant",
                    "content": None if refused else answer.text,
                    "refusal": answer.text if refused else None,
                },
            }
        ],
        "usage": {
            "prompt_tokens": answer.tokens_in,
            "completion_tokens": answer.tokens_out,
            "total_tokens": answer.tokens_in + answer.tokens_out,
        },
    }


def read_anthropic(body: Mapping[str, Any], headers: Mapping[str, str]) -> Call:
    wanted = (body.get("output_config") or {}).get("format")
    assert body["max_tokens"] > 0
    return Call(
        vendor="anthropic",
        model=body["model"],
        system=body["system"],
        turns=tuple((turn["role"], turn["content"]) for turn in body["messages"]),
        answer_format="schema" if wanted else "text",
        schema=wanted["schema"] if wanted else None,
        # Versions of the library differ in which header they send.
        key=headers.get("X-Api-Key") or headers["Authorization"].removeprefix("Bearer "),
        body=body,
    )


def write_anthropic(answer: Answer, call: Call) -> dict[str, Any]:
    if answer.status != 200:
        return {"type": "error", "error": {"type": "api_error", "message": answer.error}}
    stops = {"complete": "end_turn", "truncated": "max_tokens", "refused": "refusal"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": [{"type": "text", "text": answer.text}] if answer.text else [],
        "stop_reason": stops[answer.ending],
        "stop_sequence": None,
        "usage": {"input_tokens": answer.tokens_in, "output_tokens": answer.tokens_out},
    }


def read_gemini(body: Mapping[str, Any], headers: Mapping[str, str], model: str) -> Call:
    config = body.get("generationConfig", {})
    schema = config.get("responseJsonSchema")
    is_json = config.get("responseMimeType") == "application/json"
    roles = {"user": "user", "model": "assistant"}
    return Call(
        vendor="gemini",
        model=model,
        system=body["systemInstruction"]["parts"][0]["text"],
        turns=tuple((roles[turn["role"]], turn["parts"][0]["text"]) for turn in body["contents"]),
        answer_format="schema" if schema else "object" if is_json else "text",
        schema=schema,
        key=headers["X-Goog-Api-Key"],
        body=body,
    )


def write_gemini(answer: Answer, call: Call) -> dict[str, Any]:
    if answer.status != 200:
        return {
            "error": {
                "code": answer.status,
                "message": answer.error,
                "status": "UNAVAILABLE",
                "details": list(answer.error_details),
            }
        }
    stops = {"complete": "STOP", "truncated": "MAX_TOKENS", "refused": "SAFETY"}
    usage = {
        "promptTokenCount": answer.tokens_in,
        "candidatesTokenCount": answer.tokens_out - 10,
        "thoughtsTokenCount": 10,
        "totalTokenCount": answer.tokens_in + answer.tokens_out,
    }
    content = {"role": "model", "parts": [{"text": answer.text}]}
    return {
        "candidates": [{"content": content, "finishReason": stops[answer.ending], "index": 0}],
        "usageMetadata": usage,
        "modelVersion": call.model,
    }
