"""Deframing: what an analyzer makes of an item, whichever analyzer it is.

`ANALYZERS` names a class by where it is, not by itself: a client library of a model vendor takes a second
to import and is an extra, so it is touched only by who chose it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from inforadar.errors import ConfigError

ANALYZERS: dict[str, str] = {
    "anthropic": "inforadar.stages.analyze.llm.anthropic:AnthropicAnalyzer",
    "gemini": "inforadar.stages.analyze.llm.gemini:GeminiAnalyzer",
    "local": "inforadar.stages.analyze.local:LocalAnalyzer",
    "mock": "inforadar.stages.analyze.mock:MockAnalyzer",
    "openai": "inforadar.stages.analyze.llm.openai:OpenAiAnalyzer",
}
"""By the value of AI_TYPE. Each class is an `Analyzer`; what it is built from is its own matter."""


def analyzer_class(name: str) -> type[Any]:
    """The class behind an AI_TYPE. It is `type[Any]` because each takes settings of its own."""
    try:
        module, _, attribute = ANALYZERS[name].partition(":")
    except KeyError:
        known = ", ".join(sorted(ANALYZERS))
        raise ConfigError(f"AI_TYPE {name!r} is not known. Use one of: {known}.") from None
    try:
        found: type[Any] = getattr(import_module(module), attribute)
    except ModuleNotFoundError as fault:
        if (fault.name or "").startswith("inforadar"):
            raise
        raise ConfigError(f"AI_TYPE {name} needs the extra: pip install 'inforadar[llm]'.") from None
    return found
