"""The score of a pair: signals, weighed by a model that was fitted on labelled stories (`bench.fit_stories`).

A score above 0 speaks for one event, a score below 0 against it. Bare titles, texts in two languages and pairs without
vectors have weights of their own. Between two scripts words say nothing, and only the vectors count.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import sqrt
from operator import mul
from typing import NamedTuple

import msgspec

from inforadar.stages.group.signature import Signature
from inforadar.stages.group.similarity import Likeness, Weighed, compare

MAX_SCORE = 6.0
MIN_EVIDENCE = 5.0
"""Pairs in one language whose shared words say less than this are never joined by them."""
MIN_TITLE_WORDS = 3
"""Shorter titles say too little to be compared."""
WEAK = -4.0
"""The score of a pair that is not comparable."""


class PairScore(NamedTuple):
    """How strongly two items seem to tell of one event, and why."""

    value: float
    likeness: Likeness


class Model(msgspec.Struct, frozen=True):
    """The weights of one kind of pair."""

    bias: float
    weights: Mapping[str, float]
    """For each of `SIGNALS`, in that order; 0 for those that the kind of pair does not have."""


class Weights(msgspec.Struct, frozen=True):
    """Everything that was fitted."""

    models: Mapping[str, Model]
    join: Mapping[str, float]
    """The mean score over the nearest members at which an item joins a story, by kind of pair."""
    merge: float
    """The mean score over all pairs of two stories at which they are merged."""
    across_scripts: float
    """The cosine at which texts in two scripts are as likely one event as not."""
    across_slope: float


@cache
def load_weights() -> Weights:
    """Load the fitted weights from the package."""
    stored = files("inforadar.stages.group").joinpath("weights.json").read_bytes()
    return msgspec.json.decode(stored, type=Weights)


def kind_of_pair(one: Signature, other: Signature, *, has_vectors: bool) -> str:
    """The name of the model that scores this pair."""
    is_foreign = one.language != other.language and bool(one.language and other.language)
    return _KINDS[is_foreign, one.has_text and other.has_text, has_vectors]


_KINDS = {
    (foreign, text, vectors): f"{'foreign_' * foreign}{'text' if text else 'title'}{'_vectors' * vectors}"
    for foreign in (False, True)
    for text in (False, True)
    for vectors in (False, True)
}


SIGNALS = (
    "words", "words_root", "title", "names", "focus", "focus_clash", "shared_names", "numbers", "number_clash",
    "words_names", "year", "year_clash", "day", "day_clash", "title_vector", "full_vector",
    "names_vector", "words_vector",
)  # fmt: skip
"""The inputs of a model, in the order of its weights."""


def signals(likeness: Likeness) -> tuple[float, ...]:
    """The values of `SIGNALS`; vectors that are missing count as 0."""
    words, names = likeness.words, likeness.names
    full = likeness.full_vector or 0.0
    return (
        words,
        sqrt(words) if words > 0 else 0.0,
        likeness.title,
        names,
        likeness.focus,
        likeness.focus_clash,
        likeness.shared_names,
        likeness.numbers,
        likeness.number_clash,
        words * names,
        likeness.year,
        likeness.year_clash,
        likeness.day,
        likeness.day_clash,
        likeness.title_vector or 0.0,
        full,
        names * full,
        words * full,
    )


def score_pair(one: Weighed, other: Weighed, weights: Weights) -> PairScore:
    """Score a pair of items. The sum is rounded, because an encoder's last digits depend on the batch."""
    likeness = compare(one, other)
    a, b = one.signature, other.signature
    if min(len(a.title), len(b.title)) < MIN_TITLE_WORDS and not (a.has_text and b.has_text):
        return PairScore(WEAK, likeness)
    has_vectors = likeness.full_vector is not None
    if a.script != b.script:
        if likeness.full_vector is None:
            return PairScore(WEAK, likeness)
        value = weights.across_slope * (likeness.full_vector - weights.across_scripts)
        return PairScore(_bounded(value), likeness)
    kind = kind_of_pair(a, b, has_vectors=has_vectors)
    model = weights.models[kind]
    value = model.bias + sum(map(mul, signals(likeness), model.weights.values()))
    value -= weights.join[kind]
    if likeness.evidence < MIN_EVIDENCE and not kind.startswith("foreign"):
        value = min(value, WEAK)
    return PairScore(_bounded(value), likeness)


def _bounded(value: float) -> float:
    return round(max(-MAX_SCORE, min(value, MAX_SCORE)), 3)
