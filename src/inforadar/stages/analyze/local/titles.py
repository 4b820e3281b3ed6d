"""The neutral title: by the rules, else a plain sentence of the article, else the title as published.

A sentence stands in only if it is likely to tell what the title is about: it comes early, resembles the title and the
rest of the text, and judges nothing itself. How much each of these counts was fitted on the repository's headlines
(`python -m bench headlines --fit`). In doubt the title stays: a sentence about something else would be worse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from inforadar.stages.analyze.base import MAX_REASON_CHARS, MAX_TITLE_CHARS, clean_line
from inforadar.stages.analyze.local.extract import (
    Sentence,
    replacement_for_title,
    sentences_for_title,
    stems_in,
)
from inforadar.stages.analyze.local.judging import has_quotation, unquoted_judgements
from inforadar.stages.analyze.local.lexicon import LANGUAGES, Kind, Lexicon
from inforadar.stages.analyze.local.measured import is_measured, judge_lines
from inforadar.stages.analyze.local.neutral import neutralize
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.text import without_emoji, words_of

AS_PUBLISHED = "Nothing to drop: the title is as published."
WITHHOLDING = "The title withholds what it is about; a sentence of the article tells it."
LOADED = "The title is loaded; a sentence of the article tells it plainly."
LOADED_AS_PUBLISHED = "The title is loaded, but nothing safe could replace it: it is as published."

_WITHHOLDING_CLICKBAIT = 0.8
"""From this clickbait score on, a title may be replaced by a sentence even without the encoder."""
_INFORMATIVE_WORDS = 5
_INFORMATIVE_PAIRS = 12
"""Pairs of characters, for scripts without spaces."""
_LOADED = 0.77
_LOADED_IF_JUDGING = 0.06
_LOADED_IF_QUOTING = 0.95
"""How loaded a title must be for a sentence to stand in: clearly, less with a judging word in it, more if it
quotes somebody."""
_MAX_SENTENCE_LOADEDNESS = 0.5
_MIN_CHARS, _MAX_CHARS = 50, 200
_MIN_SPACELESS_CHARS, _MAX_SPACELESS_CHARS = 18, 80
_SHORTENED_FROM = 120
_MIN_CHARS_KEPT = 60
_TRAILING_CLAUSE = {
    "en": re.compile(r", (?:which|who|whose|where)\b[^,;:]*\Z"),
    "fr": re.compile(r", (?:qui|dont|où|lequel|laquelle|lesquels|lesquelles)\b[^,;:]*\Z"),
    "es": re.compile(r", (?:que|quien|quienes|donde|cuyo|cuya|cuyos|cuyas|lo que)\b[^,;:]*\Z"),
    "it": re.compile(r", (?:che|dove|il quale|la quale|i quali|le quali)\b[^,;:]*\Z"),
}
"""A clause at the end that adds something; languages that set a comma before every such clause are left out."""
_ASIDE = re.compile(r"\s*[(（][^()（）]{2,80}[)）]")


class Evidence(NamedTuple):
    """The features of a sentence as a title, in the order of `WEIGHTS`."""

    is_first: float
    is_second: float
    is_third: float
    likeness: float
    """To the title."""
    shared: float
    """Content words in common with the title, up to four."""
    loadedness: float
    centrality: float
    """Likeness to the beginning of the text as a whole."""
    has_number: float
    length: float


WEIGHTS = Evidence(2.94, 1.67, -0.09, 2.81, 1.16, -1.27, 2.15, 0.64, 3.25)
SHIFT = -5.81
MIN_PROBABILITY = 0.4
MIN_PROBABILITY_IF_SHARED = 0.3
"""With a content word in common, less is enough."""


def neutral_title(
    title: Passage, lexicon: Lexicon, context: Passage | None, sentences: list[Sentence], clickbait: float
) -> tuple[str, str]:
    """Return the neutral title and the reason for it."""
    line = clean_line(title.text, MAX_TITLE_CHARS) if title.words else ""
    if not line:
        return "", "There was no title."
    neutral = neutralize(line, lexicon, context)
    text = clean_line(neutral.text, MAX_TITLE_CHARS)
    is_loaded = False
    if is_measured(lexicon.language):
        withholds = clickbait >= _LOADED and _withholds(title)
        # "La terrible vérité sur les cantines" says more than "Les cantines": a sentence should tell it.
        left = line if len(words_of(text)) * 2 < len(title.words) else text
        is_loaded = withholds or is_loaded_title(left, lexicon)
        if (
            is_loaded
            and lexicon.language in LANGUAGES
            and (told := plain_sentence(title, lexicon, sentences))
        ):
            return (
                told,
                WITHHOLDING
                if withholds
                else "The title is loaded; a sentence of the article tells it plainly.",
            )
    elif clickbait >= _WITHHOLDING_CLICKBAIT and (
        told := _revealed(title, text, lexicon, context, sentences)
    ):
        return told, WITHHOLDING
    if not neutral.changes or text == " ".join(without_emoji(line).split()):
        return line, LOADED_AS_PUBLISHED if is_loaded else AS_PUBLISHED
    return text, _sentence(neutral.changes)


def is_loaded_title(line: str, lexicon: Lexicon) -> bool:
    """Tell whether a title is clearly loaded, or somewhat, with a judging word in it that nobody is quoted with."""
    passage = read_passage(line, lexicon)
    (value,), _ = judge_lines([passage], lexicon)
    if unquoted_judgements(passage, lexicon):
        return value >= _LOADED_IF_JUDGING
    return value >= (_LOADED_IF_QUOTING if has_quotation(line) else _LOADED)


def plain_sentence(title: Passage, lexicon: Lexicon, sentences: list[Sentence]) -> str:
    """Return the sentence that tells the title's news plainly, shortened; empty if none is safe."""
    shortest, longest = (
        (_MIN_SPACELESS_CHARS, _MAX_SPACELESS_CHARS) if lexicon.spaceless else (_MIN_CHARS, _MAX_CHARS)
    )
    found = [
        (probability(evidence), -sentence.number, line)
        for sentence, evidence in weigh_sentences(title, lexicon, sentences)
        if evidence.loadedness < _MAX_SENTENCE_LOADEDNESS
        and len(sentence.text) >= shortest
        and len(line := shortened(sentence.text, lexicon)) <= longest
        and probability(evidence) >= (MIN_PROBABILITY_IF_SHARED if evidence.shared else MIN_PROBABILITY)
    ]
    return max(found)[2] if found else ""


