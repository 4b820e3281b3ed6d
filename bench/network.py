"""Training of the small networks: multi-task logistic loss, Adam, dropout; deterministic for a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforadar.semantic.encoder import DIMENSIONS
from inforadar.stages.analyze.local.features import LISTED_COUNT
from inforadar.stages.analyze.local.head import Network

Array = NDArray[Any]

UNITS = 64
EPOCHS = 10
RATE = 2e-3
DECAY = 1e-2
BATCH = 128
INPUT_DROPOUT = 0.1
UNIT_DROPOUT = 0.5
LISTS_DROPOUT = 0.25
"""How often a text is shown as if its language had no word lists, so that such languages are learned too."""


def train(inputs: Array, labels: Array, weights: Array, seeds: range) -> Network:
    """Train one network per seed. `labels` and `weights` have a column per part; weight 0 means not labelled."""
    inputs = inputs.astype(np.float32)
    mean = inputs.mean(axis=0)
    scale = np.maximum(inputs.std(axis=0), 0.05)
    mean[:DIMENSIONS], scale[:DIMENSIONS] = 0.0, 1.0
    ready = (inputs - mean) / scale
    absent = ((0.0 - mean) / scale)[DIMENSIONS : DIMENSIONS + LISTED_COUNT]
    trained = [_train_one(ready, absent, labels, weights, seed) for seed in seeds]
    hidden, hidden_bias, output, output_bias = (
        np.stack([parameters[k] for parameters in trained]) for k in range(4)
    )
    return Network(
        mean=mean, scale=scale, hidden=hidden, hidden_bias=hidden_bias, output=output, output_bias=output_bias
    )


def _train_one(inputs: Array, absent: Array, labels: Array, weights: Array, seed: int) -> list[Array]:
    chance = np.random.default_rng(seed)
    size, parts = inputs.shape[1], labels.shape[1]
    parameters: list[Array] = [
        chance.normal(0, 1 / np.sqrt(size), (size, UNITS)).astype(np.float32),
        np.zeros(UNITS, np.float32),
        chance.normal(0, 1 / np.sqrt(UNITS), (UNITS, parts)).astype(np.float32),
        np.zeros(parts, np.float32),
    ]
    first = [np.zeros_like(parameter) for parameter in parameters]
    second = [np.zeros_like(parameter) for parameter in parameters]
    step = 0
    for epoch in range(EPOCHS):
        order = chance.permutation(len(inputs))
        rate = RATE * (1 - epoch / EPOCHS)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            batch = inputs[rows].copy()
            batch[
                np.ix_(
                    chance.random(len(rows)) < LISTS_DROPOUT,
                    np.arange(DIMENSIONS, DIMENSIONS + LISTED_COUNT),
                )
            ] = absent
            batch *= (chance.random(batch.shape, dtype=np.float32) > INPUT_DROPOUT) / (1 - INPUT_DROPOUT)
            before = batch @ parameters[0] + parameters[1]
            kept = (chance.random(before.shape, dtype=np.float32) > UNIT_DROPOUT) / (1 - UNIT_DROPOUT)
            units = np.maximum(before, 0) * kept
            estimate = 1 / (1 + np.exp(-np.clip(units @ parameters[2] + parameters[3], -20, 20)))
            error = (weights[rows] * (estimate - labels[rows]) / len(rows)).astype(np.float32)
            back = (error @ parameters[2].T) * kept * (before > 0)
            slopes = [batch.T @ back, back.sum(axis=0), units.T @ error, error.sum(axis=0)]
            step += 1
            for k, slope in enumerate(slopes):
                first[k] = 0.9 * first[k] + 0.1 * slope
                second[k] = 0.999 * second[k] + 0.001 * slope**2
                move = first[k] / (1 - 0.9**step) / (np.sqrt(second[k] / (1 - 0.999**step)) + 1e-8)
                decay = DECAY * parameters[k] if parameters[k].ndim == 2 else 0.0
                parameters[k] = (parameters[k] - rate * (move + decay)).astype(np.float32)
    return parameters
