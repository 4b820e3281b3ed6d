"""The six scores by rules, each with a reason and the words behind it: what works without the sentence encoder.

Four come from the word lists: each entry adds by its weight, `LISTED` says to which scores, and the sum is normalized
by the length of the passage and mapped to 0..1. Clickbait is the probability of the trained model. Overall is 0.7 of
the highest of the five plus 0.3 of their mean: one strong sign makes an item loaded, several weak ones make it
slanted. Speculation counts half there, because a stated doubt is honest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inforadar.model.analysis import Score, ScoreName
from inforadar.stages.analyze.base import MAX_REASON_CHARS, MAX_WORD_CHARS, clean_line
from inforadar.stages.analyze.local import clickbait
from inforadar.stages.analyze.local.language import NAMES
from inforadar.stages.analyze.local.lexicon import LANGUAGES, Kind, Lexicon
from inforadar.stages.analyze.local.passage import EFFECT, Passage, scare_quotes_of

_WORDS_IN_REASON = 5
_MAX_WORDS_KEPT = 20
_MIN_GAIN_SHOWN = 0.17
_SENTENCE_WORDS = 12
_PARAGRAPH_WORDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedScore:
    """A score that is counted from the word lists."""

    shares: dict[Kind, float]
    """How much an entry of each kind counts, before its own weight."""
    found: str
    """The noun phrase for what was found, before the words themselves."""
    nothing: str
    """The reason when nothing was found."""


LISTED: dict[ScoreName, ListedScore] = {
    ScoreName.FRAMING: ListedScore(
        shares={Kind.LOADED: 1.0, Kind.LABEL: 1.2, Kind.SPIN: 1.0, Kind.BOOSTER: 0.1},
        found="words that judge what they report",
        nothing="No words that judge what they report.",
    ),
    ScoreName.PERSUASIVE: ListedScore(
        shares={
            Kind.LOADED: 0.7,
            Kind.LABEL: 0.9,
            Kind.URGE: 1.0,
            Kind.BOOSTER: 0.25,
            Kind.SPIN: 0.3,
            Kind.STIMULUS: 0.15,
        },
        found="words that push for a view",
        nothing="No words that push for a view.",
    ),
    ScoreName.HYPER_STIMULUS: ListedScore(
        shares={Kind.STIMULUS: 1.0, Kind.LOADED: 0.09},
        found="strong words",
        nothing="No capitals, marks or words that cry for attention.",
    ),
    ScoreName.SPECULATIVE: ListedScore(
        shares={Kind.HEDGE: 1.0},
        found="guesses and hedges",
        nothing="No guesses or hedges.",
    ),
}


@dataclass(frozen=True, slots=True)
class _Sign:
    word: str
    gain: float


@dataclass(frozen=True, slots=True)
class _Weighed:
    value: float
    notes: list[str]
    words: tuple[str, ...]


def score_all(
    headline: Passage, title: Passage | None, text: Passage | None, lexicon: Lexicon
) -> dict[ScoreName, Score]:
    """Compute all six scores by rules. `headline` is the title, or the first sentence of an item without one."""
    if lexicon.language not in LANGUAGES:
        return not_measured(lexicon.language)
    scores = {name: listed_score(name, title, text) for name in LISTED}
    scores[ScoreName.CLICKBAIT] = _clickbait_score(headline, lexicon)
    scores[ScoreName.OVERALL] = _overall(scores)
    return scores


def not_measured(language: str) -> dict[ScoreName, Score]:
    """The scores of an item in a language that the analyzer does not know: none, with the reason."""
    name = NAMES.get(language)
    why = f"The local analyzer was not trained for {name}" if name else "The language is not known"
    return {score: Score(value=None, reason=f"{why}, so this was not measured.") for score in ScoreName}


def bend(total: float, length: float) -> float:
    """Map a sum to a score. Within a sentence the sum counts; beyond a paragraph, mostly the density."""
    size = max(length, _SENTENCE_WORDS) / _SENTENCE_WORDS
    if length <= _PARAGRAPH_WORDS:
        norm = math.sqrt(size)
    else:
        norm = math.sqrt(_PARAGRAPH_WORDS / _SENTENCE_WORDS) * (length / _PARAGRAPH_WORDS) ** 0.85
    return 1 - math.exp(-total / norm / 2)


def listed_score(name: ScoreName, title: Passage | None, text: Passage | None) -> Score:
    """Compute one of the `LISTED` scores by rules."""
    of_title = _weigh(name, title) if title else None
    of_text = _weigh(name, text) if text else None
    if of_title and of_text:
        # Everyone reads the title and few the text, so a calm text does not make up for a loud title.
        value = max(of_title.value, 0.25 * of_title.value + 0.75 * of_text.value)
    else:
        value = max((weighed.value for weighed in (of_title, of_text) if weighed), default=0.0)
    both = [weighed for weighed in (of_title, of_text) if weighed]
    words = tuple(dict.fromkeys(word for weighed in both for word in weighed.words))[:_MAX_WORDS_KEPT]
    parts = next((weighed.notes for weighed in both if weighed.notes), []).copy()
    if words:
        parts.append(f"{LISTED[name].found}: {_quoted(words)}")
    reason = "; ".join(parts) + "." if parts else LISTED[name].nothing
    reason = reason[:1].upper() + reason[1:]
    return Score(value=_rounded(value), reason=clean_line(reason, MAX_REASON_CHARS), words=words)


def _weigh(name: ScoreName, passage: Passage) -> _Weighed:
    shares = LISTED[name].shares
    signs = [
        _Sign(passage.part(hit), shares[hit.kind] * EFFECT[hit.weight])
        for hit in passage.hits
        if hit.kind in shares
    ]
    notes: list[str] = []
    extra = 0.0
    if name is ScoreName.HYPER_STIMULUS:
        loud = passage.loudness
        signs += [_Sign(word, 1.2) for word in loud.capitals]
        extra = 0.8 * min(loud.marks, 5) + 0.5 * min(len(loud.emoji), 5) + 0.4 * min(loud.ellipses, 2)
        for count, what in ((loud.marks, "exclamation mark"), (len(loud.emoji), "emoji")):
            if count:
                notes.append(f"{count} {what}{'s' if count > 1 and what[-1] == 'k' else ''}")
        if loud.capitals:
            notes.append("capitals")
    elif name is ScoreName.FRAMING:
        signs += [_Sign(quoted, 0.5) for quoted in scare_quotes_of(passage.text)]
    elif name is ScoreName.PERSUASIVE:
        extra = 0.5 * min(passage.loudness.marks, 3)
    elif name is ScoreName.SPECULATIVE and passage.text.rstrip().endswith(("?", "？")):
        extra = 1.0
        notes.append("a question instead of a statement")
    total = sum(sign.gain for sign in signs) + extra
    return _Weighed(bend(total, passage.length), notes, _unique(signs))


def _clickbait_score(title: Passage, lexicon: Lexicon) -> Score:
    if not title.words:
        return Score(value=0.0, reason="There is no title to judge.")
    verdict = clickbait.judge(title.text, title.words, title.hits, lexicon)
    words = _unique(
        [_Sign(title.text[start:end], 1 / (1 + rank)) for rank, (start, end) in enumerate(verdict.spans)]
    )
    if words and verdict.probability >= 0.34:
        reason = f"The title has signs of clickbait: {_quoted(words)}."
    elif words:
        reason = f"Few signs of clickbait in the title: {_quoted(words)}."
    else:
        reason = "No signs of clickbait in the title."
    return Score(
        value=_rounded(verdict.probability),
        reason=clean_line(reason, MAX_REASON_CHARS),
        words=words,
    )


def _overall(scores: dict[ScoreName, Score]) -> Score:
    parts = {
        name: (score.value or 0.0) * (0.5 if name is ScoreName.SPECULATIVE else 1.0)
        for name, score in scores.items()
    }
    value = 0.7 * max(parts.values()) + 0.3 * sum(parts.values()) / len(parts)
    leading = sorted((name for name in parts if parts[name] >= 0.34), key=lambda name: (-parts[name], name))
    if leading:
        reason = "Mostly " + ", ".join(
            f"{name.replace('_', '-')} {scores[name].value:.2f}" for name in leading[:3]
        )
    else:
        reason = "None of the scores stands out"
    words = tuple(dict.fromkeys(word for name in leading for word in scores[name].words))
    return Score(value=_rounded(value), reason=reason + ".", words=words[:_MAX_WORDS_KEPT])


def _unique(signs: list[_Sign]) -> tuple[str, ...]:
    """Return the strongest words first, as in the original; differences in case do not count."""
    chosen: dict[str, str] = {}
    # Pronouns and small words add up in a long text, but marking them would only distract.
    for sign in sorted(signs, key=lambda sign: -sign.gain):
        if sign.gain >= _MIN_GAIN_SHOWN and len(sign.word) <= MAX_WORD_CHARS and sign.word.isprintable():
            chosen.setdefault(sign.word.casefold(), sign.word)
    return tuple(chosen.values())[:_MAX_WORDS_KEPT]


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words[:_WORDS_IN_REASON])


def _rounded(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 3)
