"""The briefing: the most-told stories of a time, with headline, sources, scores and three facts. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from inforadar.store.stories.queries import StoryItem
from inforadar.translations import gettext as _
from inforadar.views.item import escape_markdown
from inforadar.views.stories import ShownStory, sources_text, spread_text, story_facts
from inforadar.views.story_facts import Fact, Kind, State
from inforadar.views.story_json import story_document

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
            text = _("In conflict: %(fact)s: %(said)s", fact=fact.label, said=", ".join(said))
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
            escape_markdown(brief_line(one)),
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


def brief_line(one: BriefStory) -> str:
    """`3 sources: Habr, … · scores 0.10 to 0.42 · headline: Habr`."""
    return f"{one.sources} · scores {one.spread} · headline: {one.story.headline_source}"


def brief_entry_html(url: str, headline: str, line: str, summary: str, *, facts: Sequence[str]) -> Markup:
    """One story of a briefing or a digest. Text from the web is escaped."""
    parts = [
        Markup('<article><h2><a href="{}" rel="noreferrer">{}</a></h2><p>{}</p>').format(url, headline, line)
    ]
    if summary:
        parts.append(Markup("<p>{}</p>").format(summary))
    if facts:
        items = Markup("").join(Markup("<li>{}</li>").format(fact) for fact in facts)
        parts.append(Markup("<ul>{}</ul>").format(items))
    return Markup("").join([*parts, Markup("</article>")])


def brief_story_document(one: BriefStory) -> dict[str, Any]:
    """A story of a digest, as its message keeps it."""
    return {
        "headline": one.story.headline,
        "url": one.story.url,
        "line": brief_line(one),
        "summary": one.story.summary,
        "facts": list(one.facts),
    }


def brief_html(brief: Brief) -> str:
    """The briefing as a plain page. Text from the web is escaped."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>Briefing, {brief.made_at:%Y-%m-%d}</title></head><body><main>"
        f"<h1>Briefing, {brief.made_at:%Y-%m-%d}</h1>"
    ]
    parts += [
        brief_entry_html(
            one.story.url, one.story.headline, brief_line(one), one.story.summary, facts=one.facts
        )
        for one in brief.stories
    ]
    if not brief.stories:
        parts.append("<p>No story was told by two or more sources in this time.</p>")
    parts.append("</main></body></html>")
    return "".join(parts)
