"""Mark what a search found, in titles and texts. Pure; the same words are found as by the search itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from markupsafe import Markup

from inforadar.errors import UsageError
from inforadar.model.search import parse_search
from inforadar.model.search_tree import All, AnyOf, InTitle, Node, Phrase, Word
from inforadar.short_cache import short_cache
from inforadar.store.items.search_words import query_words

_TAG = re.compile(r"""(</?[a-z][a-z0-9]*(?:\s+[a-z-]+="[^"]*")*\s*/?>)""")
_TOKEN = re.compile(r"&#?\w+;|\w+")
_CJK = re.compile("[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")

MAX_WORDS = 40_000
"""Each word of a text costs up to half a microsecond; what was found after that many is not marked."""


class Highlighter:
    """Marks the words of a query; one without words marks nothing."""

    def __init__(self, query: str | None) -> None:
        texts = list(_texts(query)) if query else []
        words = {word for text in texts for word in query_words(text) if not _CJK.search(word.text)}
        self._whole = frozenset(word.text for word in words if not word.is_prefix)
        self._starts = tuple(word.text for word in words if word.is_prefix)
        runs = sorted({run for text in texts for run in _CJK.findall(text)}, key=len, reverse=True)
        # Longest first, so that a word is not cut by a part of it.
        self._cjk = re.compile("|".join(map(re.escape, runs))) if runs else None
        self.has_words = bool(words or runs)

    def text(self, plain: str) -> Markup:
        """Escape plain text and mark what was found."""
        return Markup(self._marked(escape(plain, quote=False)))  # noqa: S704 - escaped above

    def html(self, safe: Markup) -> Markup:
        """Mark what was found in the text of safe HTML, never inside tags."""
        if not self.has_words:
            return safe
        parts, left = _TAG.split(str(safe)), MAX_WORDS
        for number in range(0, len(parts), 2):
            if left <= 0:
                break
            parts[number], words = _TOKEN.subn(self._mark, parts[number], count=left)
            left -= words
        return Markup("".join(parts))  # noqa: S704 - as safe as it came

    def _marked(self, escaped: str) -> str:
        return _TOKEN.sub(self._mark, escaped, count=MAX_WORDS) if self.has_words else escaped

    def _mark(self, found: re.Match[str]) -> str:
        token = found[0]
        if token.startswith("&"):
            return token
        if self._cjk is not None and _CJK.search(token):
            return self._cjk.sub(lambda hit: f'<mark class="hit">{hit[0]}</mark>', token)
        folded = _fold(token)
        if folded in self._whole or (self._starts and folded.startswith(self._starts)):
            return f'<mark class="hit">{token}</mark>'
        return token


@short_cache(20_000, max_length=50)
def _fold(token: str) -> str:
    return " ".join(word.text for word in query_words(token))


def _texts(query: str) -> Iterator[str]:
    """The texts that a query looks for; not those that it excludes."""
    try:
        node = parse_search(query)
    except UsageError:
        return
    yield from _texts_of(node) if node else ()


def _texts_of(node: Node) -> Iterator[str]:
    match node:
        case Word(text) | Phrase(text) | InTitle(text):
            yield text
        case All(nodes) | AnyOf(nodes):
            for one in nodes:
                yield from _texts_of(one)
