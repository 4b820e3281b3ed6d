"""The six scores, each with a reason and the words behind it.

Four come from the word lists: an entry adds by its weight, `SHARES` says to which scores, the sum is set
against the length of the passage and bent into 0..1. Clickbait is the probability of the trained model.
Overall is seven tenths the highest of the five and three tenths their mean: one thing done strongly makes
an item loaded, and several done a little make it slanted. Speculation counts half there, because a doubt
that is stated is honest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inforadar.model.analysis import Score, ScoreName
from inforadar.stages.analyze.base import MAX_REASON, MAX_WORD, clean_line
from inforadar.stages.analyze.local import clickbait
from inforadar.stages.analyze.local.language import NAMES
from inforadar.stages.analyze.local.lexicon import LANGUAGES, Kind, Lexicon
from inforadar.stages.analyze.local.passage import EFFECT, Passage, scare_quotes_of

SHARES: dict[ScoreName, dict[Kind, float]] = {
    ScoreName.FRAMING: {Kind.LOADED: 1.0, Kind.LABEL: 1.2, Kind.SPIN: 1.0, Kind.BOOSTER: 0.1},
    ScoreName.PERSUASIVE: {
        Kind.LOADED: 0.7,
        Kind.LABEL: 0.9,
        Kind.URGE: 1.0,
        Kind.BOOSTER: 0.25,
        Kind.SPIN: 0.3,
        Kind.STIMULUS: 0.15,
    },
    ScoreName.HYPER_STIMULUS: {Kind.STIMULUS: 1.0, Kind.LOADED: 0.09},
    ScoreName.SPECULATIVE: {Kind.HEDGE: 1.0},
}
_FOUND = {
    ScoreName.FRAMING: "words that judge what they report",
    ScoreName.PERSUASIVE: "words that push for a view",
    ScoreName.HYPER_STIMULUS: "strong words",
    ScoreName.SPECULATIVE: "guesses and hedges",
}
_NOTHING = {
    ScoreName.FRAMING: "No words that judge what they report.",
    ScoreName.PERSUASIVE: "No words that push for a view.",
    ScoreName.HYPER_STIMULUS: "No capitals, marks or words that cry for attention.",
    ScoreName.SPECULATIVE: "No guesses or hedges.",
}
_SHOWN = 5
_KEPT = 20
_SHOWN_GAIN = 0.17
_SENTENCE = 12
_PARAGRAPH = 60


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
    """All six. The headline is the title, or the first sentence of what has none."""
    scores = {name: _listed_score(name, title, text, lexicon) for name in SHARES}
    scores[ScoreName.CLICKBAIT] = _clickbait_score(headline, lexicon)
    scores[ScoreName.OVERALL] = _overall(scores)
    return scores


def bend(total: float, length: float) -> float:
    """A sum as a score. A sentence may hold what it likes; beyond a paragraph mostly the density counts."""
    size = max(length, _SENTENCE) / _SENTENCE
    if length <= _PARAGRAPH:
        norm = math.sqrt(size)
    else:
        norm = math.sqrt(_PARAGRAPH / _SENTENCE) * (length / _PARAGRAPH) ** 0.85
    return 1 - math.exp(-total / norm / 2)


def _listed_score(name: ScoreName, title: Passage | None, text: Passage | None, lexicon: Lexicon) -> Score:
    of_title = _weigh(name, title) if title else None
    of_text = _weigh(name, text) if text else None
    if of_title and of_text:
        # The title is read by everyone, the text by few: a calm text cannot hide a loud title.
        value = max(of_title.value, 0.25 * of_title.value + 0.75 * of_text.value)
    else:
        value = max((weighed.value for weighed in (of_title, of_text) if weighed), default=0.0)
    both = [weighed for weighed in (of_title, of_text) if weighed]
    words = tuple(dict.fromkeys(word for weighed in both for word in weighed.words))[:_KEPT]
    parts = next((weighed.notes for weighed in both if weighed.notes), []).copy()
    if words:
        parts.append(f"{_FOUND[name]}: {_quoted(words)}")
    reason = "; ".join(parts) + "." if parts else _NOTHING[name]
    reason = reason[:1].upper() + reason[1:]
    return Score(value=_rounded(value), reason=_with_limits(reason, name, lexicon), words=words)


def _weigh(name: ScoreName, passage: Passage) -> _Weighed:
    shares = SHARES[name]
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
    elif passage.text.rstrip().endswith(("?", "？")):
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
        reason=_with_limits(reason, ScoreName.CLICKBAIT, lexicon),
        words=words,
    )


def _overall(scores: dict[ScoreName, Score]) -> Score:
    parts = {
        name: score.value * (0.5 if name is ScoreName.SPECULATIVE else 1.0) for name, score in scores.items()
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
    return Score(value=_rounded(value), reason=reason + ".", words=words[:_KEPT])


def _with_limits(reason: str, name: ScoreName, lexicon: Lexicon) -> str:
    if lexicon.language not in LANGUAGES:
        language = NAMES.get(lexicon.language)
        unknown = f"There are no word lists for {language}" if language else "The language is not known"
        match name:
            case ScoreName.HYPER_STIMULUS:
                reason = f"{unknown}; only capitals, marks and emoji were counted. {reason}"
            case ScoreName.CLICKBAIT:
                reason = f"{unknown}; only numbers and marks were judged. {reason}"
            case _:
                reason = f"{unknown}, so this was not measured."
    return clean_line(reason, MAX_REASON)


def _unique(signs: list[_Sign]) -> tuple[str, ...]:
    """The strongest words first, each once however it is written, as they stand in the original."""
    chosen: dict[str, str] = {}
    # Pronouns and small words add up in a long text, but nobody wants them underlined.
    for sign in sorted(signs, key=lambda sign: -sign.gain):
        if sign.gain >= _SHOWN_GAIN and len(sign.word) <= MAX_WORD and sign.word.isprintable():
            chosen.setdefault(sign.word.casefold(), sign.word)
    return tuple(chosen.values())[:_KEPT]


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words[:_SHOWN])


def _rounded(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 3)
