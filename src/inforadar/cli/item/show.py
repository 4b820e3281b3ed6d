"""`inforadar item show` and `inforadar item refresh`: read one item, or fetch its article again."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from inforadar.actions.refresh import Refreshed, refresh_article, refreshed_sentence
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line, safe, safe_text, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import score_text
from inforadar.config import Settings, load_settings
from inforadar.model.analysis import Analysis
from inforadar.model.article import Article
from inforadar.model.item import Item
from inforadar.pipeline.worker import Stage
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.items.find import find_item
from inforadar.store.items.one_row import with_all_feeds
from inforadar.store.items.queries import load_item_changes
from inforadar.texts import counted
from inforadar.urls import uid
from inforadar.views.item import (
    BARS,
    byline,
    escape_markdown,
    field_changes,
    picture_lines,
    read_item,
    shown_counters,
    shown_details,
    shown_files,
    why_no_text,
)
from inforadar.views.json import article_document, changes_document, item_document
from inforadar.views.reading import TextOrigin, reading_of
from inforadar.views.sanitize import listing_text

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Reference = Annotated[str, Parameter(help="The item's id or URL, or a unique prefix of either.")]
History = list[tuple[datetime, dict[str, list[Any]]]]

MAX_WIDTH_COLUMNS = 88
BAR_COLUMNS = 10


def show(item: Reference, *, json: Json = False) -> None:
    """Show one item: metadata, clean text, analysis and changes."""

    async def work(database: Database, _: Settings) -> tuple[Item, Article | None, History]:
        (found,) = await database.read(with_all_feeds, [await database.read(find_item, item)])
        article = await database.read(load_article, uid(found.url))
        return found, article, await database.read(load_item_changes, found.id)

    found, article, history = on_store(work)
    if json:
        shown = {
            "content": found.content,
            "text_from": reading_of(found, article).origin,
            "article": article and article_document(article),
            "changes": changes_document(history),
        }
        print_json(item_document(found) | shown)
        return
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH_COLUMNS)
    _print_head(console, found, article)
    analysis = read_item(found).analysis
    if analysis:
        _print_scores(console, analysis)
    console.print(Rule("Clean text", style="dim"))
    _print_text(console, found, article)
    if history:
        _print_changes(console, history)


def _print_text(console: Console, item: Item, article: Article | None) -> None:
    reading = reading_of(item, article)
    if reading.origin is None:
        console.print(Text(safe(why_no_text(article, item)), style="dim"))
        return
    console.print(Text(safe(reading.sentence), style="dim"))
    if reading.origin is TextOrigin.FEED:
        console.print()
        console.print(Text(safe_text(listing_text(item.content, item.address))))
    elif article and article.extracted:
        found = article.extracted
        text = safe_text(found.markdown or escape_markdown(found.clean_text))
        console.print(Padding(Markdown(picture_lines(text), hyperlinks=False), (1, 0, 0, 0)))


def _print_head(console: Console, item: Item, article: Article | None) -> None:
    shown = read_item(item)
    extracted = article.extracted if article else None
    console.print(Text(safe(shown.title), style="bold"))
    if shown.neutral_title:
        console.print(Text(f"Neutral: {safe(shown.neutral_title)}", style="italic"))
    line = [
        item.all_sources,
        item.all_topics,
        byline(item, article),
        short_time(item.published_at),
        f"updated {short_time(item.revised_at)}"
        if item.revised_at and item.revised_at > item.published_at
        else None,
        item.language or (extracted.language if extracted else None),
        *(f"{name} {number}" for name, number in shown_counters(item)),
        counted(extracted.text_len, "character") if extracted else None,
    ]
    console.print(Text(" · ".join(safe(part) for part in line if part), style="dim"))
    for label, text in shown_details(item):
        console.print(Text(f"{label}: {safe(text)}", style="dim"))
    console.print(Text(safe(item.address), style="dim"), soft_wrap=True)
    if item.comments_url:
        console.print(Text(f"Comments: {safe(item.comments_url)}", style="dim"), soft_wrap=True)
    for file in shown_files(item):
        facts = f" ({file.facts})" if file.facts else ""
        console.print(Text(f"File: {safe(file.url + facts)}", style="dim"), soft_wrap=True)
    console.print(Text(f"id {item.id}", style="dim"))


def _print_scores(console: Console, analysis: Analysis) -> None:
    console.print(Rule("Analysis", style="dim"))
    table = Table(box=None, pad_edge=False, show_header=False)
    for name in (*BARS, None):
        score = analysis.score(name) if name else analysis.overall
        filled = round((score.value or 0.0) * BAR_COLUMNS)
        in_words = score_text(score.value)
        bar = Text("█" * filled + "░" * (BAR_COLUMNS - filled), style=in_words.style)
        label = name.value.replace("_", " ") if name else "overall"
        table.add_row(label, bar, in_words, Text(safe(score.reason)))
    console.print(table)
    if analysis.summary:
        console.print(Padding(Text(safe(analysis.summary)), (1, 0, 0, 0)))
    for fact in analysis.facts:
        console.print(Text(f"  • {safe(fact)}"))


def _print_changes(console: Console, history: History) -> None:
    console.print(Rule("Changes", style="dim"))
    for change in field_changes(history):
        line = Text(f"{short_time(change.at)}  {change.field}: ")
        if change.old is not None:
            line.append(safe(change.old), style="strike dim")
            line.append(" → ")
        line.append(safe(change.new))
        console.print(line)


def refresh(item: Reference, *, json: Json = False) -> int:
    """Fetch an item's article again. If that fails, the stored text is kept."""
    settings = load_settings()
    configure_logs(settings.log, quiet=True)

    async def work() -> tuple[Item, Refreshed]:
        stages = frozenset({Stage.CANONICAL})
        async with (
            open_store(settings) as database,
            open_worker(settings, database, stages=stages) as worker,
        ):
            (found,) = await database.read(with_all_feeds, [await database.read(find_item, item)])
            return found, await refresh_article(worker.canonicalizer, uid(found.url))

    found, refreshed = asyncio.run(work())
    if json:
        failure = refreshed.failure
        print_json(
            {
                "id": str(found.id),
                "url": found.url,
                "outcome": refreshed.outcome.value,
                "text_len_before": refreshed.before_len,
                "text_len": refreshed.after_len,
                "failure": {"code": failure.code.value, "detail": failure.detail} if failure else None,
            }
        )
    else:
        print_line(f"{safe(found.url)}: {safe(refreshed_sentence(refreshed))}")
    return 1 if refreshed.failure else 0
