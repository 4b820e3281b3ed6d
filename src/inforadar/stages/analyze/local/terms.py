"""An index of words, phrases and stems that finds all of its entries in one pass over a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from inforadar.stages.analyze.local.text import Word

T = TypeVar("T")

_MEMO_LIMIT = 50_000


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    payload: T
    rest: tuple[str, ...]
    """The words after the first; for scripts without spaces, the remaining characters as one string."""


class TermIndex(Generic[T]):
    """Entries by their first word, or first character where a script has no spaces. A star ends a stem."""

    def __init__(self, *, spaceless: bool) -> None:
        self._spaceless = spaceless
        self._exact: dict[str, list[_Entry[T]]] = {}
        self._stems: dict[str, list[_Entry[T]]] = {}
        self._lengths: list[int] = []
        # Most words of a language are no entry; remembering that saves a lookup for each stem length.
        self._memo: dict[str, tuple[_Entry[T], ...]] = {}

    def add(self, term: str, payload: T) -> None:
        if self._spaceless:
            self._exact.setdefault(term[0], []).append(_Entry(payload, (term[1:],)))
            return
        first, *rest = term.split()
        entry = _Entry(payload, tuple(rest))
        if first.endswith("*"):
            self._stems.setdefault(first[:-1], []).append(entry)
            self._lengths = sorted({len(stem) for stem in self._stems})
        else:
            self._exact.setdefault(first, []).append(entry)

    def find(self, text: str, words: list[Word]) -> Iterator[tuple[T, int, int]]:
        """Payload, start and end of every entry in the text, overlapping ones too."""
        return self._find_anywhere(text) if self._spaceless else self._find_words(words)

    def _find_words(self, words: list[Word]) -> Iterator[tuple[T, int, int]]:
        for index, word in enumerate(words):
            for entry in self._entries(word.lower):
                last = index + len(entry.rest)
                if last < len(words) and all(
                    _fits(part, words[index + offset].lower) for offset, part in enumerate(entry.rest, 1)
                ):
                    yield entry.payload, word.start, words[last].end

    def _find_anywhere(self, text: str) -> Iterator[tuple[T, int, int]]:
        for start, char in enumerate(text):
            for entry in self._exact.get(char, ()):
                if text.startswith(entry.rest[0], start + 1):
                    yield entry.payload, start, start + 1 + len(entry.rest[0])

    def _entries(self, word: str) -> tuple[_Entry[T], ...]:
        known = self._memo.get(word)
        if known is None:
            if len(self._memo) > _MEMO_LIMIT:
                self._memo.clear()
            entries = list(self._exact.get(word, ()))
            for length in self._lengths:
                entries += self._stems.get(word[:length], ()) if length <= len(word) else ()
            known = self._memo[word] = tuple(entries)
        return known


def _fits(part: str, word: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part
