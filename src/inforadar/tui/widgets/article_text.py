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
from inforadar.model.revision import StoredRevision
from inforadar.stages.revise.difference import Op
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
from inforadar.views.revisions import (
    changed_text,
    is_minor,
    line_runs,
    make_entries,
    score_change,
    summary_text,
)
from inforadar.views.sanitize import listing_text
from inforadar.views.times import local

History = Sequence[tuple[datetime, Mapping[str, Sequence[Any]]]]
MAX_TITLE_CHARACTERS = 1000
MAX_TEXT_CHARACTERS = 400_000
MAX_PASSAGES = 4


def local_time(at: datetime) -> str:
    """Format a local time: `14 Nov 2026, 14:02`."""
    there = local(at)
    return f"{there.day} {there:%b %Y, %H:%M}"


def head(
    read: ReadItem,
    article: Article | None,
    colours: Mapping[str, str],
    *,
    wide: bool,
    revisions: Sequence[StoredRevision] = (),
) -> RenderableType:
    """The title and the neutral title; source, author, date, counters, how often the text changed; the URL."""
    item = read.item
    title = Text(safe(read.title[:MAX_TITLE_CHARACTERS]), style="bold")
    lines: list[RenderableType] = []
    if read.neutral_title:
        neutral = Text("Neutral  ", style=colours["muted"])
        neutral.append(safe(read.neutral_title[:MAX_TITLE_CHARACTERS]), style="italic")
        lines += [_beside(title, neutral)] if wide else [title, neutral]
    else:
        lines.append(title)
    about = Text(" · ".join(_facts(item, article)), style=colours["muted"])
    if times := sum(not is_minor(one) for one in revisions):
        about.append(f" · {changed_text(times)}, c shows it", style=colours["warning"])
    lines.append(about)
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
        *(f"{name} {number}" for name, number in shown_counters(item)),
        ", ".join(item.tags) or None,
        *(f"{label}: {text}" for label, text in shown_details(item)),
    ]
    return [safe(fact[:300]) for fact in facts if fact]


def analysis_part(
    analysis: Analysis | None, colours: Mapping[str, str], *, narrow: bool, in_full: bool
) -> RenderableType:
    if analysis is None:
        return Text(
            "Not analyzed yet. d gets the text and the analysis; W starts a worker that does so for all articles.",
            style=colours["muted"],
        )
    parts: list[RenderableType] = [score_lines(analysis, colours, narrow=narrow, in_full=in_full)]
    if analysis.summary:
        parts.append(Padding(Text(safe(analysis.summary[:4000])), (1, 0, 0, 0)))
    parts += [Text(f"• {safe(fact[:1000])}") for fact in analysis.facts]
    return Group(*parts)


def changes_part(
    history: History, colours: Mapping[str, str], revisions: Sequence[StoredRevision] = ()
) -> RenderableType:
    """The changes of the listing and of the text, newest first: old words struck through, new ones underlined."""
    times = sum(not is_minor(one) for one in revisions)
    lines = [Text(f"What changed · {changed_text(times)}" if times else "What changed", style="bold")]
    for entry in make_entries(field_changes(history), revisions):
        line = Text(f"{local_time(entry.at)}  ", style=colours["muted"])
        if entry.revision is not None:
            lines += _revision_lines(line, entry.revision, colours)
        elif entry.field is not None:
            line.append(f"{entry.field.field}  ", style=colours["foreground"])
            if entry.field.old is not None:
                line.append(safe(entry.field.old[:1000]), style=f"strike {colours['muted']}")
                line.append(" → ", style=colours["muted"])
            line.append(safe(entry.field.new[:1000]), style=colours["foreground"])
            lines.append(line)
    return Group(*lines)


def _revision_lines(line: Text, stored: StoredRevision, colours: Mapping[str, str]) -> list[Text]:
    line.append("text  ", style=colours["foreground"])
    line.append(summary_text(stored), style=colours["muted" if is_minor(stored) else "foreground"])
    if is_minor(stored):
        return [line]
    if score := score_change(stored):
        line.append(f" · score {score}", style=colours["muted"])
    lines = [line]
    passages = [(one.old, one.new) for one in stored.revision.passages[:MAX_PASSAGES]]
    for old, new in [*stored.revision.fields.values(), *passages][: MAX_PASSAGES + 1]:
        runs = line_runs(old, new) or ((Op.REMOVED, old), (Op.ADDED, new))
        told = Text("    ")
        for op, text in runs:
            style = {Op.REMOVED: f"strike {colours['muted']}", Op.ADDED: "underline"}.get(op, "")
            told.append(safe(text[:1000]) + (" " if text[-1:].isspace() else ""), style=style)
        lines.append(told)
    if stored.revision.note:
        lines.append(Text(f"    note: {safe(stored.revision.note[:500])}", style=colours["muted"]))
    return lines


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
