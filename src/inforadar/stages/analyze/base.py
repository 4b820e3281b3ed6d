"""The one interface of all analyzers, its endings, and the rules that every result keeps.

A model that refuses, stops early or answers nonsense is an ordinary day: those endings are values, and the
caller decides by their kind what to do with the item. `validate` is one function for all analyzers, so that
nothing downstream has to ask which of them wrote an analysis.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from inforadar.model.analysis import Analysis, Score, ScoreName, Subject

MAX_TITLE = 500
MAX_REASON = 300
MAX_DESCRIPTION = 2_000
MAX_SUMMARY = 4_000
MAX_FACTS = 20
MAX_FACT = 600
MAX_WORDS = 40
MAX_WORD = 200
MAX_LABEL = 60

UNKNOWN_LANGUAGE = "und"
"""BCP 47's own tag for a language that was not determined."""

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}\Z")


class FailureKind(StrEnum):
    """Why there is no analysis; the words are those in the database."""

    REFUSED = "refused"
    TRUNCATED = "truncated"
    INVALID = "invalid"
    RATE_LIMITED = "rate_limited"
    OUTAGE = "outage"
    TIMEOUT = "timeout"
    BAD_REQUEST = "bad_request"
    """The endpoint did not accept the request: too long, a parameter it does not know."""
    REJECTED = "rejected"
    """The endpoint does not want us: key, account, or a model it does not have."""
    BUDGET = "budget"
    FAULT = "fault"
    """Info Radar's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was asked of a model; nothing for what runs here."""

    calls: int = 0
    """Requests that were answered, or that may be billed although no answer came."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In US dollars."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost=self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyzed:
    """A valid analysis and what it took."""

    analysis: Analysis
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisFailed:
    """No analysis. What was spent on the attempt still counts."""

    kind: FailureKind
    message: str
    """A sentence for a person."""
    retry_after_s: float | None = None
    """How long the other side asked us to wait."""
    usage: Usage = Usage()


class Analyzer(Protocol):
    """Anything that deframes. Name, model and prompt version together are the key of the answer cache."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def prompt_version(self) -> str: ...

    async def analyze(self, subject: Subject) -> Analyzed | AnalysisFailed: ...


def validate(analysis: Analysis) -> tuple[str, ...]:
    """What is wrong with a result, a sentence each; empty when it may be published.

    The sentences are written to be sent back to a model, so each names its field and the limit.
    """
    return tuple(_problems(analysis))


def clean_line(text: str, limit: int) -> str:
    """One line without control characters, cut at a word where it is too long."""
    # Bounded before the work, so that a megabyte of spaces costs what a page of them does.
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
    # Joiners hold emoji and Persian or Indic words together; other format characters (soft hyphens, marks
    # of direction) stand inside words too, but only hide something.
    if char.isprintable() or char in "\u200c\u200d":
        return char
    return "" if unicodedata.category(char) == "Cf" else " "


def _problems(analysis: Analysis) -> Iterator[str]:
    yield from _line("title", analysis.title, MAX_TITLE)
    yield from _line("title_reason", analysis.title_reason, MAX_REASON)
    yield from _text("description", analysis.description, MAX_DESCRIPTION)
    yield from _line("description_reason", analysis.description_reason, MAX_REASON)
    yield from _text("summary", analysis.summary, MAX_SUMMARY)
    if len(analysis.facts) > MAX_FACTS:
        yield f"facts has {len(analysis.facts)} entries; at most {MAX_FACTS} are allowed."
    for number, fact in enumerate(analysis.facts):
        yield from _line(f"facts[{number}]", fact, MAX_FACT)
    for name in ScoreName:
        yield from _score(name.value, analysis.score(name))
    yield from _line("category", analysis.category, MAX_LABEL)
    if not _LANGUAGE.match(analysis.language):
        yield f"language is {analysis.language!r}; it must be a BCP 47 tag such as 'en' or 'pt-BR'."
    yield from _line("model", analysis.model, MAX_LABEL * 2)
    yield from _line("prompt_version", analysis.prompt_version, MAX_LABEL)


def _score(field: str, score: Score) -> Iterator[str]:
    if not math.isfinite(score.value) or not 0 <= score.value <= 1:
        yield f"{field}.value is {score.value}; it must be a number from 0 to 1."
    yield from _line(f"{field}.reason", score.reason, MAX_REASON)
    if len(score.words) > MAX_WORDS:
        yield f"{field}.words has {len(score.words)} entries; at most {MAX_WORDS} are allowed."
    for number, word in enumerate(score.words):
        yield from _line(f"{field}.words[{number}]", word, MAX_WORD)


def _line(field: str, text: str, limit: int) -> Iterator[str]:
    """A text that must be there, on one line."""
    if not text.strip():
        yield f"{field} is empty."
    elif "\n" in text or "\t" in text:
        yield f"{field} must be one line."
    yield from _text(field, text, limit)


def _text(field: str, text: str, limit: int) -> Iterator[str]:
    if len(text) > limit:
        yield f"{field} has {len(text)} characters; at most {limit} are allowed."
    # Control characters and lone surrogates cannot be written into XML, and so not be published.
    if _UNPRINTABLE.search(text):
        yield f"{field} has control characters."
