"""The model of the marked words: how it is fitted, and how its marks agree with annotators'."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.labelled import DATA, FOLDS, fold_of
from bench.logistic import fit_logistic
from inforadar.semantic import encoder
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.marks import (
    CONTEXT_FEATURES,
    THRESHOLD,
    candidates_in,
    context_features,
)
from inforadar.stages.analyze.local.passage import read_passage

Array = NDArray[Any]

_PENALTY = 750.0
"""Per unit of the squared weights of vectors of length 1."""
_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """All words of the labelled texts that may be marked."""

    inputs: Array
    labels: Array
    folds: Array
    texts: Array
    """The number of the text that each word is in."""
    is_neutral: Array
    """By text."""
    is_slanted: Array
    """By text: whether it is slanted enough to get marks at all."""
    marked_by_annotator: int
    """All marked words, also those that are no candidates."""


def collect(framing: Mapping[str, float], is_slanted: Mapping[str, bool]) -> Candidates:
    """Read the words. `framing` has the framing logit that each text got from a network that had not seen it."""
    words: list[str] = []
    context: list[list[float]] = []
    labels: list[int] = []
    folds: list[int] = []
    texts: list[int] = []
    neutral: list[bool] = []
    slanted: list[bool] = []
    for file in sorted((DATA / "framing").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            lexicon = lexicon_for(row["language"])
            if row["device"] == "speculative" or lexicon.spaceless:
                continue
            passage = read_passage(row["text"], lexicon)
            spans = [
                (start, start + len(word)) for word in row["words"]
                for start in range(len(row["text"])) if row["text"].startswith(word, start)
            ]  # fmt: skip
            for candidate in candidates_in(passage, lexicon):
                words.append(candidate.lower)
                context.append(context_features(passage, candidate, framing[row["text"]]))
                labels.append(int(any(start <= candidate.start < end for start, end in spans)))
                folds.append(fold_of(row["pair"] or row["id"]))
                texts.append(len(neutral))
            neutral.append(row["device"] == "neutral")
            slanted.append(is_slanted[row["text"]])
    known = list(dict.fromkeys(words))
    vectors = {}
    for start in range(0, len(known), _BATCH):
        chunk = known[start : start + _BATCH]
        vectors.update(zip(chunk, encoder.vectors(chunk), strict=True))
    return Candidates(
        inputs=np.hstack([np.array([vectors[word] for word in words]), np.array(context)]),
        labels=np.array(labels, dtype=float),
        folds=np.array(folds),
        texts=np.array(texts),
        is_neutral=np.array(neutral),
        is_slanted=np.array(slanted),
        marked_by_annotator=sum(labels),
    )


def fit(found: Candidates, chosen: Array) -> Array:
    """Fit the weights on the chosen words: those of the vector, of the context, and the shift."""
    penalty = np.concatenate([np.full(encoder.DIMENSIONS, _PENALTY / 25), np.full(CONTEXT_FEATURES, 30.0)])
    labels = found.labels[chosen]
    return fit_logistic(found.inputs[chosen], labels, np.ones(len(labels)), penalty)


def measure(found: Candidates) -> dict[str, float]:
    """Compare marks with the annotators', each word with a model that saw no text of its group."""
    logits = np.zeros(len(found.labels))
    for fold in range(FOLDS):
        held_out = found.folds == fold
        fitted = fit(found, ~held_out)
        logits[held_out] = found.inputs[held_out] @ fitted[:-1] + fitted[-1]
    marked = (logits >= THRESHOLD) & found.is_slanted[found.texts]
    in_framed = ~found.is_neutral[found.texts]
    right = float((marked & (found.labels == 1)).sum())
    marked_texts = np.unique(found.texts[marked])
    return {
        "precision": round(right / max(float((marked & in_framed).sum()), 1.0), 3),
        "precision_with_neutral_texts": round(right / max(float(marked.sum()), 1.0), 3),
        "recall": round(right / max(found.marked_by_annotator, 1), 3),
        "neutral_texts_marked": round(
            float(found.is_neutral[marked_texts].sum() / found.is_neutral.sum()), 3
        ),
    }
