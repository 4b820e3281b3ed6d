"""The six scores by the trained head: calibrated probabilities, with the words that carry them.

Title and text are judged apart; of the text, a few sentences spread over it, so that the cost is bounded. A passage
below the border of "slanted" gets no marks, and a word is marked only if its passage is less loaded without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inforadar.model.analysis import Score, ScoreName
from inforadar.semantic import encoder
from inforadar.stages.analyze.base import MAX_REASON_CHARS, MAX_WORD_CHARS, clean_line
from inforadar.stages.analyze.local import clickbait
from inforadar.stages.analyze.local.head import (
    PARTS,
    VECTOR_SCALE,
    Head,
    description,
    inputs_for,
    load_head,
    probability,
)
from inforadar.stages.analyze.local.lexicon import Kind, Lexicon
from inforadar.stages.analyze.local.marks import MARKED_KINDS, candidates_in, is_content_word, without
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.scores import LISTED, listed_score
from inforadar.stages.analyze.local.text import words_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float32]

SLANTED = 0.34
"""The border between neutral and slanted."""
_SENTENCES_JUDGED = 2
_MAX_SENTENCE_CHARS = 300
_MIN_SENTENCE_CHARS = 30
_MAX_WORDS_KEPT = 20
_WORDS_IN_REASON = 5
_FRAMING, _STIMULUS = PARTS.index(ScoreName.FRAMING), PARTS.index(ScoreName.HYPER_STIMULUS)

_REASONS: dict[ScoreName, tuple[str, str, str]] = {
    ScoreName.FRAMING: (
        "The wording judges what it reports",
        "The wording as a whole judges what it reports; no single word stands out.",
        "The wording hardly judges what it reports.",
    ),
    ScoreName.CLICKBAIT: (
        "The title has signs of clickbait",
        "The title as a whole reads like clickbait; no single word stands out.",
        "Few signs of clickbait in the title.",
    ),
    ScoreName.PERSUASIVE: (
        "The wording pushes for a view",
        "The wording as a whole pushes for a view; no single word stands out.",
        "The wording hardly pushes for a view.",
    ),
    ScoreName.HYPER_STIMULUS: (
        "The wording cries for attention",
        "The wording as a whole cries for attention; no single word stands out.",
        "Little that cries for attention.",
    ),
    ScoreName.SPECULATIVE: (
        "Guesses and hedges",
        "It reads like a guess; no single word stands out.",
        "Few guesses or hedges.",
    ),
}
"""By score: the reason before the words, the reason without words, and the reason for a neutral value."""


def is_measured(language: str) -> bool:
    """Tell whether the encoder is there and the head was trained for the language."""
    return encoder.available() and language in description()["languages"]


def measure_all(
    headline: Passage,
    title: Passage | None,
    text: Passage | None,
    sentences: Sequence[Passage],
    lexicon: Lexicon,
) -> dict[ScoreName, Score]:
    """Compute all scores, by rules those that the head was not trained for.

    `headline` is the title, or the first sentence of an item without one; `sentences` are `sampled` from the text.
    """
    import numpy  # noqa: PLC0415 - an extra

    head = load_head()
    passages = [headline, *sentences]
    raw = head.network.logits(inputs_for(passages, lexicon))
    logits = head.calibrated(raw, headline.text)
    overall = head.overall(logits, headline.text)
    *combined, overall_value = _combine(
        probability(numpy.hstack([logits, overall[:, None]])), has_title=title is not None
    ).tolist()
    marked = _marked(head, passages, raw, logits, lexicon)
    scores: dict[ScoreName, Score] = {
        part: _score(part, combined[column], _words_for(part, marked, headline, passages, lexicon))
        for column, part in enumerate(PARTS)
    }
    scores |= {name: listed_score(name, title, text) for name in LISTED if name not in PARTS}
    scores[ScoreName.OVERALL] = _overall(overall_value, scores)
    return scores


def judge_lines(passages: Sequence[Passage], lexicon: Lexicon) -> tuple[list[float], Numbers]:
    """Return how loaded each line is, the highest of framing, clickbait and stimulus; and the sentence vectors.

    The first line is the title.
    """
    head, inputs = load_head(), inputs_for(passages, lexicon)
    values = probability(head.calibrated(head.network.logits(inputs), passages[0].text))
    columns = [_FRAMING, _STIMULUS, PARTS.index(ScoreName.CLICKBAIT)]
    return [float(row[columns].max()) for row in values], inputs[:, : encoder.DIMENSIONS] / VECTOR_SCALE


def sampled(text: Passage, sentences: Sequence[tuple[int, int]], lexicon: Lexicon) -> list[Passage]:
    """Pick the sentences of a text that are judged, at even distances."""
    shortest = _MIN_SENTENCE_CHARS // 3 if lexicon.spaceless else _MIN_SENTENCE_CHARS
    spans = [span for span in sentences if span[1] - span[0] >= shortest] or sentences[:1]
    count = min(_SENTENCES_JUDGED, len(spans))
    chosen = [spans[place * len(spans) // count] for place in range(count)]
    return [
        read_passage(text.text[start : min(end, start + _MAX_SENTENCE_CHARS)], lexicon)
        for start, end in chosen
    ]


def _combine(values: Numbers, *, has_title: bool) -> Numbers:
    """Everyone reads the title and few the text, so a calm text does not make up for a loud title."""
    import numpy  # noqa: PLC0415 - an extra

    of_title = values[0]
    if len(values) == 1:
        alone: Numbers = of_title
        return alone
    of_text = values[1:].mean(axis=0)
    found: Numbers = (
        numpy.maximum(of_title, 0.25 * of_title + 0.75 * of_text) if has_title else of_text.copy()
    )
    found[PARTS.index(ScoreName.CLICKBAIT)] = of_title[PARTS.index(ScoreName.CLICKBAIT)]
    return found


def _marked(
    head: Head, passages: Sequence[Passage], raw: Numbers, logits: Numbers, lexicon: Lexicon
) -> list[str]:
    """List the words of the judged passages to mark, those of the title first."""
    values = probability(logits)
    likely = [
        (number, word)
        for number, passage in enumerate(passages)
        if max(values[number, _FRAMING], values[number, _STIMULUS]) >= SLANTED
        for word in head.marks.likely(
            passage, candidates_in(passage, lexicon), float(logits[number, _FRAMING])
        )
    ]
    if not likely:
        return []
    rest = inputs_for([without(passages[number], word, lexicon) for number, word in likely], lexicon)
    effects = raw[[number for number, _ in likely]] - head.network.logits(rest)
    carries = carries_score(effects)
    found = [
        passages[number].text[word.start : word.end]
        for (number, word), does in zip(likely, carries, strict=True)
        if does
    ]
    return list(dict.fromkeys(found))


def carries_score(effects: Numbers) -> list[bool]:
    """Tell for each word whether it makes its passage more framed or louder, from what the logits lose without it."""
    return [bool(row[_FRAMING] > 0 or row[_STIMULUS] > 0) for row in effects]


def _words_for(
    part: ScoreName, marked: Sequence[str], headline: Passage, passages: Sequence[Passage], lexicon: Lexicon
) -> tuple[str, ...]:
    if part in (ScoreName.FRAMING, ScoreName.PERSUASIVE):
        return tuple(marked)
    if part is ScoreName.CLICKBAIT:
        return _with_content(_baits(headline, lexicon), lexicon)
    if part is ScoreName.HYPER_STIMULUS:
        loud = [word for passage in passages for word in passage.loudness.capitals]
        strong = [
            passage.part(hit)
            for passage in passages
            for hit in passage.of_kind(Kind.STIMULUS)
            if hit.weight > 1
        ]
        return _with_content([*loud, *(word for word in strong if word in marked)], lexicon)
    hedges = [
        passage.part(hit) for passage in passages for hit in passage.of_kind(Kind.HEDGE) if hit.weight > 1
    ]
    return _with_content(hedges, lexicon)


def _baits(headline: Passage, lexicon: Lexicon) -> list[str]:
    """List the entries of the word lists behind the signs of clickbait; a sign may span plain words too."""
    spans = clickbait.judge(headline.text, headline.words, headline.hits, lexicon).spans
    return [
        headline.part(hit)
        for hit in headline.of_kind(*MARKED_KINDS)
        if hit.end - hit.start > 1 and any(start < hit.end and hit.start < end for start, end in spans)
    ]


def _with_content(found: Sequence[str], lexicon: Lexicon) -> tuple[str, ...]:
    """Drop what consists of function words, numbers and names of groups only."""
    return tuple(
        dict.fromkeys(
            text
            for text in found
            if lexicon.spaceless or any(is_content_word(word.lower, lexicon) for word in words_of(text))
        )
    )


def _score(part: ScoreName, value: float, words: tuple[str, ...]) -> Score:
    with_words, without_words, neutral = _REASONS[part]
    value = round(value, 3)
    if value < SLANTED:
        return Score(value=value, reason=neutral)
    words = tuple(word for word in words if len(word) <= MAX_WORD_CHARS and word.isprintable())[
        :_MAX_WORDS_KEPT
    ]
    quoted = ", ".join(f"“{word}”" for word in words[:_WORDS_IN_REASON])
    reason = f"{with_words}: {quoted}." if words else without_words
    return Score(value=value, reason=clean_line(reason, MAX_REASON_CHARS), words=words)


def _overall(value: float, scores: dict[ScoreName, Score]) -> Score:
    value = round(value, 3)
    by_value = sorted(PARTS, key=lambda part: -(scores[part].value or 0.0))
    leading = [part for part in by_value if (scores[part].value or 0.0) >= SLANTED]
    if not leading:
        return Score(value=value, reason="None of the scores stands out.")
    names = ", ".join(f"{part.value.replace('_', '-')} {scores[part].value:.2f}" for part in leading[:3])
    words = tuple(dict.fromkeys(word for part in leading for word in scores[part].words))
    return Score(value=value, reason=f"Mostly {names}.", words=words[:_MAX_WORDS_KEPT])
