"""How alike two items are: words, names, numbers, vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter

from inforadar.stages.group.signature import Signature, Vector
from inforadar.stages.group.tokens import STEM_CHARS
from inforadar.stages.group.vocabulary import Vocabulary

MAX_TERMS = 80
"""How many of an item's heaviest words are compared."""
_WEIGHT = itemgetter(1)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A signature with the weights that its words have now."""

    signature: Signature
    words: Mapping[str, float]
    title: Mapping[str, float]
    names: Mapping[str, float]
    numbers: Mapping[str, float]
    """Each of unit length."""
    name_mass: float
    word_mass: float
    """The lengths of `names` and `words` before."""
    years: frozenset[str]


@dataclass(frozen=True, slots=True)
class Likeness:
    """The signals of one pair, each from 0 to 1 except `vectors`, which may be slightly negative."""

    words: float
    title: float
    names: float
    shared_names: float
    numbers: float
    number_clash: float
    """Both have numbers, and share none."""
    year: float
    year_clash: float
    day: float
    day_clash: float
    """Both name years, or days: they share one, or none."""
    evidence: float
    """How much the shared words say together. Generic words say next to nothing, however many they are."""
    title_vector: float | None
    full_vector: float | None


def weigh(signature: Signature, vocabulary: Vocabulary) -> Weighed:
    """Weigh the words of an item by how much they say."""
    idf = vocabulary.idf
    words = {key: (1 + math.log(count)) * idf(key) for key, count in signature.words.items()}
    if len(words) > MAX_TERMS:
        words = dict(nlargest(MAX_TERMS, words.items(), key=_WEIGHT))
    names = {folded: idf(folded[:STEM_CHARS]) for folded in signature.capitals if vocabulary.is_name(folded)}
    mass = math.sqrt(sum(weight * weight for weight in names.values()))
    return Weighed(
        signature,
        _unit(words),
        _unit({key: idf(key) for key in signature.title}),
        _unit(names),
        _unit({key: idf(key) for key in signature.numbers}),
        mass,
        math.sqrt(sum(weight * weight for weight in words.values())),
        frozenset(key for key in signature.numbers if len(key) == 5 and key[1:3] in ("19", "20")),
    )


def _unit(weights: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {key: weight / length for key, weight in weights.items() if weight > 0} if length else {}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum([weight * other[key] for key, weight in one.items() if key in other])


def compare(one: Weighed, other: Weighed) -> Likeness:
    """Measure how alike two items are."""
    names = _dot(one.names, other.names)
    shared = names * math.sqrt(one.name_mass * other.name_mass)
    numbers = _dot(one.numbers, other.numbers)
    clash = 1.0 if one.numbers and other.numbers and numbers == 0 else 0.0
    a, b = one.signature, other.signature
    words = _dot(one.words, other.words)
    year, year_clash = _agreement(one.years, other.years)
    day, day_clash = _agreement(a.days, b.days)
    return Likeness(
        words,
        _dot(one.title, other.title),
        names,
        1 - math.exp(-shared / 8),
        numbers,
        clash,
        year,
        year_clash,
        day,
        day_clash,
        math.sqrt(words * one.word_mass * other.word_mass),
        _cosine(a.title_vector, b.title_vector),
        _cosine(a.full_vector, b.full_vector),
    )


def _agreement(one: frozenset[str], other: frozenset[str]) -> tuple[float, float]:
    if not one or not other:
        return 0.0, 0.0
    return (0.0, 1.0) if one.isdisjoint(other) else (1.0, 0.0)


def _cosine(one: Vector | None, other: Vector | None) -> float | None:
    if one is None or other is None:
        return None
    # The encoder's last digits depend on the batch.
    return round(float(one @ other), 4)
