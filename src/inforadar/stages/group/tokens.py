"""Split texts into words, names and numbers, in any language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(r"\d+(?:[.,  ]\d{3})*(?:[.,]\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?。！？…\n:]")
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
_MARK_RANGES = (range(0x300, 0x3100), range(0xA600, 0xAC00), range(0xFB00, 0xFE30))
_MARKS = "".join(
    chr(point) for points in _MARK_RANGES for point in points if unicodedata.combining(chr(point))
)
_COMBINING = re.compile(f"[{_MARKS}]")
_SENTENCE_ENDS = frozenset(".!?。！？…\n:")
STEM_CHARS = 7
"""Words are compared by this many letters, so that endings do not tell them apart."""
MAX_WORD_CHARS = 40
CACHED_WORDS = 20_000
"""How many words are remembered as they were read: a dozen megabytes."""


class Token(NamedTuple):
    """A word or a number of a text."""

    text: str
    """As written, without a possessive ending."""
    key: str
    """The form that is compared: folded and cut, or a number's value."""
    is_number: bool
    is_capital: bool
    """Begins with a capital letter and is no single letter."""
    starts_sentence: bool
    folded: str
    """The whole word, folded."""


def split_tokens(text: str, most: int | None = None) -> list[Token]:
    """Split a text into words and numbers, the first `most`; scripts without spaces into pairs of signs."""
    tokens: list[Token] = []
    starts = True
    for raw in _TOKEN.findall(text):
        if raw in _SENTENCE_ENDS:
            starts = True
            continue
        if raw.isascii() or raw[0].isdigit() or not _UNSPACED.search(raw):
            tokens.append(_word(raw[:MAX_WORD_CHARS])[starts])
        else:
            tokens += [Token(pair, pair, False, False, starts, pair) for pair in _pairs(raw)]
        if most is not None and len(tokens) >= most:
            return tokens[:most]
        starts = False
    return tokens


@lru_cache(maxsize=CACHED_WORDS)
def _word(raw: str) -> tuple[Token, Token]:
    """A word or number inside a sentence, and at the start of one. Most words of a text were seen before."""
    if raw[0].isdigit():
        key = f"#{number_value(raw)}"
        return Token(raw, key, True, False, False, key), Token(raw, key, True, False, True, key)
    word = raw if raw.isalpha() else _POSSESSIVE.sub("", raw)
    folded, is_capital = fold(word), word[0].isupper() and len(word) > 1
    key = folded[:STEM_CHARS]
    return (
        Token(word, key, False, is_capital, False, folded),
        Token(word, key, False, is_capital, True, folded),
    )


def split_words(text: str, most: int) -> list[str]:
    """The first folded words and numbers of a text, to compare whole texts by."""
    folded = fold(text)
    if folded.isascii() or not _UNSPACED.search(folded):
        return _WORD.findall(folded)[:most]
    return [token.key if token.is_number else token.text for token in split_tokens(folded, most)]


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for place in range(len(run) - 1):
        yield run[place : place + 2]


def fold(text: str) -> str:
    """Fold case and accents of Latin letters: Müller and MULLER are one name."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return _COMBINING.sub("", unicodedata.normalize("NFKD", folded)) or folded


def number_value(raw: str) -> str:
    """The value of a number as written in any country: 40.000, 40,000 and 40 000 are 40000."""
    groups = re.split(r"[.,  ]", raw)
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3:
        value = "".join(groups)
    elif len(groups) > 1:
        value = f"{''.join(groups[:-1])}.{groups[-1]}".rstrip("0").rstrip(".")
    else:
        value = raw
    whole = value.lstrip("0")
    digits = f"0{whole}" if whole.startswith(".") else whole or "0"
    # Digits of other scripts have the same values.
    return "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in digits)[:20]


_MONTH_PREFIXES = (
    "jan ene gen sty янв січ", "feb fev fevr lut фев лют", "mar maa mär marz мар бер", "apr abr avr kwi апр кві",
    "may mai mei mag maj мая май тра", "jun giu juin cze июн чер", "jul lug juil lip июл лип",
    "aug ago aou sie авг сер", "sep set sept wrz сен вер", "oct okt ott out paz окт жов",
    "nov lis ноя", "dec dez dic gru дек",
)  # fmt: skip
MONTHS = {
    fold(prefix)[:3]: number for number, line in enumerate(_MONTH_PREFIXES, 1) for prefix in line.split()
}
"""The first three letters of the months' names in several languages → the month."""
_SIGN_DATE = re.compile(r"(\d{1,2})月(\d{1,2})日")
_DATE_LINKS = frozenset({"de", "of", "da", "den", "th"})


def days_of(tokens: Iterable[Token], text: str) -> frozenset[str]:
    """Days of the year that a text names, as `month-day`."""
    found = {f"{int(month)}-{int(day)}" for month, day in _SIGN_DATE.findall(text)}
    previous: Token | None = None
    for token in tokens:
        if previous is not None and token.key in _DATE_LINKS and previous.is_number:
            continue
        if previous is not None and previous.is_number != token.is_number:
            number, word = (previous, token) if previous.is_number else (token, previous)
            month = MONTHS.get(word.folded[:3]) if len(word.text) <= 12 else None
            if month and number.key[1:].isdecimal() and 1 <= int(number.key[1:]) <= 31:
                found.add(f"{month}-{int(number.key[1:])}")
        previous = token
    return frozenset(found)


_SCRIPTS = (
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("han", re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("hangul", re.compile("[\uac00-\ud7af]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
)


def script_of(text: str) -> str:
    """The script of most letters of a text; '' if it has none that we know."""
    if text.isascii():
        return "latin" if any(map(str.isalpha, text)) else ""
    counts = [(len(letters.findall(text)), name) for name, letters in _SCRIPTS]
    most, name = max(counts)
    return name if most else ""
