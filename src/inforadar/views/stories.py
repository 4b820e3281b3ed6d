"""A story as every face shows it: headline, sources, scores, fact table, timeline, reasons. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.errors import ParseError
from inforadar.model.analysis import Analysis, from_json, score_label
from inforadar.model.ids import ItemId, StoryId
from inforadar.stages.publish.text import one_line
from inforadar.store.stories.queries import StoryEvent, StoryItem, StoryRow
from inforadar.texts import counted
from inforadar.urls import readable
from inforadar.views.reading import plain_text
from inforadar.views.story_facts import Fact, Kind, Telling, fact_table

LEAD_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One item of a story: a row of the page."""

    item_id: ItemId
    url: str
    outlet: str
    at: datetime
    language: str
    title: str
    neutral_title: str | None
    score: float | None
    label: str
    """The word for the score; '' without one."""
    lead: str
    copies: tuple[Told, ...] = ()
    """Items with the same text, folded under this one."""
    because: str = ""
    """Why it joined the story, as a sentence; '' for the first one."""
    reasons: Mapping[str, Any] | None = None
    is_pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    at: datetime
    kind: str
    """`told`, `copied`, `title_changed`, `merged` or `split`."""
    text: str
    item_id: ItemId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStory:
    """A story in a list, and the head of its own view."""

    id: StoryId
    headline: str
    headline_source: str
    headline_is_neutral: bool
    """The headline is the neutral title that the analysis suggests, not the outlet's own words."""
    url: str
    """The article that the headline belongs to."""
    began_at: datetime
    last_at: datetime
    updated_at: datetime
    items: int
    sources: tuple[str, ...]
    languages: tuple[str, ...]
    topics: tuple[str, ...]
    min_score: float | None
    max_score: float | None
    summary: str
    members: tuple[Told, ...]
    """One row for each different text, the oldest first; copies folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """A story in full."""

    story: ShownStory
    facts: tuple[Fact, ...]
    timeline: tuple[TimelineEntry, ...]


def show_story(row: StoryRow, items: Sequence[StoryItem]) -> ShownStory | None:
    """Prepare a story; None if none of its items may be shown."""
    if not items:
        return None
    analyses = {item.item_id: _analysis(item) for item in items}
    told = _fold_copies(items, analyses)
    # The most neutral telling speaks for the story; without scores, the first one does.
    scored = [item for item in items if item.score is not None and item.title]
    speaker = (
        min(scored, key=lambda item: (item.score, item.at))
        if scored
        else next((item for item in items if item.title), items[0])
    )
    analysis = analyses[speaker.item_id]
    neutral = one_line(analysis.title) if analysis else ""
    title = one_line(speaker.title) or readable(speaker.url)
    scores = [item.score for item in items if item.score is not None]
    summary = analysis.summary if analysis else speaker.snippet
    return ShownStory(
        id=row.id,
        headline=neutral or title,
        headline_source=speaker.source,
        headline_is_neutral=bool(neutral) and neutral != title,
        url=speaker.url,
        began_at=row.began_at,
        last_at=row.last_at,
        updated_at=row.updated_at,
        items=row.items,
        sources=tuple(dict.fromkeys(item.source for item in items)),
        languages=tuple(dict.fromkeys(item.language.split("-")[0] for item in items if item.language)),
        topics=tuple(dict.fromkeys(item.topic for item in items)),
        min_score=min(scores, default=None),
        max_score=max(scores, default=None),
        summary=one_line(plain_text(summary))[:600],
        members=told,
    )


def view_story(
    row: StoryRow,
    items: Sequence[StoryItem],
    title_changes: Sequence[tuple[ItemId, datetime, str, str]],
    events: Sequence[StoryEvent],
) -> StoryView | None:
    """Prepare a story in full."""
    story = show_story(row, items)
    if story is None:
        return None
    return StoryView(story=story, facts=story_facts(items), timeline=_timeline(items, title_changes, events))


def story_facts(items: Sequence[StoryItem]) -> tuple[Fact, ...]:
    """The fact table of a story's items, without copies."""
    return fact_table(
        [
            Telling(
                item_id=item.item_id,
                outlet=item.source,
                at=item.at,
                text=f"{one_line(item.title)}.\n{_text_of(item)}",
            )
            for item in items
            if item.copy_of is None
        ]
    )


def _text_of(item: StoryItem) -> str:
    return item.text if item.has_article else plain_text(item.text or item.snippet)


def _analysis(item: StoryItem) -> Analysis | None:
    try:
        return from_json(item.analyzer_result)
    except ParseError:
        return None


def _fold_copies(items: Sequence[StoryItem], analyses: Mapping[ItemId, Analysis | None]) -> tuple[Told, ...]:
    there = {item.item_id for item in items}
    copies: dict[ItemId, list[StoryItem]] = {}
    for item in items:
        if item.copy_of in there and item.copy_of is not None:
            copies.setdefault(item.copy_of, []).append(item)
    folded = {item.item_id for own in copies.values() for item in own}
    names = {item.item_id: item.source for item in items}
    return tuple(
        _told(
            item,
            analyses,
            names,
            tuple(_told(copy, analyses, names) for copy in copies.get(item.item_id, ())),
        )
        for item in items
        if item.item_id not in folded
    )


