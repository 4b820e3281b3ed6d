"""Texts and queries as search words: one way for both databases, so that they find the same. Pure.

Neither FTS5 nor tsvector can look into Chinese or Japanese, where nothing separates the words. A run of their
signs becomes its pairs, 新闻网 is 新闻 闻网 网: each pair of neighbours is found, and a single sign as the
beginning of a pair (or as the run's last sign, which stands alone for that). Other words are folded: case,
width, and the accents of Latin, Greek and Cyrillic letters, so that `zolty` finds `żółty`.

What comes out holds letters, digits and marks only. So nothing in a query can be syntax to either database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

MAX_TEXT = 100_000
"""Characters of a text that are looked at."""
MAX_WORD = 64
MAX_QUERY_WORDS = 16

_ACCENTS = re.compile("[\u0300-\u036f]")
_REPLACED = (("ł", "l"), ("đ", "d"), ("ø", "o"), ("ı", "i"), ("_", " "))
"""Letters that are not put together from a letter and an accent, but that people type without it; and what `\\w`
takes for a letter."""
_SIGNS = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_SIGNS}]+|[^{_SIGNS}]+")
_SIGN = re.compile(f"[{_SIGNS}]")
_FAR = re.compile("[\U00010000-\U0001efff]")
"""Scripts that hardly anybody writes. Emoji and rare Chinese signs come after them, and no mark does."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    text: str
    is_prefix: bool = False


def search_words(texts: Iterable[str | None]) -> str:
    """Everything that the texts can be found by, each word once, separated by spaces."""
    found: dict[str, None] = {}
    # One text, and each word once: this is done for every item, and looking at words is most of it.
    for word in dict.fromkeys(_words("\n".join(text[:MAX_TEXT] for text in texts if text))):
        if word.isascii() or not _SIGN.search(word):
            found[word[:MAX_WORD]] = None
            continue
        for run in _RUN.findall(word):
            if _SIGN.match(run):
                found.update(dict.fromkeys(_pairs(run)))
                found[run[-1]] = None
            else:
                found[run[:MAX_WORD]] = None
    return " ".join(found)


def query_words(query: str) -> tuple[QueryWord, ...]:
    """All of which a text must have. A star at the end of a word stands for any ending."""
    found: dict[QueryWord, None] = {}
    for part in query[:1000].split():
        words = [run for word in _words(part) for run in _RUN.findall(word)]
        for number, run in enumerate(words, 1):
            if _SIGN.match(run):
                pairs = list(_pairs(run))
                found.update(dict.fromkeys(map(QueryWord, pairs)) if pairs else {QueryWord(run, True): None})
            else:
                is_prefix = part.endswith("*") and number == len(words) and len(run) > 1
                found[QueryWord(run[:MAX_WORD], is_prefix)] = None
    return tuple(found)[:MAX_QUERY_WORDS]


def _pairs(run: str) -> Iterator[str]:
    return (run[index : index + 2] for index in range(len(run) - 1))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text).casefold()
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", folded))
    for written, typed in _REPLACED:
        folded = folded.replace(written, typed)
    return _word_pattern(with_far=_FAR.search(folded) is not None).findall(folded)


@lru_cache(maxsize=2)
def _word_pattern(*, with_far: bool) -> re.Pattern[str]:
    """Letters and digits, and the marks that some scripts write vowels with: a word of Hindi is one word.

    One set of characters, because a choice between two would be made anew for each letter. The marks of far
    scripts would be compared one after the other, so only texts that have such letters are asked for them.
    """
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x0370, 0x1F000 if with_far else 0x10000)
        if unicodedata.category(chr(code)) in {"Mn", "Mc"}
    )
    return re.compile(rf"[\w{marks}]+")
