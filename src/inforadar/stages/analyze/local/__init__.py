"""The analyzer that needs neither key nor network: word lists, a small linear model, and rules.

It knows less than a large model and says so in its reasons; but it is the same on every machine and every
day, answers in milliseconds, and can point at the words behind each score.
"""

from __future__ import annotations

from inforadar.stages.analyze.local.analyzer import LocalAnalyzer

__all__ = ["LocalAnalyzer"]
