"""How alike two items are: words, names, numbers, vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from inforadar.stages.group.signature import Signature, Vector
from inforadar.stages.group.tokens import STEM_CHARS
from inforadar.stages.group.vocabulary import Vocabulary

MAX_TERMS = 80
"""How many of an item's heaviest words are compared."""
_WEIGHT = itemgetter(1)
_MOST = 1000
_LOG = [0.0, *(1 + math.log(count) for count in range(1, _MOST + 1))]
"""How much a word says that is there several times, by its count; titles and leads are too short for a higher one."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A signature with the weights that its words have now."""

    signature: Signature
    words: Mapping[str, float]
    title: Mapping[str, float]
    names: Mapping[str, float]
    focus: Mapping[str, float]
    """Names by how often they are named: whom the text is about, not who is mentioned."""
    numbers: Mapping[str, float]
    """Each of unit length."""
    name_mass: float
    word_mass: float
    """The lengths of `names` and `words` before."""
    years: frozenset[str]


class Likeness(NamedTuple):
    """The signals of one pair, each from 0 to 1 except `vectors`, which may be slightly negative."""

    words: float
    title: float
    names: float
    focus: float
    focus_clash: float
    """How far each is about names that the other does not mention."""
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
    idf, words = vocabulary.idf, word_weights(signature, vocabulary)
    names = {folded: idf(folded[:STEM_CHARS]) for folded in signature.capitals if vocabulary.is_name(folded)}
    about = {folded: weight * signature.words.get(folded[:STEM_CHARS], 1) for folded, weight in names.items()}
    return Weighed(
        signature,
        _unit(words),
        _unit({key: idf(key) for key in signature.title}),
        _unit(names),
        _unit(about),
        number_weights(signature, vocabulary),
        _length(names),
        _length(words),
        years_of(signature.numbers),
    )


def word_weights(signature: Signature, vocabulary: Vocabulary) -> dict[str, float]:
    """How much each word of an item says, the heaviest `MAX_TERMS`."""
    count_of = vocabulary.counts.get
    most, share = vocabulary.log_total(), vocabulary.share()
    words = {
        key: _LOG[count] * (most - math.log(1 + found.items * share) if (found := count_of(key)) else most)
        for key, count in signature.words.items()
    }
    if len(words) > MAX_TERMS:
        words = dict(sorted(words.items(), key=_WEIGHT, reverse=True)[:MAX_TERMS])
    return words


def number_weights(signature: Signature, vocabulary: Vocabulary) -> dict[str, float]:
    """How much each number of an item says, as a vector of unit length."""
    return _unit({key: vocabulary.idf(key) for key in signature.numbers})


def years_of(numbers: Iterable[str]) -> frozenset[str]:
    """The numbers that look like years."""
    return frozenset([key for key in numbers if len(key) == 5 and key[1:3] in ("19", "20")])


def _length(weights: Mapping[str, float]) -> float:
    return math.sqrt(sum([weight * weight for weight in weights.values()]))


def _unit(weights: Mapping[str, float]) -> dict[str, float]:
    length = _length(weights)
    return {key: weight / length for key, weight in weights.items() if weight > 0} if length else {}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if not one or not other:
        return 0.0
    shared = one.keys() & other.keys()
    # `fsum`, because the order of a set differs from one process to the next.
    return math.fsum([one[key] * other[key] for key in shared]) if shared else 0.0


def compare(one: Weighed, other: Weighed) -> Likeness:
    """Measure how alike two items are."""
    # A text's names and its focus are the same words, with other weights.
    names = _dot(one.names, other.names)
    focus = _dot(one.focus, other.focus) if names else 0.0
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
        focus,
        _absent(one.focus, b.capitals) * _absent(other.focus, a.capitals),
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


def _absent(focus: Mapping[str, float], capitals: Mapping[str, str]) -> float:
    """The share of the focus that is not mentioned in a text."""
    return sum([weight * weight for name, weight in focus.items() if name not in capitals])


def _agreement(one: frozenset[str], other: frozenset[str]) -> tuple[float, float]:
    if not one or not other:
        return 0.0, 0.0
    return (0.0, 1.0) if one.isdisjoint(other) else (1.0, 0.0)


def _cosine(one: Vector | None, other: Vector | None) -> float | None:
    if one is None or other is None:
        return None
    # The encoder's last digits depend on the batch.
    return round(float(one @ other), 4)