def _told(
    item: StoryItem,
    analyses: Mapping[ItemId, Analysis | None],
    names: Mapping[ItemId, str],
    copies: tuple[Told, ...] = (),
) -> Told:
    analysis = analyses[item.item_id]
    title = one_line(item.title) or readable(item.url)
    neutral = one_line(analysis.title) if analysis else ""
    return Told(
        item_id=item.item_id,
        url=item.url,
        outlet=item.source,
        at=item.at,
        language=item.language,
        title=title,
        neutral_title=neutral if neutral and neutral != title else None,
        score=item.score,
        label="" if item.score is None else score_label(item.score),
        lead=one_line(_text_of(item)[: LEAD_CHARS * 2])[:LEAD_CHARS],
        copies=copies,
        because=because(item),
        reasons=item.reasons,
        is_pinned=item.is_pinned,
    )


def because(item: StoryItem) -> str:
    """Say why an item is in its story."""
    if item.is_pinned:
        return "put here by hand"
    reasons = item.reasons
    if not reasons:
        return ""
    if reasons.get("copy"):
        return "same text" if reasons["copy"] == "text" else "same address"
    parts = [
        f"{name} {', '.join(one_line(str(value)) for value in reasons[name])}"
        for name in ("names", "numbers", "words")
        if reasons.get(name)
    ]
    if reasons.get("meaning") is not None:
        parts.append(f"meaning {reasons['meaning']:.2f}")
    return "; ".join(parts)


def _timeline(
    items: Sequence[StoryItem],
    title_changes: Sequence[tuple[ItemId, datetime, str, str]],
    events: Sequence[StoryEvent],
) -> tuple[TimelineEntry, ...]:
    names = {item.item_id: item.source for item in items}
    found = [
        TimelineEntry(
            at=item.at,
            kind="told" if item.copy_of is None else "copied",
            text=f"{item.source}: {one_line(item.title)}",
            item_id=item.item_id,
        )
        for item in items
    ]
    found += [
        TimelineEntry(
            at=at,
            kind="title_changed",
            text=f"{names.get(item_id, '')}: {one_line(old)} → {one_line(new)}",
            item_id=item_id,
        )
        for item_id, at, old, new in title_changes
    ]
    found += [
        TimelineEntry(
            at=event.at,
            kind=event.kind,
            text=("by hand" if event.by_hand else "automatically")
            + f": {event.kind} with story {event.other}"
            if event.kind == "merged"
            else f"split from story {event.other}, by hand",
        )
        for event in events
    ]
    return tuple(sorted(found, key=lambda entry: entry.at))


def spread_text(story: ShownStory) -> str:
    """The range of scores in words: `0.10 to 0.55`."""
    if story.min_score is None or story.max_score is None:
        return "not scored yet"
    if story.min_score == story.max_score:
        return f"{story.min_score:.2f}"
    return f"{story.min_score:.2f} to {story.max_score:.2f}"


def sources_text(story: ShownStory) -> str:
    """`3 sources: Alpha, Beta, Gamma`."""
    shown = ", ".join(story.sources[:6])
    more = "" if len(story.sources) <= 6 else f" and {len(story.sources) - 6} more"
    return f"{counted(len(story.sources), 'source')}: {shown}{more}"


def story_document(story: ShownStory) -> dict[str, Any]:
    """A story as JSON, in lists."""
    return {
        "id": str(story.id),
        "headline": story.headline,
        "headline_source": story.headline_source,
        "headline_is_neutral": story.headline_is_neutral,
        "url": story.url,
        "began_at": story.began_at.isoformat(),
        "last_at": story.last_at.isoformat(),
        "updated_at": story.updated_at.isoformat(),
        "item_count": story.items,
        "source_count": len(story.sources),
        "sources": list(story.sources),
        "languages": list(story.languages),
        "topics": list(story.topics),
        "scores": {"min": story.min_score, "max": story.max_score},
        "summary": story.summary,
    }


def view_document(view: StoryView, *, with_text: bool = True) -> dict[str, Any]:
    """A story in full as JSON; sentences of the articles only `with_text`."""
    return story_document(view.story) | {
        "items": [_told_document(told) for member in view.story.members for told in (member, *member.copies)],
        "facts": [
            _fact_document(fact, with_text=with_text)
            for fact in view.facts
            if with_text or fact.kind is not Kind.QUOTATION
        ],
        "timeline": [
            {
                "at": entry.at.isoformat(),
                "kind": entry.kind,
                "text": entry.text,
                "item_id": str(entry.item_id) if entry.item_id else None,
            }
            for entry in view.timeline
        ],
    }


def _told_document(told: Told) -> dict[str, Any]:
    return {
        "id": str(told.item_id),
        "url": told.url,
        "source": told.outlet,
        "at": told.at.isoformat(),
        "language": told.language or None,
        "title": told.title,
        "neutral_title": told.neutral_title,
        "score": told.score,
        "copies": [str(copy.item_id) for copy in told.copies],
        "joined_because": told.because,
        "reasons": dict(told.reasons) if told.reasons else None,
    }


def _fact_document(fact: Fact, *, with_text: bool) -> dict[str, Any]:
    return {
        "kind": fact.kind.value,
        "label": fact.label,
        "first_said_by": fact.first_said_by,
        "first_said_at": fact.first_said_at.isoformat(),
        "conflict": fact.is_conflict,
        "cells": [
            {
                "source": cell.outlet,
                "state": cell.state.value,
                "value": cell.value or None,
                "sentence": (cell.sentence or None) if with_text else None,
                "item_id": str(cell.item_id) if cell.item_id else None,
            }
            for cell in fact.cells
        ],
    }
