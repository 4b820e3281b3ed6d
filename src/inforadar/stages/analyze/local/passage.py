"""A part of an item, read once: its words, the list entries found in it, and how loud it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inforadar.stages.analyze.local.lexicon import Hit, Kind, Lexicon
from inforadar.stages.analyze.local.text import Word, emoji_of, words_of

_MARKS = re.compile(r"[!！]+|\?[?!]+|？[？！]+")
_ELLIPSIS = re.compile(r"…|\.{3,}")
_SCARE_QUOTES = re.compile(r"[“\"‘„«]([^\W\d_]+(?: [^\W\d_]+)?)[”\"’“»]")

EFFECT = {1: 0.35, 2: 1.0, 3: 2.0}
"""How much an entry of each weight adds."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A title or a text."""

    text: str
    words: list[Word]
    hits: list[Hit]
    length: float
    """In words; for scripts without spaces, estimated."""
    loudness: Loudness

    def of_kind(self, *kinds: Kind) -> list[Hit]:
        return [hit for hit in self.hits if hit.kind in kinds]

    def part(self, hit: Hit) -> str:
        return self.text[hit.start : hit.end]


@dataclass(frozen=True, slots=True)
class Loudness:
    """Signs of shouting that do not depend on meaning."""

    capitals: list[str]
    marks: int
    """Exclamation marks, and question marks in groups."""
    ellipses: int
    emoji: list[str]


def read_passage(text: str, lexicon: Lexicon) -> Passage:
    """Read a text once for everything the other modules ask about it."""
    words = words_of(text)
    hits = lexicon.hits(text, words)
    length = sum(map(str.isalpha, text)) / 1.7 if lexicon.spaceless else float(len(words))
    loudness = Loudness(
        capitals=_shouted(text, words, hits, lexicon),
        marks=sum(min(len(match.group()), 3) for match in _MARKS.finditer(text)),
        ellipses=len(_ELLIPSIS.findall(text)),
        emoji=emoji_of(text),
    )
    return Passage(text=text, words=words, hits=hits, length=length, loudness=loudness)


def scare_quotes_of(text: str) -> list[str]:
    """List one or two words in quotation marks that are not a name: the quotes mean "so-called"."""
    return [match.group() for match in _SCARE_QUOTES.finditer(text) if match.group(1)[0].islower()]


def _shouted(text: str, words: list[Word], hits: list[Hit], lexicon: Lexicon) -> list[str]:
    """List the words in capitals that are not abbreviations.

    Among words in small letters, a short unknown word in capitals counts as an abbreviation. In a line that is all
    capitals this does not work, so that only listed abbreviations count.
    """
    if lexicon.spaceless:
        # Where words have no capitals, Latin ones are names and abbreviations: CEO, NBA.
        return []
    capital = [word for word in words if text[word.start : word.end].isupper() and _letters(word) > 1]
    everything = len(capital) > 2 and len(capital) * 3 > sum(_letters(word) > 1 for word in words) * 2

    def is_word(word: Word) -> bool:
        if _letters(word) < 3:
            return False
        listed = word.lower in lexicon.vocabulary or any(hit.start <= word.start < hit.end for hit in hits)
        return listed or (len(word.lower) > 6 and word.lower.isalpha())

    return [
        text[word.start : word.end]
        for word in capital
        if word.lower not in lexicon.acronyms and (everything or is_word(word))
    ]


def _letters(word: Word) -> int:
    return sum(map(str.isalpha, word.lower))
