"""Summary and facts: sentences are picked from the text, never written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from inforadar.stages.analyze.base import MAX_FACT_CHARS, clean_line
from inforadar.stages.analyze.local.language import LETTERS, common_words, leans_on_previous
from inforadar.stages.analyze.local.lexicon import Hit, Kind, Lexicon
from inforadar.stages.analyze.local.passage import EFFECT, Passage
from inforadar.stages.analyze.local.text import Word

_MIN_SENTENCE_CHARS, _MAX_SENTENCE_CHARS = 20, 320
_MIN_SPACELESS_SENTENCE_CHARS = 10
_MAX_SUMMARY_SENTENCES, _MAX_SUMMARY_CHARS = 3, 700
_MAX_FACTS = 8
_MAX_SENTENCES_READ = 80
_NAME = re.compile(rf"(?<=[{LETTERS},] )[{LETTERS.upper()}][^\W\d_]+")
_MAX_TITLE_SENTENCE_CHARS = 240
_EARLY_SENTENCES = 6
_QUOTE = re.compile(r"[\"“”„«»「」『』]")
_PLAIN = r"[^\s\"“”„«».,:;!?…]+"
_QUOTED_NAME = re.compile(
    rf"(?<=[{LETTERS}] )(?:«\s?|[„“\"])(?=[A-ZÀ-ÞĀ-ŽА-ЯЁ]){_PLAIN}(?:\s{_PLAIN}){{0,2}}(?:\s?»|[“”\"])"
)
"""Up to three words with a capital, behind a word in small letters: speech follows a colon or begins the sentence."""
_DIGIT = re.compile(r"\d")
_BIASED = (Kind.LOADED, Kind.LABEL, Kind.STIMULUS, Kind.BAIT, Kind.URGE, Kind.JUDGING)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what is needed to rank it."""

    number: int
    text: str
    stems: frozenset[str]
    hits: list[Hit]

    def weight(self, *kinds: Kind) -> float:
        return sum(EFFECT[hit.weight] for hit in self.hits if hit.kind in kinds and hit.weight > 1)

    def has(self, kind: Kind) -> bool:
        return any(hit.kind is kind for hit in self.hits)

    @property
    def is_whole(self) -> bool:
        """Whether it ends with a full stop or the like; headings and list entries do not."""
        return self.text.rstrip("\"'”’»)]」』").endswith((".", "。", "!", "?", "！", "？", "।", "؟", "…"))

    @property
    def is_question_or_exclamation(self) -> bool:
        """Whether it ends with a question mark, an exclamation mark, a colon or an ellipsis."""
        return self.text.endswith(("?", "!", "？", "！", ":", "…", "..."))


def sentences_in(passage: Passage, spans: Sequence[tuple[int, int]], lexicon: Lexicon) -> list[Sentence]:
    """List the sentences of a usable length, in order. `spans` is where the passage's sentences are."""
    starts = [hit.start for hit in passage.hits]
    word_starts = [word.start for word in passage.words]
    shortest = _MIN_SPACELESS_SENTENCE_CHARS if lexicon.spaceless else _MIN_SENTENCE_CHARS
    found = []
    for number, (start, end) in enumerate(spans[:_MAX_SENTENCES_READ]):
        text = passage.text[start:end]
        if not shortest <= len(text) <= _MAX_SENTENCE_CHARS * 2:
            continue
        hits = passage.hits[bisect_left(starts, start) : bisect_left(starts, end)]
        words = passage.words[bisect_left(word_starts, start) : bisect_left(word_starts, end)]
        found.append(Sentence(number, text, _stems(text, words, lexicon), hits))
    return found


def stems_in(passage: Passage, lexicon: Lexicon) -> frozenset[str]:
    """Return roughly what a passage is about: the first letters of its content words."""
    return _stems(passage.text, passage.words, lexicon)


