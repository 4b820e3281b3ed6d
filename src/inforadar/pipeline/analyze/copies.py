"""Copies share summary and facts with the text that they repeat, so that a model is paid for it once. Pure functions.

The title is the outlet's own: a loaded headline over a wire text is scored for itself, by the local analyzer, which
costs nothing. Where that was not trained for the language, the model is asked about the title, with the shared summary
in place of the text.
"""

from __future__ import annotations

from dataclasses import replace

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.base import Analyzer
from inforadar.stages.analyze.local.version import model_name


def models_of(model: str) -> tuple[str, str]:
    """The names of a model's analyses: its own, and that of copies, whose titles were scored on this machine."""
    return model, f"{model} + {model_name()}"


def may_share(original: Analysis, analyzer: Analyzer) -> bool:
    """Whether this analyzer made the analysis, with the same model and prompt, and it says what the text says."""
    same = original.model in models_of(analyzer.model) and original.prompt_version == analyzer.prompt_version
    return same and bool(original.summary.strip())


def brief_subject(subject: Subject, original: Analysis) -> Subject:
    """The copy's title over the summary and the facts that are known."""
    return replace(subject, text="\n".join([original.summary, *original.facts]))


def shared(own: Analysis, original: Analysis) -> Analysis:
    """The copy's own title and scores, with what the original says of the text."""
    return replace(own, summary=original.summary, facts=original.facts, category=original.category)


def scored_here(own: Analysis, original: Analysis, analyzer: Analyzer) -> Analysis:
    """A copy's analysis without a call to the model: `own` is by the local analyzer."""
    _, model = models_of(analyzer.model)
    return replace(shared(own, original), model=model, prompt_version=analyzer.prompt_version)
