"""The local analyzer, which needs no key and no network: word lists, a small linear model, and rules.

It knows less than a large model and says so in its reasons. But it gives the same result on every machine and every
day, answers in milliseconds, and points at the words behind each score.
"""

from __future__ import annotations

from inforadar.stages.analyze.local.batches import LocalAnalyzer

__all__ = ["LocalAnalyzer"]
