"""How common words are, and how they are written: counts that grow with every item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec

from inforadar.stages.group.signature import Casing, Signature

PRIOR_ITEMS = 40
"""Items that the counts start from: among a handful of items every word would be rare, and no word a known name."""
MATURE_ITEMS = 1500
"""From this many items on only the shares of words count: scores must not drift while the counts grow."""
NAME_SHARE = 0.75
"""A word is a name if this share of its occurrences inside sentences is capitalized."""


@dataclass(slots=True)
class WordCount:
    """One word's counts."""

    items: float = 0
    """How many items have it."""
    capital: float = 0
    small: float = 0
    """How often it was written inside a sentence, with and without a capital letter."""


@dataclass(slots=True)
class Vocabulary:
    """The counts of the words at hand. A part of a larger one that is stored will do, if it has all of them."""

    items: int = 0
    counts: dict[str, WordCount] = field(default_factory=dict)

    def learn(self, signature: Signature, casing: Casing) -> None:
        """Count an item."""
        self.items += 1
        counts = self.counts
        for key in keys_of(signature):
            (counts.get(key) or counts.setdefault(key, WordCount())).items += 1
        for word, number in casing.capital.items():
            counts.setdefault(f"^{word}", WordCount()).capital += number
        for word, number in casing.small.items():
            key = f"^{word}"
            (counts.get(key) or counts.setdefault(key, WordCount())).small += number

    def log_total(self) -> float:
        """How much a word says that no item had so far."""
        return math.log(min(self.items, MATURE_ITEMS) + PRIOR_ITEMS)

    def share(self) -> float:
        """The factor that turns a count into one among `MATURE_ITEMS`."""
        return min(1.0, MATURE_ITEMS / max(1, self.items))

    def idf(self, key: str) -> float:
        """How much a word says: the rarer, the more."""
        count = self.counts.get(key)
        return self.log_total() - (math.log(1 + count.items * self.share()) if count else 0.0)

    def is_name(self, folded: str) -> bool:
        """Whether this word, capitalized here, is a name: elsewhere it is hardly ever written small."""
        count = self.counts.get(f"^{folded}")
        if count is None:
            return False
        return count.capital >= NAME_SHARE * (count.capital + count.small) and count.capital > 0


@cache
def load_prior() -> Mapping[str, tuple[float, float, float]]:
    """Words of news in general: the share of items that have one, and how often one is written large and small.

    From `bench.fit_stories`: words of several languages that are in reports of many events.
    """
    stored = files("inforadar.stages.group").joinpath("prior.json").read_bytes()
    return msgspec.json.decode(stored, type=dict[str, tuple[float, float, float]])


def make_vocabulary(
    items: int = 0,
    counts: Mapping[str, tuple[int, int, int]] | None = None,
    keys: Iterable[str] | None = None,
) -> Vocabulary:
    """Counts on top of the prior ones; `keys` are those that are needed, all of them if not given."""
    made = Vocabulary(items=items)
    add_counts(made, counts or {}, load_prior() if keys is None else keys)
    return made


def add_counts(
    vocabulary: Vocabulary, counts: Mapping[str, tuple[int, int, int]], keys: Iterable[str]
) -> None:
    """Add the counts of more words, on top of the prior ones."""
    prior = load_prior()
    for key in keys:
        counted, before = counts.get(key), prior.get(key)
        if before is not None:
            items, capital, small = counted or (0, 0, 0)
            vocabulary.counts[key] = WordCount(
                items + before[0] * PRIOR_ITEMS,
                capital + before[1] * PRIOR_ITEMS,
                small + before[2] * PRIOR_ITEMS,
            )
        elif counted is not None:
            vocabulary.counts[key] = WordCount(*counted)


def keys_of(signature: Signature) -> list[str]:
    """The keys under which an item's words and numbers are counted."""
    return [*signature.words, *signature.numbers]


def casing_keys(casing: Casing, capitals: Mapping[str, str]) -> set[str]:
    """The keys under which the case of an item's words is counted."""
    return {f"^{word}" for word in (*casing.capital, *casing.small, *capitals)}
