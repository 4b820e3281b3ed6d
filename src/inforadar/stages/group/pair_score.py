"""The score of a pair: signals, weighed by a model that was fitted on labelled stories (`bench.fit_stories`).

A score above 0 speaks for one event, a score below 0 against it. Bare titles, texts in two languages and pairs without
vectors have weights of their own. Between two scripts words say nothing, and only the vectors count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt

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


@dataclass(frozen=True, slots=True)
class PairScore:
    """How strongly two items seem to tell of one event, and why."""

    value: float
    likeness: Likeness


class Model(msgspec.Struct, frozen=True):
    """The weights of one kind of pair."""

    bias: float
    weights: Mapping[str, float]


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
    text = "text" if one.has_text and other.has_text else "title"
    foreign = one.language and other.language and one.language != other.language
    return f"{'foreign_' if foreign else ''}{text}{'_vectors' if has_vectors else ''}"


def signals(likeness: Likeness, *, has_text: bool) -> dict[str, float]:
    """The inputs of a model, by name."""
    given = {
        "words": likeness.words,
        "words_root": sqrt(max(likeness.words, 0.0)),
        "title": likeness.title,
        "names": likeness.names,
        "shared_names": likeness.shared_names,
        "numbers": likeness.numbers,
        "number_clash": likeness.number_clash,
        "words_names": likeness.words * likeness.names,
    }
    if has_text:
        given |= {
            "year": likeness.year,
            "year_clash": likeness.year_clash,
            "day": likeness.day,
            "day_clash": likeness.day_clash,
        }
    if likeness.title_vector is not None and likeness.full_vector is not None:
        given |= {
            "title_vector": likeness.title_vector,
            "full_vector": likeness.full_vector,
            "names_vector": likeness.names * likeness.full_vector,
            "words_vector": likeness.words * likeness.full_vector,
        }
    return given


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
    inputs = signals(likeness, has_text=a.has_text and b.has_text)
    value = model.bias + sum([inputs[name] * weight for name, weight in model.weights.items()])
    value -= weights.join[kind]
    if likeness.evidence < MIN_EVIDENCE and not kind.startswith("foreign"):
        value = min(value, WEAK)
    return PairScore(_bounded(value), likeness)


def _bounded(value: float) -> float:
    return round(max(-MAX_SCORE, min(value, MAX_SCORE)), 3)
