"""How common words are, and how they are written: counts that grow with every item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from inforadar.stages.group.signature import Casing, Signature

PRIOR_ITEMS = 30
"""Items that the counts start from: among a handful of items every word would be rare."""
NAME_SHARE = 0.75
"""A word is a name if this share of its occurrences inside sentences is capitalized."""


@dataclass(slots=True)
class WordCount:
    """One word's counts."""

    items: int = 0
    """How many items have it."""
    capital: int = 0
    small: int = 0
    """How often it was written inside a sentence, with and without a capital letter."""


@dataclass(slots=True)
class Vocabulary:
    """The counts of the words at hand. A part of a larger one that is stored will do, if it has all of them."""

    items: int = 0
    counts: dict[str, WordCount] = field(default_factory=dict)

    def learn(self, signature: Signature, casing: Casing) -> None:
        """Count an item."""
        self.items += 1
        for key in keys_of(signature):
            self._count(key).items += 1
        for word, number in casing.capital.items():
            self._count(f"^{word}").capital += number
        for word, number in casing.small.items():
            self._count(f"^{word}").small += number

    def _count(self, key: str) -> WordCount:
        found = self.counts.get(key)
        if found is None:
            found = self.counts[key] = WordCount()
        return found

    def idf(self, key: str) -> float:
        """How much a word says: the rarer, the more."""
        count = self.counts.get(key)
        total = self.items + PRIOR_ITEMS
        return math.log(total / (1 + (count.items if count else 0)))

    def is_name(self, folded: str) -> bool:
        """Whether this word, capitalized here, is a name: elsewhere it is hardly ever written small."""
        count = self.counts.get(f"^{folded}")
        if count is None:
            return False
        return count.capital >= NAME_SHARE * (count.capital + count.small) and count.capital > 0


def keys_of(signature: Signature) -> Iterable[str]:
    """The keys under which an item's words and numbers are counted."""
    yield from signature.words
    yield from signature.numbers


def casing_keys(casing: Casing, capitals: Mapping[str, str]) -> set[str]:
    """The keys under which the case of an item's words is counted."""
    return {f"^{word}" for word in (*casing.capital, *casing.small, *capitals)}
