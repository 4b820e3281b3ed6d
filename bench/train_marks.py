"""The model of the marked words: how it is fitted, and how its marks agree with annotators'.

It learns from the words of slanted texts alone, because only these get marks: what it has to tell apart is the loaded
words and the plain words of the same line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.labelled import DATA, FOLDS, fold_of
from bench.logistic import fit_logistic
from inforadar.semantic import encoder
from inforadar.stages.analyze.local.head import Network, inputs_for
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.marks import (
    CONTEXT_FEATURES,
    THRESHOLD,
    Candidate,
    candidates_in,
    context_features,
    without,
)
from inforadar.stages.analyze.local.measured import carries_score
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.text import words_of

Array = NDArray[Any]

_VECTOR_PENALTY = 4.0
_CONTEXT_PENALTY = 2.0
_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """All words of the labelled texts that may be marked."""

    words: list[Candidate]
    inputs: Array
    labels: Array
    folds: Array
    texts: Array
    """The number of the text that each word is in."""
    passages: list[Passage]
    """By text."""
    languages: list[str]
    """By text."""
    is_plain: Array
    """By word: whether it is also in the neutral text of its pair."""
    is_neutral: Array
    """By text."""
    is_slanted: Array
    """By text: whether it is slanted enough to get marks at all."""
    marked_by_annotator: int
    """All marked words, also those that are no candidates."""


def collect(framing: Mapping[str, float], is_slanted: Mapping[str, bool]) -> Candidates:
    """Read the words. `framing` has the framing logit that each text got from a network that had not seen it."""
    words: list[Candidate] = []
    plain: list[bool] = []
    passages: list[Passage] = []
    languages: list[str] = []
    context: list[list[float]] = []
    labels: list[int] = []
    folds: list[int] = []
    texts: list[int] = []
    neutral: list[bool] = []
    slanted: list[bool] = []
    for file in sorted((DATA / "framing").glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        told_plainly = {
            row["pair"]: {word.lower for word in words_of(row["text"])}
            for row in rows
            if row["device"] == "neutral" and row["pair"]
        }
        for row in rows:
            lexicon = lexicon_for(row["language"])
            if row["device"] == "speculative" or lexicon.spaceless:
                continue
            passage = read_passage(row["text"], lexicon)
            spans = [
                (start, start + len(word)) for word in row["words"]
                for start in range(len(row["text"])) if row["text"].startswith(word, start)
            ]  # fmt: skip
            for candidate in candidates_in(passage, lexicon):
                words.append(candidate)
                plain.append(
                    row["device"] != "neutral" and candidate.lower in told_plainly.get(row["pair"], ())
                )
                context.append(context_features(passage, candidate, framing[row["text"]]))
                labels.append(int(any(start <= candidate.start < end for start, end in spans)))
                folds.append(fold_of(row["pair"] or row["id"]))
                texts.append(len(neutral))
            neutral.append(row["device"] == "neutral")
            slanted.append(is_slanted[row["text"]])
            passages.append(passage)
            languages.append(row["language"])
    known = list(dict.fromkeys(word.lower for word in words))
    vectors = {}
    for start in range(0, len(known), _BATCH):
        chunk = known[start : start + _BATCH]
        vectors.update(zip(chunk, encoder.vectors(chunk), strict=True))
    return Candidates(
        words=words,
        inputs=np.hstack([np.array([vectors[word.lower] for word in words]), np.array(context)]),
        labels=np.array(labels, dtype=float),
        folds=np.array(folds),
        texts=np.array(texts),
        passages=passages,
        languages=languages,
        is_plain=np.array(plain),
        is_neutral=np.array(neutral),
        is_slanted=np.array(slanted),
        marked_by_annotator=sum(labels),
    )


def fit(found: Candidates, chosen: Array) -> Array:
    """Fit the weights on the chosen words of slanted texts: those of the vector, of the context, and the shift."""
    penalty = np.concatenate(
        [np.full(encoder.DIMENSIONS, _VECTOR_PENALTY), np.full(CONTEXT_FEATURES, _CONTEXT_PENALTY)]
    )
    chosen = chosen & found.is_slanted[found.texts]
    labels = found.labels[chosen]
    return fit_logistic(found.inputs[chosen], labels, np.ones(len(labels)), penalty)


def measure(found: Candidates, networks: Sequence[Network]) -> dict[str, float]:
    """Compare marks with the annotators', each word with models that saw no text of its group.

    `networks` are those of the cross-validation, by fold.
    """
    logits = np.zeros(len(found.labels))
    for fold in range(FOLDS):
        held_out = found.folds == fold
        fitted = fit(found, ~held_out)
        logits[held_out] = found.inputs[held_out] @ fitted[:-1] + fitted[-1]
    likely = (logits >= THRESHOLD) & found.is_slanted[found.texts]
    marked = likely & _carrying(found, np.flatnonzero(likely), networks)
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
        "plain_words": round(float((marked & found.is_plain).sum()) / max(float(marked.sum()), 1.0), 3),
    }


def _carrying(found: Candidates, places: Array, networks: Sequence[Network]) -> Array:
    """Tell which words their text is less loaded without, as the analyzer does."""
    carrying = np.zeros(len(found.words), dtype=bool)
    for place in places:
        text = int(found.texts[place])
        passage, lexicon = found.passages[text], lexicon_for(found.languages[text])
        inputs = inputs_for([passage, without(passage, found.words[place], lexicon)], lexicon)
        whole, rest = networks[int(found.folds[place])].logits(inputs)
        carrying[place] = carries_score((whole - rest)[None])[0]
    return carrying
