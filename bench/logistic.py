"""Logistic regression by Newton's method, for the small models that are fitted on the head's outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def fit_logistic(inputs: Array, labels: Array, weights: Array, penalty: Array) -> Array:
    """Return the weights; the last one is the shift, which has no penalty."""
    design = np.hstack([inputs, np.ones((len(inputs), 1))])
    penalty = np.append(penalty, 1e-6)
    found = np.zeros(design.shape[1])
    for _ in range(30):
        estimate = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (weights * (estimate - labels)) + penalty * found
        curve = (design * (weights * np.maximum(estimate * (1 - estimate), 1e-5))[:, None]).T @ design
        step = np.linalg.solve(curve + np.diag(penalty), slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found
