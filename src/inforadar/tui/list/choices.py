"""The choices of the filter screens: sources, and the topics of the chosen sources. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inforadar.store.feeds.labels import Label
from inforadar.texts import counted
from inforadar.tui.list.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    name: str
    note: str
    """Shown beside the name."""


def source_choices(labels: Iterable[Label]) -> list[Choice]:
    return _choices((label.source, label.feeds) for label in labels)


def topic_choices(labels: Iterable[Label], sources: Sequence[str]) -> list[Choice]:
    """List the topics of these sources, or of all if none is chosen."""
    chosen = {name.casefold() for name in sources}
    return _choices(
        (label.topic, label.feeds) for label in labels if not chosen or label.source.casefold() in chosen
    )


def with_sources(view: View, sources: tuple[str, ...], labels: Iterable[Label]) -> View:
    """Filter by these sources, and drop topics they do not have, which would leave nothing to show."""
    available = {choice.name.casefold() for choice in topic_choices(labels, sources)}
    topics = tuple(name for name in view.topics if name.casefold() in available)
    return replace(view, sources=sources, topics=topics)


def _choices(pairs: Iterable[tuple[str, int]]) -> list[Choice]:
    """Count feeds by name, ignoring case."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name, feeds in pairs:
        key = name.casefold()
        names.setdefault(key, name)
        counts[key] = counts.get(key, 0) + feeds
    return [Choice(name=names[key], note=counted(counts[key], "feed")) for key in sorted(names)]
