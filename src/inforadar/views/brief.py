"""The briefing: the most-told stories of a time, with headline, sources, scores and three facts. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.store.stories.queries import StoryItem
from inforadar.views.item import escape_markdown
from inforadar.views.stories import ShownStory, sources_text, spread_text, story_document, story_facts
from inforadar.views.story_facts import Fact, Kind, State

MAX_FACTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefStory:
    story: ShownStory
    facts: tuple[str, ...]
    """Up to three sentences, or facts in conflict."""
    sources: str
    spread: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    since: datetime
    made_at: datetime
    stories: tuple[BriefStory, ...]


def make_brief(
    found: Sequence[tuple[ShownStory, Sequence[StoryItem]]], since: datetime, made_at: datetime
) -> Brief:
    """Put the briefing together from what is stored; no model is asked."""
    return Brief(
        since=since,
        made_at=made_at,
        stories=tuple(
            BriefStory(
                story=story,
                facts=_three_facts(story_facts(items)),
                sources=sources_text(story),
                spread=spread_text(story),
            )
            for story, items in found
        ),
    )


def _three_facts(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Conflicts first, then numbers and quotations that most outlets have; each as a sentence of a source."""
    ranked = sorted(facts, key=lambda fact: (not fact.is_conflict, fact.kind is Kind.NAME, -fact.said_by))
    chosen: dict[str, None] = {}
    for fact in ranked:
        if fact.is_conflict:
            said = (f"{cell.value} ({cell.outlet})" for cell in fact.cells if cell.state is State.CONFLICT)
            text = f"In conflict: {fact.label}: {', '.join(said)}"
        else:
            cell = next(cell for cell in fact.cells if cell.state is State.SAID)
            text = f"{cell.sentence} ({cell.outlet})"
        chosen.setdefault(text)
        if len(chosen) == MAX_FACTS:
            break
    return tuple(chosen)


def brief_markdown(brief: Brief) -> str:
    """The briefing as Markdown. Text from the web is escaped."""
    lines = [f"# Briefing, {brief.made_at:%Y-%m-%d}", ""]
    for number, one in enumerate(brief.stories, 1):
        story = one.story
        lines += [
            f"## {number}. {escape_markdown(story.headline)}",
            "",
            f"{escape_markdown(one.sources)} · scores {one.spread} · headline: "
            f"{escape_markdown(story.headline_source)}",
            "",
        ]
        if story.summary:
            lines += [escape_markdown(story.summary), ""]
        lines += [f"- {escape_markdown(fact)}" for fact in one.facts]
        lines += ["", f"<{story.url}>", ""]
    if not brief.stories:
        lines.append("No story was told by two or more sources in this time.")
    return "\n".join(lines)


def brief_document(brief: Brief) -> dict[str, Any]:
    """The briefing as JSON."""
    return {
        "since": brief.since.isoformat(),
        "made_at": brief.made_at.isoformat(),
        "stories": [story_document(one.story) | {"facts": list(one.facts)} for one in brief.stories],
    }
