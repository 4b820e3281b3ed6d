"""The interface of all analyzers, the ways an analysis can end, and the rules for every result.

Models refuse, stop early or answer nonsense every day, so these endings are values, and the caller decides by their
kind what to do with the item. `validate` is the same for all analyzers, so that nothing downstream depends on which of
them wrote an analysis.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from inforadar.model.analysis import Analysis, Score, ScoreName, Subject

MAX_TITLE_CHARS = 500
MAX_REASON_CHARS = 300
MAX_DESCRIPTION_CHARS = 2_000
MAX_SUMMARY_CHARS = 4_000
MAX_FACTS = 20
MAX_FACT_CHARS = 600
MAX_WORDS = 40
MAX_WORD_CHARS = 200
MAX_LABEL_CHARS = 60

UNKNOWN_LANGUAGE = "und"
"""The BCP 47 tag for an undetermined language."""

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}\Z")


class FailureKind(StrEnum):
    """Why there is no analysis; the database holds these words."""

    REFUSED = "refused"
    TRUNCATED = "truncated"
    INVALID = "invalid"
    RATE_LIMITED = "rate_limited"
    OUTAGE = "outage"
    TIMEOUT = "timeout"
    BAD_REQUEST = "bad_request"
    """The endpoint did not accept the request: too long, or with an unknown parameter."""
    REJECTED = "rejected"
    """The endpoint turned us away: wrong key, account problem, or unknown model."""
    BUDGET = "budget"
    FAULT = "fault"
    """A fault of Info Radar itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Calls, tokens and cost of asking a model; zero for analyzers that run locally."""

    calls: int = 0
    """Requests that were answered, or may be billed although no answer came."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """US dollars."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost=self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyzed:
    """A valid analysis and what it cost."""

    analysis: Analysis
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisFailed:
    """No analysis. The cost of the attempt still counts."""

    kind: FailureKind
    message: str
    """A sentence for a person."""
    retry_after_s: float | None = None
    """How long the endpoint asked us to wait."""
    usage: Usage = Usage()


Work = Callable[[Sequence[Subject]], list[Analysis]]
Run = Callable[[Work, Sequence[Subject]], Awaitable[list[Analysis]]]
"""Runs the local analyzer's work somewhere, in a thread or a process, and returns its result."""


class Analyzer(Protocol):
    """Makes an analysis of a subject. Name, model and prompt version are part of the cache key."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def prompt_version(self) -> str: ...

    async def analyze(self, subject: Subject) -> Analyzed | AnalysisFailed: ...


def validate(analysis: Analysis) -> tuple[str, ...]:
    """List what is wrong with a result, one sentence each; empty if it may be published.

    The sentences are sent back to a model, so each names the field and the limit.
    """
    return tuple(_problems(analysis))


def clean_line(text: str, limit: int) -> str:
    """Make one line without control characters, cut at a word if it is too long."""
    # Cut first, so that a megabyte of spaces costs no more than a page of them.
    line = " ".join(_printable(text[: limit * 4]).split())
    if len(line) <= limit:
        return line
    head, space, _ = line[: limit - 1].rpartition(" ")
    return (head if space and len(head) > limit // 2 else line[: limit - 1]).rstrip() + "…"


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    # Joiners hold emoji and Persian or Indic words together. Other format characters inside words (soft hyphens,
    # direction marks) only hide something.
    if char.isprintable() or char in "\u200c\u200d":
        return char
    return "" if unicodedata.category(char) == "Cf" else " "


def _problems(analysis: Analysis) -> Iterator[str]:
    yield from _line("title", analysis.title, MAX_TITLE_CHARS)
    yield from _line("title_reason", analysis.title_reason, MAX_REASON_CHARS)
    yield from _text("description", analysis.description, MAX_DESCRIPTION_CHARS)
    yield from _line("description_reason", analysis.description_reason, MAX_REASON_CHARS)
    yield from _text("summary", analysis.summary, MAX_SUMMARY_CHARS)
    if len(analysis.facts) > MAX_FACTS:
        yield f"facts has {len(analysis.facts)} entries; at most {MAX_FACTS} are allowed."
    for number, fact in enumerate(analysis.facts):
        yield from _line(f"facts[{number}]", fact, MAX_FACT_CHARS)
    for name in ScoreName:
        yield from _score(name.value, analysis.score(name))
    yield from _line("category", analysis.category, MAX_LABEL_CHARS)
    if not _LANGUAGE.match(analysis.language):
        yield f"language is {analysis.language!r}; it must be a BCP 47 tag such as 'en' or 'pt-BR'."
    yield from _line("model", analysis.model, MAX_LABEL_CHARS * 2)
    yield from _line("prompt_version", analysis.prompt_version, MAX_LABEL_CHARS)


def _score(field: str, score: Score) -> Iterator[str]:
    if score.value is not None and (not math.isfinite(score.value) or not 0 <= score.value <= 1):
        yield f"{field}.value is {score.value}; it must be a number from 0 to 1."
    yield from _line(f"{field}.reason", score.reason, MAX_REASON_CHARS)
    if len(score.words) > MAX_WORDS:
        yield f"{field}.words has {len(score.words)} entries; at most {MAX_WORDS} are allowed."
    for number, word in enumerate(score.words):
        yield from _line(f"{field}.words[{number}]", word, MAX_WORD_CHARS)


def _line(field: str, text: str, limit: int) -> Iterator[str]:
    """Check a required text that must fit on one line."""
    if not text.strip():
        yield f"{field} is empty."
    elif "\n" in text or "\t" in text:
        yield f"{field} must be one line."
    yield from _text(field, text, limit)


def _text(field: str, text: str, limit: int) -> Iterator[str]:
    if len(text) > limit:
        yield f"{field} has {len(text)} characters; at most {limit} are allowed."
    # XML cannot hold control characters and lone surrogates, so they could not be published.
    if _UNPRINTABLE.search(text):
        yield f"{field} has control characters."
