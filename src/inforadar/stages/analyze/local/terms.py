"""An index of words, phrases and stems that finds all its entries in one pass over a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from inforadar.stages.analyze.local.text import Word

T = TypeVar("T")

_MAX_MEMO_WORDS = 50_000


@dataclass(slots=True)
class _Starts(Generic[T]):
    """The entries that begin with one word: single words, and phrases by their second word."""

    alone: list[T] = field(default_factory=list)
    phrases: dict[str, list[tuple[tuple[str, ...], T]]] = field(default_factory=dict)
    stemmed: list[tuple[tuple[str, ...], T]] = field(default_factory=list)
    """Phrases whose second word is a stem."""

    def add(self, rest: tuple[str, ...], payload: T) -> None:
        if not rest:
            self.alone.append(payload)
        elif rest[0].endswith("*"):
            self.stemmed.append((rest, payload))
        else:
            self.phrases.setdefault(rest[0], []).append((rest, payload))

    def merge(self, other: _Starts[T]) -> None:
        self.alone += other.alone
        self.stemmed += other.stemmed
        for second, entries in other.phrases.items():
            self.phrases.setdefault(second, []).extend(entries)


class TermIndex(Generic[T]):
    """Entries by their first word, or by their first character in scripts without spaces. A star ends a stem.

    `elisions` are small words that lose their vowel before the next one: "l'arnaque" has the entry "arnaque". With
    `compounds`, "Clan-Bestie" has the entry "Bestie".
    """

    def __init__(
        self, *, spaceless: bool, elisions: frozenset[str] = frozenset(), compounds: bool = False
    ) -> None:
        self._spaceless = spaceless
        self._compounds = compounds
        self._elisions = elisions
        self._exact: dict[str, _Starts[T]] = {}
        self._stems: dict[str, _Starts[T]] = {}
        self._lengths: list[int] = []
        # Most words start no entry; remembering that saves a lookup per stem length.
        self._memo: dict[str, _Starts[T] | None] = {}

    def add(self, term: str, payload: T) -> None:
        if self._spaceless:
            self._exact.setdefault(term[0], _Starts()).add((term[1:],), payload)
            return
        first, *rest = term.split()
        if first.endswith("*"):
            self._stems.setdefault(first[:-1], _Starts()).add(tuple(rest), payload)
            self._lengths = sorted({len(stem) for stem in self._stems})
        else:
            self._exact.setdefault(first, _Starts()).add(tuple(rest), payload)

    def find(self, text: str, words: list[Word]) -> Iterator[tuple[T, int, int]]:
        """Yield payload, start and end of every entry in the text, overlapping ones included."""
        return self._find_anywhere(text) if self._spaceless else self._find_words(words)

    def _find_words(self, words: list[Word]) -> Iterator[tuple[T, int, int]]:
        memo = self._memo
        for index, (lower, first, end) in enumerate(words):
            start, starts = first, memo[lower] if lower in memo else self._starts(lower)
            if starts is None and (elided := elision_in(lower, self._elisions)):
                start, starts = first + elided, self._starts(lower[elided:])
            elif starts is None and self._compounds and "-" in lower:
                starts = self._starts(lower.rpartition("-")[2])
            if starts is None:
                continue
            for payload in starts.alone:
                yield payload, start, end
            if index + 1 < len(words) and (starts.phrases or starts.stemmed):
                for rest, payload in (*starts.phrases.get(words[index + 1].lower, ()), *starts.stemmed):
                    if _continues(words, index + 1, rest):
                        yield payload, start, words[index + len(rest)].end

    def _find_anywhere(self, text: str) -> Iterator[tuple[T, int, int]]:
        for start, char in enumerate(text):
            if char in self._exact:
                for rest, entries in self._exact[char].phrases.items():
                    if text.startswith(rest, start + 1):
                        for _, payload in entries:
                            yield payload, start, start + 1 + len(rest)

    def _starts(self, word: str) -> _Starts[T] | None:
        if len(self._memo) > _MAX_MEMO_WORDS:
            self._memo.clear()
        found: _Starts[T] = _Starts()
        if word in self._exact:
            found.merge(self._exact[word])
        for length in self._lengths:
            if length <= len(word) and word[:length] in self._stems:
                found.merge(self._stems[word[:length]])
        known = found if found.alone or found.phrases or found.stemmed else None
        self._memo[word] = known
        return known


def elision_in(word: str, elisions: frozenset[str]) -> int:
    """Return how many characters of a word are a small word before it that lost its vowel: 2 of "l'arnaque"."""
    head, apostrophe, rest = word.partition("'") if elisions else ("", "", "")
    return len(head) + 1 if apostrophe and len(rest) > 1 and head in elisions else 0


def _continues(words: list[Word], index: int, rest: tuple[str, ...]) -> bool:
    if index + len(rest) > len(words):
        return False
    return all(
        word.lower.startswith(part[:-1]) if part.endswith("*") else word.lower == part
        for part, word in zip(rest, words[index : index + len(rest)], strict=True)
    )
