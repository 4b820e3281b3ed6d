"""Fit the weights of the pair scores: `python -m bench.fit_stories FOLDER`.

Deterministic: the same sets give the same file. A logistic model is fitted for each kind of pair (texts, bare titles,
texts and titles in two languages; with and without sentence vectors). Pairs of different events of one kind, two
earthquakes say, count more than other pairs, because they are the ones to tell apart. The words of the sets in several
languages are counted too: how common a word is, and whether it is a name, must be known for the first items already.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.stories_sets import GoldItem, find_sets
from inforadar.semantic import encoder
from inforadar.stages.group.pair_score import SIGNALS, Model, Weights, kind_of_pair, signals
from inforadar.stages.group.signature import Signature, make_signature, vector_texts
from inforadar.stages.group.similarity import compare, weigh
from inforadar.stages.group.vocabulary import Vocabulary, keys_of

FILE = Path(__file__).parent.parent / "src/inforadar/stages/group/weights.json"
SAME_KIND = 60.0
"""How much more a pair of different events of one kind counts than other pairs of different events."""
MAX_ITEMS = 900
"""How many items of a set are paired."""
RIDGE = 1e-3
JOIN = {
    "text": 0.7,
    "text_vectors": 0.7,
    "title": 0.5,
    "title_vectors": 0.8,
    "foreign_text": 1.0,
    "foreign_text_vectors": 1.5,
    "foreign_title": 0.5,
    "foreign_title_vectors": 0.5,
}
"""The score at which an item joins, tuned on whole groupings (see `bench stories`)."""
MERGE = 0.2
ACROSS_SCRIPTS, ACROSS_SLOPE = 0.6, 12.0

MIN_EVENTS = 4
"""In reports of how many events a word must be to be one of news in general."""
PRIOR_FILE = FILE.with_name("prior.json")

Pairs = dict[str, tuple[list[tuple[float, ...]], list[bool], list[float]]]


def signatures(items: Sequence[GoldItem], *, bare: bool = False) -> tuple[list[Signature], Vocabulary]:
    vocabulary, made = Vocabulary(), []
    for item in items:
        signature, casing = make_signature(item.title, "" if bare else item.text, item.language)
        vocabulary.learn(signature, casing)
        made.append(signature)
    texts = [vector_texts(item.title, "" if bare else item.text) for item in items]
    titles = encode([title for title, _ in texts])
    fulls = encode([full for _, full in texts])
    return [
        replace(signature, title_vector=title, full_vector=full)
        for signature, title, full in zip(made, titles, fulls, strict=True)
    ], vocabulary


def encode(texts: Sequence[str], batch: int = 32) -> NDArray[np.float32]:
    return np.vstack([encoder.vectors(texts[start : start + batch]) for start in range(0, len(texts), batch)])


def collect_pairs(items: Sequence[GoldItem], pairs: Pairs, *, bare: bool) -> None:
    chosen = list(items)
    random.Random(1).shuffle(chosen)
    chosen = chosen[:MAX_ITEMS]
    made, vocabulary = signatures(chosen, bare=bare)
    weighed = [weigh(signature, vocabulary) for signature in made]
    has_kinds = len({item.kind for item in chosen}) > 8
    labelled: Pairs = {}
    for place, one in enumerate(chosen):
        for earlier in range(place):
            other = chosen[earlier]
            if made[place].script != made[earlier].script:
                continue
            likeness = compare(weighed[place], weighed[earlier])
            inputs = signals(likeness)
            kind = kind_of_pair(made[place], made[earlier], has_vectors=False)
            found = labelled.setdefault(kind, ([], [], []))
            found[0].append(inputs)
            found[1].append(one.story == other.story)
            found[2].append(SAME_KIND if has_kinds and one.kind == other.kind else 1.0)
    for kind, (inputs_, same, weights) in labelled.items():
        yes = sum(same)
        into = pairs.setdefault(kind, ([], [], []))
        into[0].extend(inputs_)
        into[1].extend(same)
        # Every set counts the same, and in it the pairs of one event as much as the others.
        into[2].extend(
            0.5 / max(yes, 20) if is_same else 0.5 * weight / (len(same) - yes)
            for is_same, weight in zip(same, weights, strict=True)
        )


def fit(
    inputs: NDArray[np.float64], same: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Fit a logistic model with a ridge by Newton's method."""
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-6
    z = np.c_[(inputs - mean) / spread, np.ones(len(inputs))]
    weights = weights / weights.sum()
    ridge = np.eye(z.shape[1]) * RIDGE
    ridge[-1, -1] = 0
    found = np.zeros(z.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(z @ found, -30, 30)))
        slope = z.T @ (weights * (p - same)) + ridge @ found
        bend = (z * (weights * np.maximum(p * (1 - p), 1e-6))[:, None]).T @ z + ridge
        step = np.linalg.solve(bend, slope)
        found -= step
        if abs(step).max() < 1e-9:
            break
    unscaled = found[:-1] / spread
    return unscaled, float(found[-1] - (mean * unscaled).sum())