def probability(evidence: Evidence) -> float:
    """The probability that a sentence tells the same as the title."""
    return 1 / (1 + math.exp(-sum(map(float.__mul__, WEIGHTS, evidence)) - SHIFT))


def weigh_sentences(
    title: Passage, lexicon: Lexicon, sentences: Sequence[Sentence]
) -> list[tuple[Sentence, Evidence]]:
    """Collect the evidence for every sentence that may stand in for the title."""
    able = [
        sentence
        for sentence in sentences_for_title(sentences, lexicon.language)
        if not unquoted_judgements(read_passage(sentence.text, lexicon), lexicon)
    ]
    if not able:
        return []
    passages = [title, *(read_passage(sentence.text, lexicon) for sentence in able)]
    values, vectors = judge_lines(passages, lexicon)
    middle = vectors[1:].mean(axis=0)
    length = max(float((middle @ middle) ** 0.5), 1e-6)
    subject = stems_in(title, lexicon)
    unit = 100.0 if lexicon.spaceless else 250.0
    return [
        (
            sentence,
            Evidence(
                is_first=float(sentence.number == 0),
                is_second=float(sentence.number == 1),
                is_third=float(sentence.number == 2),
                likeness=float(vectors[0] @ vectors[place]),
                shared=min(len(sentence.stems & subject), 4) / 4,
                loadedness=values[place],
                centrality=float(vectors[place] @ middle) / length,
                has_number=float(any(map(str.isdecimal, sentence.text))),
                length=min(len(sentence.text) / unit, 1.0),
            ),
        )
        for place, sentence in enumerate(able, 1)
    ]


def shortened(sentence: str, lexicon: Lexicon) -> str:
    """Make a headline of a sentence: without asides, the full stop, and a clause at the end of a long one."""
    line = clean_line(_ASIDE.sub("", sentence), MAX_TITLE_CHARS).rstrip(".。")
    clause = _TRAILING_CLAUSE.get(lexicon.language)
    if clause and len(line) > _SHORTENED_FROM and (match := clause.search(line)):
        line = line[: match.start()] if match.start() >= _MIN_CHARS_KEPT else line
    return line


def _revealed(
    title: Passage, neutral: str, lexicon: Lexicon, context: Passage | None, sentences: list[Sentence]
) -> str:
    """Without the encoder: the early sentence that says what a withholding title does not."""
    if not _withholds(title) or _is_informative(neutral, lexicon):
        return ""
    told = replacement_for_title(sentences, stems_in(title, lexicon))
    if told is None:
        return ""
    line = clean_line(told.text, MAX_TITLE_CHARS)
    return clean_line(neutralize(line, lexicon, context).text, MAX_TITLE_CHARS).rstrip(".。")


def _withholds(title: Passage) -> bool:
    baited = any(hit.weight == 3 for hit in title.of_kind(Kind.BAIT))
    first = title.words[0].start if title.words else 0
    return baited or any(hit.start == first for hit in title.of_kind(Kind.POINTING))


def _is_informative(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a title without its bait still says something: a number, or some content words."""
    stems = stems_in(read_passage(text, lexicon), lexicon)
    return any(map(str.isdigit, text)) or len(stems) >= (
        _INFORMATIVE_PAIRS if lexicon.spaceless else _INFORMATIVE_WORDS
    )


def _sentence(changes: tuple[str, ...]) -> str:
    text = "; ".join(changes)
    return clean_line(text[:1].upper() + text[1:] + ".", MAX_REASON_CHARS)
