"""The briefing: the most-told stories of a time, with headline, sources, scores and three facts. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import escape

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
    found: Sequence[tuple[ShownStory, Sequence[StoryItem]]],
    since: datetime,
    made_at: datetime,
    *,
    with_text: bool = True,
) -> Brief:
    """Put the briefing together from what is stored; no model is asked. Without texts, only conflicts are told."""
    return Brief(
        since=since,
        made_at=made_at,
        stories=tuple(
            BriefStory(
                story=story,
                facts=_three_facts(story_facts(items), with_text=with_text),
                sources=sources_text(story),
                spread=spread_text(story),
            )
            for story, items in found
        ),
    )


def _three_facts(facts: Sequence[Fact], *, with_text: bool) -> tuple[str, ...]:
    """Conflicts first, then numbers and quotations that most outlets have; each as a sentence of a source."""
    ranked = sorted(facts, key=lambda fact: (not fact.is_conflict, fact.kind is Kind.NAME, -fact.said_by))
    chosen: dict[str, None] = {}
    for fact in ranked:
        if fact.is_conflict:
            said = (f"{cell.value} ({cell.outlet})" for cell in fact.cells if cell.state is State.CONFLICT)
            text = f"In conflict: {fact.label}: {', '.join(said)}"
        elif not with_text:
            continue
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


def brief_html(brief: Brief) -> str:
    """The briefing as a plain page. Text from the web is escaped."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>Briefing, {brief.made_at:%Y-%m-%d}</title></head><body><main>"
        f"<h1>Briefing, {brief.made_at:%Y-%m-%d}</h1>"
    ]
    for one in brief.stories:
        story = one.story
        parts.append(
            f'<article><h2><a href="{escape(story.url)}" rel="noreferrer">{escape(story.headline)}</a></h2>'
            f"<p>{escape(one.sources)} · scores {escape(one.spread)} · headline: {escape(story.headline_source)}</p>"
        )
        if story.summary:
            parts.append(f"<p>{escape(story.summary)}</p>")
        parts.append(f"<ul>{''.join(f'<li>{escape(fact)}</li>' for fact in one.facts)}</ul></article>")
    if not brief.stories:
        parts.append("<p>No story was told by two or more sources in this time.</p>")
    parts.append("</main></body></html>")
    return "".join(parts)