VECTOR_SIGNALS = {"title_vector", "full_vector", "names_vector", "words_vector"}
DATES = {"year", "year_clash", "day", "day_clash"}
KINDS = {"": set(SIGNALS) - VECTOR_SIGNALS, "_vectors": set(SIGNALS)}


def fit_all(sets: dict[str, list[GoldItem]]) -> Weights:
    pairs: Pairs = {}
    for items in sets.values():
        has_texts = any(item.text for item in items)
        if has_texts:
            collect_pairs(items, pairs, bare=False)
        if not has_texts or len({item.language for item in items}) > 1:
            collect_pairs(items, pairs, bare=True)
    models = {}
    for kind in (name for name in JOIN if not name.endswith("_vectors")):
        inputs, same, weights = pairs[kind]
        for suffix, names in KINDS.items():
            used = [name for name in SIGNALS if name in names and (name not in DATES or "text" in kind)]
            rows = np.array([[given[SIGNALS.index(name)] for name in used] for given in inputs])
            found, bias = fit(rows, np.array(same), np.array(weights))
            fitted = dict(zip(used, (round(float(weight), 3) for weight in found), strict=True))
            models[kind + suffix] = Model(
                bias=round(bias, 3), weights={name: fitted.get(name, 0.0) for name in SIGNALS}
            )
    # Between texts in one language vectors mix up events of one kind (two patches, two matches): they only add
    # candidates.
    models["text_vectors"] = models["text"]
    return Weights(
        models=models, join=JOIN, merge=MERGE, across_scripts=ACROSS_SCRIPTS, across_slope=ACROSS_SLOPE
    )


def count_words(items: Sequence[GoldItem]) -> dict[str, tuple[float, float, float]]:
    """How common words are in news in general, and how they are written: shares of the items of a set."""
    counts: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    small: Counter[str] = Counter()
    events: defaultdict[str, set[str]] = defaultdict(set)
    for item in items:
        signature, casing = make_signature(item.title, item.text, item.language)
        counts.update(keys_of(signature))
        capital.update({f"^{word}": number for word, number in casing.capital.items()})
        small.update({f"^{word}": number for word, number in casing.small.items()})
        for key in (*keys_of(signature), *(f"^{word}" for word in (*casing.capital, *casing.small))):
            events[key].add(item.story)
    total = len(items)
    return {
        key: (round(counts[key] / total, 3), round(capital[key] / total, 3), round(small[key] / total, 3))
        for key in sorted(events)
        if len(events[key]) >= MIN_EVENTS
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(argv)
    sets = find_sets(options.folder)
    several = [
        item for items in sets.values() if len({item.language for item in items}) > 1 for item in items
    ]
    PRIOR_FILE.write_bytes(msgspec.json.encode(count_words(several)) + b"\n")
    weights = fit_all(sets)
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=1) + b"\n")
    print(f"Wrote {FILE} and {PRIOR_FILE}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
