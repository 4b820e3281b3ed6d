"""A model's answer: the schema it is asked for, and strict parsing of what came back.

The schema is sent to endpoints that can enforce it. The answer is checked here as well, because some only claim to
enforce it. Problems are returned as sentences for the model, which then gets another chance.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from inforadar.model.analysis import Analysis, Score, ScoreName, Subject
from inforadar.stages.analyze.base import MAX_WORD_CHARS, MAX_WORDS, clean_line, validate

MAX_ANSWER_CHARS = 100_000
"""About three times the largest valid answer."""
MAX_BRACES_TRIED = 50
"""Opening braces at which an answer that is surrounded by other text is looked for."""

CATEGORIES = (
    "world", "politics", "business", "technology", "science", "health", "environment", "society", "culture",
    "sport", "crime", "opinion", "other",
)  # fmt: skip

_TEXTS = ("title", "title_reason", "description", "description_reason", "summary")


class _Score(msgspec.Struct, forbid_unknown_fields=True):
    value: float
    reason: str
    words: list[str]


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    language: str
    category: str
    title: str
    title_reason: str
    description: str
    description_reason: str
    summary: str
    facts: list[str]
    scores: dict[ScoreName, _Score]


def _object(**properties: Any) -> dict[str, Any]:
    # Every field required and no others allowed: all vendors demand this of a schema that they enforce. Limits on
    # length and range are not supported everywhere, so they are in the prompt and checked afterwards.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_LIST = {"type": "array", "items": _TEXT}
_SCORE = _object(value={"type": "number"}, reason=_TEXT, words=_LIST)

ANSWER_SCHEMA: dict[str, Any] = _object(
    language=_TEXT,
    category={"type": "string", "enum": list(CATEGORIES)},
    **dict.fromkeys(_TEXTS, _TEXT),
    facts=_LIST,
    scores=_object(**{name.value: _SCORE for name in ScoreName}),
)


def parse_answer(
    text: str, subject: Subject, *, boundary: str, model: str, prompt_version: str
) -> Analysis | tuple[str, ...]:
    """Parse an answer into an analysis, or into sentences that say what is wrong with it."""
    if len(text) > MAX_ANSWER_CHARS:
        return (f"The answer has {len(text)} characters; a tenth of that is plenty.",)
    if boundary in text:
        return ("The answer repeats the code of the fence, which belongs in no field.",)
    try:
        answer = _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as fault:
        return (f"The answer is not the JSON object that was asked for: {fault}.",)
    if answer.category not in CATEGORIES:
        return (f"category must be one of {', '.join(CATEGORIES)}.",)
    missing = [name.value for name in ScoreName if name not in answer.scores]
    if missing:
        return (f"scores lacks {', '.join(missing)}.",)
    seen = "\n".join((subject.title, subject.description, subject.text))
    texts: dict[str, Any] = {name: _line(getattr(answer, name)) for name in _TEXTS}
    scores: dict[str, Any] = {name.value: _score(answer.scores[name], seen) for name in ScoreName}
    analysis = Analysis(
        **texts,
        facts=tuple(fact for fact in map(_line, answer.facts) if fact),
        **scores,
        category=answer.category,
        language=answer.language.strip(),
        model=model,
        prompt_version=prompt_version,
    )
    return validate(analysis) or analysis


def _decode(text: str) -> _Answer:
    said = _without_thoughts(text)
    try:
        return msgspec.json.decode(_json_in(said), type=_Answer)
    except (msgspec.DecodeError, RecursionError):
        found = _object_in(said)
        if found is None:
            raise
    return msgspec.json.decode(found.encode(), type=_Answer)


def _without_thoughts(text: str) -> str:
    """Drop the model's reasoning, which some servers leave in front of the answer and which may contain a draft."""
    begun = text.lstrip()
    if not begun.startswith("<think>"):
        return text
    _, end, rest = begun.partition("</think>")
    return rest if end else text


def _object_in(text: str) -> str | None:
    """Find the first JSON object with scores in text that has other braces too.

    Nothing is parsed twice and few braces are tried, so that the time is bounded for any text.
    """
    reader, start = json.JSONDecoder(), text.find("{")
    for _ in range(MAX_BRACES_TRIED):
        if start < 0:
            return None
        end = start + 1
        try:
            found, end = reader.raw_decode(text, start)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and "scores" in found:
            return text[start:end]
        start = text.find("{", end)
    return None


def _json_in(text: str) -> bytes:
    """Cut from the first brace to the last: small models wrap their answer in a code block or a greeting."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1].encode() if 0 <= start < end else text.encode()


def _score(score: _Score, seen: str) -> Score:
    # The words are marked in the text, so a word that is not in it is useless.
    words = dict.fromkeys(
        word
        for word in map(_line, score.words[:MAX_WORDS])
        if 0 < len(word) <= MAX_WORD_CHARS and word in seen
    )
    return Score(value=score.value, reason=_line(score.reason), words=tuple(words))


def _line(text: str) -> str:
    return clean_line(text, max(len(text), 1))
