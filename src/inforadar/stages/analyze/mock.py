"""The mock analyzer: a short delay and dummy data, for development (seed 2, section 5).

The data depend only on the subject, so that screens and tests that use them are the same every day. Titles and texts
come back unchanged, and each reason says that the score is made up.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import Any

from inforadar.model.analysis import Analysis, Score, ScoreName, Subject
from inforadar.stages.analyze.base import (
    MAX_DESCRIPTION_CHARS,
    MAX_TITLE_CHARS,
    MAX_WORD_CHARS,
    UNKNOWN_LANGUAGE,
    Analyzed,
    clean_line,
)

_CATEGORIES = ("world", "politics", "business", "technology", "science", "culture", "sport")
_LANGUAGE = re.compile(r"[a-z]{2,3}\Z")


class MockAnalyzer:
    """Wait a little, then answer with data derived from the subject's hash."""

    name = "mock"
    model = "mock-1"
    prompt_version = "1"

    def __init__(
        self, *, latency_s: float = 0.05, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._latency_s = latency_s
        self._sleep = sleep

    async def analyze(self, subject: Subject) -> Analyzed:
        await self._sleep(self._latency_s)
        return Analyzed(analysis=_made_up(subject))


def _made_up(subject: Subject) -> Analysis:
    parts = (subject.url, subject.title, subject.description, subject.text, subject.language or "")
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    description = clean_line(subject.description or subject.text, MAX_DESCRIPTION_CHARS)
    words = tuple(
        dict.fromkeys(word[:MAX_WORD_CHARS] for word in clean_line(subject.title, MAX_TITLE_CHARS).split())
    )

    def score(index: int) -> Score:
        chosen = words[digest[index + 8] % len(words)] if words else None
        return Score(
            value=round(digest[index] / 255, 2),
            reason="Made up by the mock analyzer.",
            words=(chosen,) if chosen and chosen in subject.title else (),
        )

    scores: dict[str, Any] = {name.value: score(index) for index, name in enumerate(ScoreName)}
    return Analysis(
        title=clean_line(subject.title, MAX_TITLE_CHARS) or "Untitled",
        title_reason="The mock analyzer leaves titles as they are.",
        description=description,
        description_reason="The mock analyzer leaves descriptions as they are.",
        summary=description,
        facts=(),
        **scores,
        category=_CATEGORIES[digest[6] % len(_CATEGORIES)],
        language=subject.language
        if subject.language and _LANGUAGE.match(subject.language)
        else UNKNOWN_LANGUAGE,
        model=MockAnalyzer.model,
        prompt_version=MockAnalyzer.prompt_version,
    )
