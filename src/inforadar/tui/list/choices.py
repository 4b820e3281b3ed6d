"""What the filter screens offer: sources, and the topics of the sources that are chosen. Pure."""

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
    """What stands beside it."""


def source_choices(labels: Iterable[Label]) -> list[Choice]:
    return _choices((label.source, label.feeds) for label in labels)


def topic_choices(labels: Iterable[Label], sources: Sequence[str]) -> list[Choice]:
    """Those of the sources; of all, if none is chosen."""
    chosen = {name.casefold() for name in sources}
    return _choices(
        (label.topic, label.feeds) for label in labels if not chosen or label.source.casefold() in chosen
    )


def with_sources(view: View, sources: tuple[str, ...], labels: Iterable[Label]) -> View:
    """Topics that the chosen sources do not have would leave nothing to show: they are taken out."""
    there = {choice.name.casefold() for choice in topic_choices(labels, sources)}
    topics = tuple(name for name in view.topics if name.casefold() in there)
    return replace(view, sources=sources, topics=topics)


def _choices(pairs: Iterable[tuple[str, int]]) -> list[Choice]:
    """By name; the same name in another case is the same."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name, feeds in pairs:
        key = name.casefold()
        names.setdefault(key, name)
        counts[key] = counts.get(key, 0) + feeds
    return [Choice(name=names[key], note=counted(counts[key], "feed")) for key in sorted(names)]
