"""A story as every face shows it: headline, sources, scores, fact table, timeline, reasons. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.errors import ParseError
from inforadar.model.analysis import NOT_MEASURED, Analysis, from_json, score_label
from inforadar.model.ids import FeedId, ItemId, StoryId
from inforadar.stages.publish.text import one_line
from inforadar.store.stories.queries import StoryEvent, StoryItem, StoryRow
from inforadar.translations import gettext as _
from inforadar.translations import ngettext, pgettext, term
from inforadar.urls import readable
from inforadar.views.reading import plain_text
from inforadar.views.story_facts import Fact, Telling, fact_table

_SENTENCE_ENDS = tuple(".!?…。！？")
LEAD_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One item of a story: a row of the page."""

    item_id: ItemId
    feed_id: FeedId
    url: str
    outlet: str
    at: datetime
    language: str
    title: str
    neutral_title: str | None
    score: float | None
    label: str
    """The word for the score, or "not measured"; '' if it is not analyzed yet."""
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
    """`told`, `copied`, `title_changed`, `text_changed`, `merged` or `split`."""
    text: str
    """The whole entry on one line."""
    outlet: str = ""
    old: str = ""
    """The former title, if it was changed."""
    new: str = ""
    """The title, told or changed."""
    item_id: ItemId | None = None
    other: StoryId | None = None
    """The other story of a merge or a split."""


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

    @property
    def told(self) -> tuple[Told, ...]:
        """All its items that are shown, copies as well."""
        return tuple(one for member in self.members for one in (member, *member.copies))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """A story in full."""

    story: ShownStory
    facts: tuple[Fact, ...]
    timeline: tuple[TimelineEntry, ...]
    texts: Mapping[ItemId, str]
    """The beginnings of the texts, as plain text."""


def show_story(row: StoryRow, items: Sequence[StoryItem]) -> ShownStory | None:
    """Prepare a story; None if none of its items may be shown."""
    if not items:
        return None
    analyses = {item.item_id: _analysis(item) for item in items}
    told = _fold_copies(items, analyses)
    speaker = _speaker(items)
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
        languages=tuple(dict.fromkeys(_language(item) for item in items if item.language)),
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
    text_changes: Sequence[tuple[ItemId, datetime, str]] = (),
) -> StoryView | None:
    """Prepare a story in full; `text_changes` say which item changed when, and what."""
    story = show_story(row, items)
    if story is None:
        return None
    return StoryView(
        story=story,
        facts=story_facts(items),
        timeline=_timeline(items, title_changes, events, text_changes),
        texts={item.item_id: _text_of(item) for item in items},
    )


def story_facts(items: Sequence[StoryItem]) -> tuple[Fact, ...]:
    """The fact table of a story's items, without copies."""
    return fact_table(
        [
            Telling(
                item_id=item.item_id,
                outlet=item.source,
                at=item.at,
                text=f"{_as_sentence(one_line(item.title))}\n{_text_of(item)}",
                language=_language(item),
            )
            for item in items
            if item.copy_of is None
        ]
    )


def _as_sentence(title: str) -> str:
    return title if title.endswith(_SENTENCE_ENDS) else f"{title}."


def _speaker(items: Sequence[StoryItem]) -> StoryItem:
    """Whose title is the headline: the most neutral telling in the language of most; without scores, the first."""
    titled = [item for item in items if item.title]
    if not titled:
        return items[0]
    outlets = Counter(language for language, _ in {(_language(item), item.source) for item in titled})
    # Of two languages with as many outlets, the one that told it first.
    language = max((_language(item) for item in titled), key=lambda language: outlets[language])
    usual = [item for item in titled if _language(item) == language]
    scored = [item for item in usual if item.score is not None]
    return min(scored, key=lambda item: (item.score, item.at)) if scored else usual[0]


def _language(item: StoryItem) -> str:
    return item.language.split("-")[0].lower()


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
        feed_id=item.feed_id,
        url=item.url,
        outlet=item.source,
        at=item.at,
        language=item.language,
        title=title,
        neutral_title=neutral if neutral and neutral != title else None,
        score=item.score,
        label="" if item.score is None and analysis is None else score_label(item.score),
        lead=one_line(_text_of(item)[: LEAD_CHARS * 2])[:LEAD_CHARS],
        copies=copies,
        because=because(item),
        reasons=item.reasons,
        is_pinned=item.is_pinned,
    )


