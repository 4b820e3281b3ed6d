"""The names under which the local analyzer's results are cached; asking for them loads no word lists."""

from __future__ import annotations

from inforadar.semantic import encoder

RULES_MODEL = "local-1"
"""The rules alone, where the sentence encoder is not installed."""
HEAD_MODEL = "local-2"
"""The trained head on sentence vectors and rules."""
RULES_VERSION = "7"
"""Raise it with every change to lists, model or rules that changes results: it is part of the cache key."""


def model_name() -> str:
    """The model that this installation uses; it is part of the cache key and of each analysis."""
    return HEAD_MODEL if encoder.available() else RULES_MODEL
