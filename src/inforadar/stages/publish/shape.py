"""The shape a reader asks for: how much text, which titles, and a maximum size."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from inforadar.model.feed_options import Content
from inforadar.stages.publish.entry import Entry

MAX_DOCUMENT_BYTES = 2_000_000
"""Readers refuse or truncate larger documents."""
_MAX_BYTES_PER_CHARACTER = 4


class Titles(StrEnum):
    NEUTRAL = "neutral"
    """The analysis's title, if there is one."""
    ORIGINAL = "original"


def shaped(entry: Entry, content: Content, titles: Titles = Titles.NEUTRAL) -> Entry:
    """The entry with as much text as wanted."""
    if content is Content.FULL and titles is Titles.NEUTRAL:
        return entry
    has_text = content is Content.FULL
    return replace(
        entry,
        content_html=entry.content_html if has_text else None,
        text=entry.text if has_text else None,
        has_description=content is not Content.NONE,
        has_original_title=titles is Titles.ORIGINAL,
    )


def render_within(entries: Iterable[Entry], render: Callable[[Entry], str], room_bytes: int) -> list[str]:
    """Render each entry; as long as all are too large together, the oldest lose their texts."""
    given = list(entries)
    parts = [render(entry) for entry in given]
    if sum(map(len, parts)) * _MAX_BYTES_PER_CHARACTER <= room_bytes:
        return parts
    excess = sum(map(_size, parts)) - room_bytes
    for place in sorted(range(len(given)), key=lambda place: (given[place].published_at, -place)):
        if excess <= 0:
            break
        if given[place].content_html or given[place].text:
            shorter = render(replace(given[place], content_html=None, text=None))
            excess -= _size(parts[place]) - _size(shorter)
            parts[place] = shorter
    return parts


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