def because(item: StoryItem) -> str:
    """Say why an item is in its story."""
    reasons = item.reasons
    if not reasons:
        return _("put here by hand") if item.is_pinned else ""
    if reasons.get("copy"):
        return _("same text") if reasons["copy"] == "text" else _("same address")
    parts = [
        f"{pgettext('reason', name)} {', '.join(one_line(str(value)) for value in reasons[name])}"
        for name in (term("reason", "names"), term("reason", "numbers"), term("reason", "words"))
        if reasons.get(name)
    ]
    if reasons.get("meaning") is not None:
        parts.append(pgettext("reason", "meaning") + f" {reasons['meaning']:.2f}")
    return "; ".join(parts)


def _timeline(
    items: Sequence[StoryItem],
    title_changes: Sequence[tuple[ItemId, datetime, str, str]],
    events: Sequence[StoryEvent],
    text_changes: Sequence[tuple[ItemId, datetime, str]],
) -> tuple[TimelineEntry, ...]:
    names = {item.item_id: item.source for item in items}
    found = [
        TimelineEntry(
            at=item.at,
            kind="told" if item.copy_of is None else "copied",
            text=f"{item.source}: {one_line(item.title)}",
            outlet=item.source,
            new=one_line(item.title) or readable(item.url),
            item_id=item.item_id,
        )
        for item in items
    ]
    found += [
        TimelineEntry(
            at=at,
            kind="title_changed",
            text=f"{names.get(item_id, '')}: {one_line(old)} → {one_line(new)}",
            outlet=names.get(item_id, ""),
            old=one_line(old),
            new=one_line(new),
            item_id=item_id,
        )
        for item_id, at, old, new in title_changes
    ]
    found += [
        TimelineEntry(
            at=at,
            kind="text_changed",
            text=f"{names.get(item_id, '')} changed its text: {what}",
            outlet=names.get(item_id, ""),
            new=_("changed its text: %(what)s", what=what),
            item_id=item_id,
        )
        for item_id, at, what in text_changes
    ]
    found += [_event_entry(event) for event in events]
    return tuple(sorted(found, key=lambda entry: entry.at))


def _event_entry(event: StoryEvent) -> TimelineEntry:
    how = "by hand" if event.by_hand else "automatically"
    text = (
        f"{how}: merged with story {event.other}"
        if event.kind == "merged"
        else f"split from story {event.other}, {how}"
    )
    other = StoryId(event.other) if event.other else None
    return TimelineEntry(at=event.at, kind=event.kind, text=text, other=other)


def spread_text(story: ShownStory) -> str:
    """The range of scores in words: `0.10 to 0.55`."""
    if story.min_score is None or story.max_score is None:
        told = (one for member in story.members for one in (member, *member.copies))
        if any(one.label for one in told):
            return pgettext("wording", NOT_MEASURED)
        return _("not scored yet")
    if story.min_score == story.max_score:
        return f"{story.min_score:.2f}"
    return _("%(least)s to %(most)s", least=f"{story.min_score:.2f}", most=f"{story.max_score:.2f}")


def reach_text(story: ShownStory) -> str:
    """`5 outlets in 3 languages`."""
    outlets = ngettext("%(num)s outlet", "%(num)s outlets", len(story.sources))
    if len(story.languages) < 2:
        return outlets
    languages = ngettext("in %(num)s language", "in %(num)s languages", len(story.languages))
    return f"{outlets} {languages}"


def sources_text(story: ShownStory) -> str:
    """`3 sources: Alpha, Beta, Gamma`."""
    shown = ", ".join(story.sources[:6])
    if len(story.sources) > 6:
        rest = len(story.sources) - 6
        shown += " " + ngettext("and %(num)s more", "and %(num)s more", rest)
    return ngettext("%(num)s source", "%(num)s sources", len(story.sources)) + f": {shown}"
