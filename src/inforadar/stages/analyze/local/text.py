"""Split plain text into words and sentences with their positions, so that findings can be marked in the original.

No third-party tokenizer: the analyzer needs offsets into the unchanged original, linear time on hostile input, and
nothing that takes a second to load.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from inforadar.stages.analyze.local.language import ABBREVIATIONS

MAX_TITLE_CHARS_READ = 600
MAX_TEXT_CHARS_READ = 4_000
"""How much of a text is read: the head of an article holds its claims, and the time stays bounded."""

_WORD = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")
_BREAK = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？]+[”』」]?|\n\s*")
_ABBREVIATED = re.compile(rf"(?:\b[^\W\d_]|\b(?:{'|'.join(sorted(ABBREVIATIONS))}))\.\s+\Z")
_ORDINAL_DATE = re.compile(
    r"\D{0,2}\d{1,2}\.\s+(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Klasse|Liga|Runde)"
)
"""German ordinals: "vom 1. März an"."""
_EMOJI = re.compile("[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2b55\u203c\u2049]")
_EMOJI_RUN = re.compile(f"(?:{_EMOJI.pattern}[\ufe0f\u200d]*)+")


class Word(NamedTuple):
    """A word in lower case with plain apostrophes, and its position in the original."""

    lower: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """Split a text into words."""
    # One character replaces one, so that positions stay valid; lowering the whole text could shift them ("İ").
    plain = text.replace("’", "'").replace("‑", "-")
    return [Word(match.group().lower(), match.start(), match.end()) for match in _WORD.finditer(plain)]


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence, without surrounding spaces; a line break always ends a sentence."""
    found: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if "\n" not in match.group() and _is_within_sentence(text, match.start(), match.end()):
            continue
        found.append((start, match.end()))
        start = match.end()
    found.append((start, len(text)))
    trimmed = []
    for begin, end in found:
        sentence = text[begin:end]
        lead = len(sentence) - len(sentence.lstrip())
        if sentence.strip():
            trimmed.append((begin + lead, begin + lead + len(sentence.strip())))
    return trimmed


def _is_within_sentence(text: str, point: int, end: int) -> bool:
    """Tell whether a full stop ends no sentence: it follows an abbreviation or precedes a small letter."""
    following = text[end : end + 1]
    if following.islower() or _ORDINAL_DATE.match(text, max(0, point - 3)):
        return True
    return text[point] == "." and _ABBREVIATED.search(text[max(0, point - 8) : end]) is not None


def is_title_case(text: str) -> bool:
    """Tell whether most longer words of a line start with a capital."""
    long = [text[word.start : word.end] for word in words_of(text) if len(word.lower) > 3]
    return len(long) > 2 and sum(word[:1].isupper() for word in long[1:]) * 3 > (len(long) - 1) * 2


def emoji_of(text: str) -> list[str]:
    """List the emoji in a text."""
    return _EMOJI.findall(text)


def without_emoji(text: str) -> str:
    """Replace each run of emoji with a space."""
    return _EMOJI_RUN.sub(" ", text)
