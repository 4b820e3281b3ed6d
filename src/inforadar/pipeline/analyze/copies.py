"""Copies share summary and facts with the text that they repeat, so that a model is paid for it once. Pure functions.

The title is the outlet's own: a loaded headline over a wire text is scored for itself. A model is asked about it with
the shared summary in place of the text.
"""

from __future__ import annotations

from dataclasses import replace

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.base import Analyzer


def may_share(original: Analysis, analyzer: Analyzer) -> bool:
    """Whether this analyzer made the analysis, with the same model and prompt, and it says what the text says."""
    same = (original.model, original.prompt_version) == (analyzer.model, analyzer.prompt_version)
    return same and bool(original.summary.strip())


def brief_subject(subject: Subject, original: Analysis) -> Subject:
    """The copy's title over the summary and the facts that are known."""
    return replace(subject, text="\n".join([original.summary, *original.facts]))


def shared(own: Analysis, original: Analysis) -> Analysis:
    """The copy's own title and scores, with what the original says of the text."""
    return replace(own, summary=original.summary, facts=original.facts, category=original.category)
