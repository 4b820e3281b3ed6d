"""Turn texts and queries into search words, in the same way for both databases, so that they find the same. Pure.

Neither FTS5 nor tsvector can search Chinese or Japanese, where nothing separates the words. A run of their characters
is split into pairs, 新闻网 is 新闻 闻网 网: each pair of neighbours is found, and a single character as the start of a
pair (or as the last of the run, which is also stored alone). Other words are folded: case, width, and the accents of
Latin, Greek and Cyrillic letters, so that `zolty` finds `żółty`.

The result contains only letters, digits and marks, so nothing in a query can be syntax to either database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from inforadar.model.search import MAX_QUERY_CHARS

MAX_TEXT_CHARS = 100_000
"""How many characters of a text are indexed."""
MAX_WORD_CHARS = 64

_ACCENTS = re.compile("[\u0300-\u036f]")
_REPLACED = (("ł", "l"), ("đ", "d"), ("ø", "o"), ("ı", "i"), ("_", " "))
"""Letters that do not decompose into a letter and an accent, but that people type without it; and `_`, which `\\w`
takes for a letter."""
_CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_CJK_CHAR = re.compile(f"[{_CJK}]")
_RARE_SCRIPT = re.compile("[\U00010000-\U0001efff]")
"""Scripts that are hardly used. Emoji and rare Chinese characters come after them, and no marks do."""


_ASCII_FOLDED = bytes(ord(chr(code).lower() if chr(code).isalnum() else " ") for code in range(128)) + bytes(
    128
)
"""How ASCII is folded, in half the time: small letters, and spaces between words."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    text: str
    is_prefix: bool = False


def search_words(texts: Iterable[str | None]) -> str:
    """All words the texts can be found by, each once, separated by spaces."""
    # Joined, and each word once: this runs for every item, and most of the time goes into looking at words.
    text = "\n".join(text[:MAX_TEXT_CHARS] for text in texts if text)
    folded = text.encode().translate(_ASCII_FOLDED).decode().split() if text.isascii() else _words(text)
    words = dict.fromkeys(folded)
    joined = " ".join(words)
    if max(map(len, words), default=0) <= MAX_WORD_CHARS and not _CJK_CHAR.search(joined):
        return joined
    found: dict[str, None] = {}
    for word in words:
        if word.isascii() or not _CJK_CHAR.search(word):
            found[word[:MAX_WORD_CHARS]] = None
            continue
        for run in _RUN.findall(word):
            if _CJK_CHAR.match(run):
                found.update(dict.fromkeys(_pairs(run)))
                found[run[-1]] = None
            else:
                found[run[:MAX_WORD_CHARS]] = None
    return " ".join(found)


def query_words(query: str) -> tuple[QueryWord, ...]:
    """The words that a text must all have. A star at the end of a word stands for any ending."""
    found: dict[QueryWord, None] = {}
    for part in query[:MAX_QUERY_CHARS].split():
        words = [run for word in _words(part) for run in _RUN.findall(word)]
        for number, run in enumerate(words, 1):
            if _CJK_CHAR.match(run):
                pairs = list(_pairs(run))
                found.update(dict.fromkeys(map(QueryWord, pairs)) if pairs else {QueryWord(run, True): None})
            else:
                is_prefix = part.endswith("*") and number == len(words) and len(run) > 1
                found[QueryWord(run[:MAX_WORD_CHARS], is_prefix)] = None
    return tuple(found)


def spaced_words(text: str | None) -> str | None:
    """The folded words of a text in their order, each between spaces: what a phrase is looked up in."""
    return None if text is None else f" {' '.join(_words(text[:MAX_TEXT_CHARS]))} "


def phrase_pattern(phrase: str) -> str:
    """A LIKE pattern that finds a phrase, which has a word, in `spaced_words`. A star stands for any ending.

    Chinese and Japanese words have no spaces around them, so they are found inside of others.
    """
    words = _words(phrase[:MAX_QUERY_CHARS])
    start = "" if _CJK_CHAR.match(words[0][0]) else " "
    end = "" if phrase.endswith("*") or _CJK_CHAR.match(words[-1][-1]) else " "
    return f"%{start}{' '.join(words)}{end}%"


def _pairs(run: str) -> Iterator[str]:
    return (run[index : index + 2] for index in range(len(run) - 1))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text).casefold()
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", folded))
    for written, typed in _REPLACED:
        folded = folded.replace(written, typed)
    return _word_pattern(with_rare=_RARE_SCRIPT.search(folded) is not None).findall(folded)


@lru_cache(maxsize=2)
def _word_pattern(*, with_rare: bool) -> re.Pattern[str]:
    """Match letters, digits, and the marks that some scripts write vowels with: a Hindi word is one word.

    One character class, because an alternative would be tried again for each letter. The marks of rare scripts would be
    compared one by one, so they are included only for texts that contain such letters.
    """
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x0370, 0x1F000 if with_rare else 0x10000)
        if unicodedata.category(chr(code)) in {"Mn", "Mc"}
    )
    return re.compile(rf"[\w{marks}]+")
