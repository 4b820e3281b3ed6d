"""Logistic regression over named features, its calibration, and measures of both.

Plain Python on purpose: the models are small, so the figures can be reproduced wherever the project runs, without a
numerical library that nothing else needs.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Sample = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    bias: float
    weights: dict[str, float]

    def score(self, sample: Sample) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) for name in sample)

    def probability(self, sample: Sample) -> float:
        return logistic(self.score(sample))


def logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def fit(
    samples: Sequence[Sample],
    labels: Sequence[int],
    *,
    balance: bool = False,
    least: int = 5,
    l2: float = 10.0,
    epochs: int = 8,
    rate: float = 0.15,
) -> Linear:
    """Train with AdaGrad in a fixed order; features seen fewer than `least` times are left out.

    `balance` lets both classes weigh the same, for corpora that were collected class by class.
    """
    counts = Counter(name for sample in samples for name in sample)
    names = sorted(name for name, count in counts.items() if count >= least)
    index = {name: place for place, name in enumerate(names)}
    # The penalty of a weight is spread over the samples that have its feature.
    decay = [l2 / counts[name] for name in names]
    rows = [[index[name] for name in sample if name in index] for sample in samples]
    share = sum(labels) / len(labels)
    class_weight = (0.5 / (1 - share), 0.5 / share) if balance else (1.0, 1.0)
    weights, squares = [0.0] * len(names), [1e-3] * len(names)
    bias, bias_square = 0.0, 1e-3
    order = list(range(len(rows)))
    shuffler = random.Random(7)
    for epoch in range(epochs):
        shuffler.shuffle(order)
        pace = rate / (1 + epoch / 2)
        for number in order:
            row, label = rows[number], labels[number]
            error = class_weight[label] * (logistic(bias + sum(weights[place] for place in row)) - label)
            bias_square += error * error
            bias -= pace * error / math.sqrt(bias_square)
            for place in row:
                slope = error + decay[place] * weights[place]
                squares[place] += slope * slope
                weights[place] -= pace * slope / math.sqrt(squares[place])
    return Linear(bias=bias, weights=dict(zip(names, weights, strict=True)))


def mix(parts: Sequence[tuple[float, Linear]]) -> Linear:
    """Return the weighted mean of linear models, which is linear again."""
    names = sorted({name for _, part in parts for name in part.weights})
    return Linear(
        bias=sum(share * part.bias for share, part in parts),
        weights={name: sum(share * part.weights.get(name, 0.0) for share, part in parts) for name in names},
    )


def calibrated(model: Linear, scores: Sequence[float], labels: Sequence[int], base_rate: float) -> Linear:
    """Apply Platt scaling on held-out scores, then shift to the share of clickbait that readers meet.

    It may make a model less sure, never more: corpora of extremes are easier than the news.
    """
    scale, shift = _platt(scores, labels)
    if scale > 1:
        scale, shift = 1.0, _platt(scores, labels, scale=1.0)[1]
    share = sum(labels) / len(labels)
    shift += math.log(base_rate / (1 - base_rate)) - math.log(share / (1 - share))
    return Linear(
        bias=scale * model.bias + shift,
        weights={name: scale * weight for name, weight in model.weights.items()},
    )


def _platt(scores: Sequence[float], labels: Sequence[int], scale: float | None = None) -> tuple[float, float]:
    """Find the scale and shift of maximum likelihood by Newton's method; only the shift if the scale is given."""
    fixed = scale is not None
    slope, shift = scale or 1.0, 0.0
    for _ in range(100):
        by_slope = by_shift = twice_slope = mixed = twice_shift = 0.0
        for score, label in zip(scores, labels, strict=True):
            estimate = logistic(slope * score + shift)
            error, spread = estimate - label, max(estimate * (1 - estimate), 1e-6)
            by_slope += error * score
            by_shift += error
            twice_slope += spread * score * score
            mixed += spread * score
            twice_shift += spread
        if fixed:
            step_slope, step_shift = 0.0, by_shift / twice_shift
        else:
            determinant = twice_slope * twice_shift - mixed * mixed
            step_slope = (by_slope * twice_shift - by_shift * mixed) / determinant
            step_shift = (by_shift * twice_slope - by_slope * mixed) / determinant
        slope, shift = slope - step_slope, shift - step_shift
        if abs(step_slope) + abs(step_shift) < 1e-9:
            break
    return slope, shift


def auc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Return the probability that a positive ranks above a negative; ties count half."""
    ranked = sorted(zip(scores, labels, strict=True))
    above = positives = 0.0
    place = 0
    while place < len(ranked):
        end = place
        while end < len(ranked) and ranked[end][0] == ranked[place][0]:
            end += 1
        tied = sum(label for _, label in ranked[place:end])
        above += tied * (place - positives) + tied * (end - place - tied) / 2
        positives += tied
        place = end
    return above / (positives * (len(ranked) - positives))


def macro_f1(probabilities: Sequence[float], labels: Sequence[int], threshold: float = 0.5) -> float:
    def f1(wanted: int) -> float:
        pairs = [
            (int(value >= threshold) == wanted, label == wanted)
            for value, label in zip(probabilities, labels, strict=True)
        ]
        hit = sum(found and true for found, true in pairs)
        return 2 * hit / (sum(found for found, _ in pairs) + sum(true for _, true in pairs) or 1)

    return (f1(0) + f1(1)) / 2


def best_f1(probabilities: Sequence[float], labels: Sequence[int]) -> tuple[float, float]:
    """Return the highest F1 of the positive class over all thresholds, and the threshold."""
    best, threshold, hits = 0.0, 1.0, 0
    ranked = sorted(zip(probabilities, labels, strict=True), reverse=True)
    for place, (value, label) in enumerate(ranked, start=1):
        hits += label
        is_last_of_value = place == len(ranked) or ranked[place][0] != value
        if is_last_of_value and (f1 := 2 * hits / (place + sum(labels))) > best:
            best, threshold = f1, value
    return best, threshold


def ece(probabilities: Sequence[float], labels: Sequence[int], bins: int = 10) -> float:
    """Return the expected calibration error: how far predicted shares are from true ones, bin by bin."""
    boxes: list[list[tuple[float, int]]] = [[] for _ in range(bins)]
    for value, label in zip(probabilities, labels, strict=True):
        boxes[min(int(value * bins), bins - 1)].append((value, label))
    return sum(abs(sum(value for value, _ in box) - sum(label for _, label in box)) for box in boxes) / len(
        labels
    )
