"""Analyses: the result of analyzing an item, and its JSON form.

`to_json` and `from_json` are the only place that knows the JSON form, which is used in the column
`items.analyzer_result`, in the answer of `/api/item` and in the feeds' extension.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inforadar.errors import ParseError


class AnalyzerName(StrEnum):
    """The analyzers that AI_TYPE and `feed edit --analyzer` accept; `stages/analyze` has a class for each."""

    LOCAL = "local"
    MOCK = "mock"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


class Reasoning(StrEnum):
    """How much a model may think before it answers."""

    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    DEFAULT = "default"
    """Whatever the model does by itself."""


class ScoreName(StrEnum):
    """The scores of an analysis, in the order they are shown; each is a field of `Analysis` too."""

    FRAMING = "framing"
    CLICKBAIT = "clickbait"
    PERSUASIVE = "persuasive"
    HYPER_STIMULUS = "hyper_stimulus"
    SPECULATIVE = "speculative"
    OVERALL = "overall"


NOT_MEASURED = "not measured"
NOT_MEASURED_SHORT = "n/m"
"""For columns that hold a number; the help explains it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One score from 0 to 1; 0 means that nothing was found. `words` caused it and are marked in the text."""

    value: float | None
    """`None`: not measured, because the analyzer was not trained for the text's language."""
    reason: str
    words: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return score_label(self.value)

    @property
    def in_words(self) -> str:
        """Label and number: `slanted 0.41`, or `not measured`."""
        return self.label if self.value is None else f"{self.label} {self.value:.2f}"


SCORE_BANDS: Mapping[str, tuple[float | None, float | None]] = {
    "neutral": (None, 0.34),
    "slanted": (0.34, 0.67),
    "loaded": (0.67, None),
}
"""{word: (lowest score, upper bound)}; the bound is exclusive."""
SCORE_LABELS = (*SCORE_BANDS, NOT_MEASURED)
"""All words that `score_label` returns."""


def score_label(value: float | None) -> str:
    """The word shown beside the number, the same on every screen and in every feed."""
    if value is None:
        return NOT_MEASURED
    return next(word for word, (_, bound) in SCORE_BANDS.items() if bound is None or value < bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The input of an analyzer: data, never instructions."""

    url: str
    title: str
    description: str
    text: str
    """The article's clean text, else the feed's own content as plain text; may be empty."""
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A validated analysis (C5)."""

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


_TEXTS = ("title", "title_reason", "description", "description_reason", "summary")
_LABELS = ("category", "language", "model", "prompt_version")


def to_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis as it is stored and served; `from_json` reads it back."""
    return {
        **{name: getattr(analysis, name) for name in _TEXTS},
        "facts": list(analysis.facts),
        "scores": {
            name.value: {"value": score.value, "reason": score.reason, "words": list(score.words)}
            for name, score in ((name, analysis.score(name)) for name in ScoreName)
        },
        **{name: getattr(analysis, name) for name in _LABELS},
    }


def from_json(stored: Mapping[str, Any]) -> Analysis | None:
    """Parse a stored analysis; `{}` means not analyzed yet and returns None.

    An incomplete or invalid one raises a `ParseError` that names the field: half an analysis is never shown. Unknown
    keys are ignored, since a newer version may have written them.
    """
    if not stored:
        return None
    if not isinstance(stored, Mapping):
        raise ParseError("The analysis is not a JSON object.")
    listed = _field(stored, "scores", dict)
    texts: dict[str, Any] = {name: _field(stored, name, str) for name in _TEXTS + _LABELS}
    scores: dict[str, Any] = {
        name.value: _score(_field(listed, name.value, dict), name) for name in ScoreName
    }
    return Analysis(**texts, facts=_strings(stored, "facts"), **scores)


def _score(stored: Mapping[str, Any], name: ScoreName) -> Score:
    value = stored.get("value", "missing")
    if value is None:
        return Score(value=None, reason=_field(stored, "reason", str), words=_strings(stored, "words"))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParseError(f"The analysis has a {name.value} score of {value!r}; scores go from 0 to 1.")
    return Score(value=float(value), reason=_field(stored, "reason", str), words=_strings(stored, "words"))


def _field(stored: Mapping[str, Any], name: str, kind: type) -> Any:
    value = stored.get(name)
    if not isinstance(value, kind):
        raise ParseError(f"The analysis has an invalid {name!r}: {value!r}.")
    return value


def _strings(stored: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _field(stored, name, list)
    if not all(isinstance(value, str) for value in values):
        raise ParseError(f"The analysis has values in {name!r} that are not text.")
    return tuple(values)