def summarize(sentences: list[Sentence], subject: frozenset[str]) -> str:
    """Pick the sentences closest to the title's subject, preferring early ones; keep the order of the text."""

    def worth(sentence: Sentence) -> float:
        value = 3.0 / (1 + sentence.number) + 0.6 * min(len(sentence.stems & subject), 4)
        value += 0.5 * bool(_DIGIT.search(sentence.text)) + 0.4 * sentence.has(Kind.ATTRIBUTION)
        return (
            value
            - 0.7 * sentence.weight(*_BIASED)
            - 2.0 * (sentence.is_question_or_exclamation or not sentence.is_whole)
        )

    usable = [sentence for sentence in sentences if len(sentence.text) <= _MAX_SENTENCE_CHARS]
    chosen: list[Sentence] = []
    length = 0
    for sentence in sorted(usable, key=lambda sentence: (-worth(sentence), sentence.number)):
        repeated = any(len(sentence.stems & other.stems) * 5 > len(sentence.stems) * 4 for other in chosen)
        if (
            len(chosen) < _MAX_SUMMARY_SENTENCES
            and length + len(sentence.text) <= _MAX_SUMMARY_CHARS
            and not repeated
        ):
            chosen.append(sentence)
            length += len(sentence.text)
    return " ".join(_line(sentence) for sentence in sorted(chosen, key=lambda sentence: sentence.number))


def facts_in(sentences: list[Sentence]) -> tuple[str, ...]:
    """Pick sentences with numbers, names and a named source; no questions, guesses or appeals."""

    def worth(sentence: Sentence) -> float:
        value = 2.0 * bool(_DIGIT.search(sentence.text)) + 1.0 * sentence.has(Kind.ATTRIBUTION)
        value += 0.7 * min(len(_NAME.findall(sentence.text)), 2)
        value -= 0.8 * sentence.weight(*_BIASED) + 0.5 * sentence.weight(Kind.HEDGE)
        return value - 3.0 * (sentence.is_question_or_exclamation or not sentence.is_whole)

    rated = [
        (-value, sentence.number, sentence) for sentence in sentences if (value := worth(sentence)) >= 1.9
    ]
    chosen = [sentence for _, _, sentence in sorted(rated, key=lambda rating: rating[:2])[:_MAX_FACTS]]
    lines = (_line(sentence) for sentence in sorted(chosen, key=lambda sentence: sentence.number))
    return tuple(dict.fromkeys(line for line in lines if line))


def replacement_for_title(sentences: list[Sentence], subject: frozenset[str]) -> Sentence | None:
    """Pick the early sentence that says what a withholding title is about; usually the very first."""
    able = [
        sentence
        for sentence in sentences
        if sentence.number < 6
        and len(sentence.text) <= 200
        and not sentence.is_question_or_exclamation
        and sentence.weight(*_BIASED) < 2.5
        and not sentence.has(Kind.YOU)
        and not sentence.has(Kind.FIRST)
        and (sentence.number == 0 or sentence.stems & subject)
    ]

    def worth(sentence: Sentence) -> tuple[int, int]:
        return len(sentence.stems & subject) + 2 * (sentence.number == 0), -sentence.number

    return max(able, key=worth, default=None)


def sentences_for_title(sentences: Sequence[Sentence], language: str) -> list[Sentence]:
    """List early, whole, unquoted sentences that stand alone and address nobody."""
    return [
        sentence
        for sentence in sentences
        if sentence.number < _EARLY_SENTENCES
        and len(sentence.text) <= _MAX_TITLE_SENTENCE_CHARS
        and sentence.is_whole
        and not sentence.is_question_or_exclamation
        and not _has_speech(sentence.text)
        and not sentence.has(Kind.YOU)
        and not sentence.has(Kind.FIRST)
        and not leans_on_previous(sentence.text, language)
    ]


def _has_speech(text: str) -> bool:
    """Tell whether a sentence quotes words; a name in quotation marks, like a book's or a ship's, is no quotation."""
    return _QUOTE.search(_QUOTED_NAME.sub("", text)) is not None


def _line(sentence: Sentence) -> str:
    return clean_line(sentence.text, MAX_FACT_CHARS)


def _stems(text: str, words: list[Word], lexicon: Lexicon) -> frozenset[str]:
    if lexicon.spaceless:
        return frozenset(pair for pair in map("".join, pairwise(text)) if pair.isalnum())
    common = common_words(lexicon.language)
    return frozenset(
        word.lower[:5]
        for word in words
        if len(word.lower) > 2 and word.lower not in common and word.lower not in lexicon.keep
    )
