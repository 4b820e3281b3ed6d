"""Analyses: what the analyzer made of an item."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ScoreName(StrEnum):
    """In the order they are shown."""

    FRAMING = "framing"
    CLICKBAIT = "clickbait"
    PERSUASIVE = "persuasive"
    HYPER_STIMULUS = "hyper_stimulus"
    SPECULATIVE = "speculative"
    OVERALL = "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """0 is a score: nothing found. `words` are the words that caused it, for marking them in the text."""

    value: float
    reason: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What an analyzer is given: data, never instructions."""

    url: str
    title: str
    description: str
    text: str
    """The article's clean text; else the feed's own content as plain text; may be empty."""
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A validated result (C5)."""

    title: str
    """The neutral title."""
    title_reason: str
    description: str
    """The neutral description."""
    description_reason: str
    summary: str
    facts: tuple[str, ...]
    framing: Score
    clickbait: Score
    persuasive: Score
    hyper_stimulus: Score
    speculative: Score
    overall: Score
    category: str
    language: str
    model: str
    prompt_version: str

    def score(self, name: ScoreName) -> Score:
        value: Score = getattr(self, name.value)
        return value
