"""The analyzers: each makes a neutral title, a summary, facts and scores for an item.

`ANALYZERS` gives the import path of each class instead of the class itself: a model vendor's client library takes a
second to import and is an optional extra, so it is imported only when its analyzer is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from inforadar.errors import ConfigError
from inforadar.model.analysis import AnalyzerName


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """Where an analyzer's class is, and which model it asks by default."""

    path: str
    """`module:Class`. The class is an `Analyzer`; a `ModelAnalyzer` if there is a default model."""
    default_model: str = ""
    """A small, cheap model of the vendor: a headline does not need the largest one. Empty: it asks no model."""


ANALYZERS: dict[AnalyzerName, Registered] = {
    AnalyzerName.LOCAL: Registered(path="inforadar.stages.analyze.local:LocalAnalyzer"),
    AnalyzerName.MOCK: Registered(path="inforadar.stages.analyze.mock:MockAnalyzer"),
    AnalyzerName.OPENAI: Registered(
        path="inforadar.stages.analyze.llm.openai:OpenAiAnalyzer", default_model="gpt-6-luna"
    ),
    AnalyzerName.ANTHROPIC: Registered(
        path="inforadar.stages.analyze.llm.anthropic:AnthropicAnalyzer", default_model="claude-haiku-5-5"
    ),
    AnalyzerName.GEMINI: Registered(
        path="inforadar.stages.analyze.llm.gemini:GeminiAnalyzer", default_model="gemini-3.8-flash"
    ),
}


def registered(name: str) -> Registered:
    """Look up an analyzer; an unknown name is a `ConfigError` that lists the known ones."""
    try:
        return ANALYZERS[AnalyzerName(name)]
    except ValueError:
        known = ", ".join(sorted(AnalyzerName))
        raise ConfigError(f"The analyzer {name!r} does not exist. Use one of: {known}.") from None


def analyzer_class(name: str) -> type[Any]:
    """Import the class of an analyzer. It is `type[Any]` because each takes different arguments."""
    module, _, attribute = registered(name).path.partition(":")
    try:
        found: type[Any] = getattr(import_module(module), attribute)
    except ModuleNotFoundError as fault:
        if (fault.name or "").startswith("inforadar"):
            raise
        raise ConfigError(f"The analyzer {name} needs the extra: pip install 'inforadar[llm]'.") from None
    return found
