"""Plain text as words and sentences with their places, so that what was found can be marked where it stands.

No third-party tokenizer: the analyzer needs offsets into the untouched original, linear time on hostile
input, and nothing that takes a second to load.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_TITLE_READ = 600
MAX_TEXT_READ = 4_000
"""Characters that are read of a text: the head of an article holds its claims, and time stays bounded."""

_WORD = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")
_BREAK = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？]+[”』」]?|\s*\n\s*")
_ABBREVIATED = re.compile(
    r"(?:\b[^\W\d_]|\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|No|Gen|Sen|Rep|Gov|Lt|Col|Sgt|Inc|Ltd|Co|Corp|approx"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Sr|Sra|Dra|Ud|EE|UU|Nr|bzw|ca|Hr|Fr|Str|ul|prof|dr|im|np"
    r"|им|ул|стр|тыс|млн|млрд|руб|св|см|гг))\.\s+\Z"
)
_EMOJI = re.compile("[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2b55\u203c\u2049]")
_EMOJI_RUN = re.compile(f"(?:{_EMOJI.pattern}[\ufe0f\u200d]*)+")


class Word(NamedTuple):
    """A word of the original, lowercased with plain apostrophes, and where it stands."""

    lower: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    # One sign for one, so that places stay what they are; lowering the whole text could shift them ("İ").
    plain = text.replace("’", "'").replace("‑", "-")
    return [Word(match.group().lower(), *match.span()) for match in _WORD.finditer(plain)]


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Where the sentences start and end, without the spaces around them; a line break always ends one."""
    found: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if "\n" not in match.group() and _goes_on(text, match.start(), match.end()):
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


def _goes_on(text: str, point: int, end: int) -> bool:
    """A stop that ends no sentence: after an abbreviation, or with a small letter behind it."""
    following = text[end : end + 1]
    if following.islower():
        return True
    return text[point] == "." and _ABBREVIATED.search(text[max(0, point - 8) : end]) is not None


def emoji_of(text: str) -> list[str]:
    return _EMOJI.findall(text)


def without_emoji(text: str) -> str:
    return _EMOJI_RUN.sub(" ", text)
