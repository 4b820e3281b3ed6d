"""Renderables of the reading view: head, analysis, changes. Pure.

All text passes through `safe` and is styled separately; nothing from outside is interpreted as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from inforadar.model.analysis import Analysis
from inforadar.model.article import Article
from inforadar.model.item import Item
from inforadar.tui.text import safe, safe_text
from inforadar.tui.widgets.score_bar import score_lines
from inforadar.views.item import (
    ReadItem,
    byline,
    escape_markdown,
    field_changes,
    picture_lines,
    shown_counters,
    shown_details,
    shown_files,
)
from inforadar.views.reading import TextOrigin, reading_of
from inforadar.views.sanitize import listing_text
from inforadar.views.times import local, shown_number

History = Sequence[tuple[datetime, Mapping[str, Sequence[Any]]]]
MAX_TITLE_CHARACTERS = 1000
MAX_TEXT_CHARACTERS = 400_000


def local_time(at: datetime) -> str:
    """Format a local time: `14 Nov 2026, 14:02`."""
    there = local(at)
    return f"{there.day} {there:%b %Y, %H:%M}"


def head(
    read: ReadItem, article: Article | None, colours: Mapping[str, str], *, wide: bool
) -> RenderableType:
    """The title and the neutral title; source, author, date, counters; the URL."""
    item = read.item
    title = Text(safe(read.title[:MAX_TITLE_CHARACTERS]), style="bold")
    lines: list[RenderableType] = []
    if read.neutral_title:
        neutral = Text("Neutral  ", style=colours["muted"])
        neutral.append(safe(read.neutral_title[:MAX_TITLE_CHARACTERS]), style="italic")
        lines += [_beside(title, neutral)] if wide else [title, neutral]
    else:
        lines.append(title)
    lines.append(Text(" · ".join(_facts(item, article)), style=colours["muted"]))
    lines.append(Text(safe(item.address[:2000]), style=colours["accent"]))
    if item.comments_url:
        lines.append(_labelled("Comments", item.comments_url, colours))
    for file in shown_files(item):
        facts = f" ({file.facts})" if file.facts else ""
        lines.append(_labelled("File", f"{file.url}{facts}", colours))
    return Group(*lines)


def _labelled(label: str, text: str, colours: Mapping[str, str]) -> Text:
    line = Text(f"{label}  ", style=colours["muted"])
    return line.append(safe(text[:2000]), style=colours["accent"])


def _beside(left: Text, right: Text) -> Table:
    table = Table.grid(padding=(0, 3), expand=True)
    table.add_column(ratio=1)
    table.add_column(ratio=1)
    table.add_row(left, right)
    return table


def _facts(item: Item, article: Article | None) -> list[str]:
    extracted = article.extracted if article else None
    facts = [
        item.all_sources,
        item.all_topics,
        byline(item, article),
        local_time(item.published_at),
        f"updated {local_time(item.revised_at)}"
        if item.revised_at and item.revised_at > item.published_at
        else None,
        item.language or (extracted.language if extracted else None),
        *(
            f"±{shown_number(value)}" if name == "rating" else f"{shown_number(value)} {name}"
            for name, value in shown_counters(item)
        ),
        ", ".join(item.tags) or None,
        *(f"{label}: {text}" for label, text in shown_details(item)),
    ]
    return [safe(fact[:300]) for fact in facts if fact]


def analysis_part(
    analysis: Analysis | None, colours: Mapping[str, str], *, narrow: bool, in_full: bool
) -> RenderableType:
    if analysis is None:
        return Text("Not analyzed yet. A worker does that once the text is there.", style=colours["muted"])
    parts: list[RenderableType] = [score_lines(analysis, colours, narrow=narrow, in_full=in_full)]
    if analysis.summary:
        parts.append(Padding(Text(safe(analysis.summary[:4000])), (1, 0, 0, 0)))
    parts += [Text(f"• {safe(fact[:1000])}") for fact in analysis.facts]
    return Group(*parts)


def changes_part(history: History, colours: Mapping[str, str]) -> RenderableType:
    """The changes, newest first: time, field, old → new."""
    lines = [Text("What changed", style="bold")]
    for change in field_changes(history):
        line = Text(f"{local_time(change.at)}  ", style=colours["muted"])
        line.append(f"{change.field}  ", style=colours["foreground"])
        if change.old is not None:
            line.append(safe(change.old[:1000]), style=f"strike {colours['muted']}")
            line.append(" → ", style=colours["muted"])
        line.append(safe(change.new[:1000]), style=colours["foreground"])
        lines.append(line)
    return Group(*lines)


def article_markdown(article: Article | None, item: Item) -> str | None:
    """Return the text, the page's or the feed's own, below a line that says which; `None` if there is none."""
    reading = reading_of(item, article)
    if reading.origin is TextOrigin.FEED:
        text = escape_markdown(safe_text(listing_text(item.content, item.address)[:MAX_TEXT_CHARACTERS]))
    elif reading.origin is TextOrigin.PAGE and article and article.extracted:
        text = article.extracted.markdown or article.extracted.clean_text
        text = picture_lines(safe_text(text[:MAX_TEXT_CHARACTERS]))
    else:
        return None
    return f"*{escape_markdown(safe(reading.sentence))}*\n\n{text}" if text else None
