"""`inforadar feed preview`: shows what selectors find on a listing page."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from inforadar.actions.preview import PagePreview
from inforadar.app.lookups import open_previewer
from inforadar.cli.feed.selectors_file import read_selectors
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.config import Settings
from inforadar.model.item import DIFFED_FIELDS, Listed
from inforadar.model.metadata_fields import json_value
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed_by_url
from inforadar.views.item import SHOWN_COUNTERS

_MAX_VALUE_CHARS = 48


def preview(
    url: Annotated[str, Parameter(help="A listing page.")],
    *,
    selectors: Annotated[
        Path | None,
        Parameter(help="A TOML file. Default: those of the feed with this URL, or the site's own reader."),
    ] = None,
    json: Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")] = False,
) -> int:
    """Fetch one listing page and show what would be taken from it. Nothing is stored."""
    given = read_selectors(selectors) if selectors else None

    async def work(database: Database, settings: Settings) -> PagePreview:
        feed = await database.read(find_feed_by_url, url)
        chosen = given or (feed.options.selectors if feed else None)
        async with open_previewer(settings, database) as previewer:
            return await previewer.preview(url, chosen, feed.zone if feed else UTC)

    found = on_store(work)
    if json:
        print_json(_document(found))
    else:
        _print(found)
    return 0 if any(item.published_at for item in found.page.items) else 1


def _print(found: PagePreview) -> None:
    if found.selected:
        count = next((field.caught for field in found.selected.fields if field.name == "item"), 0)
        print_table(
            ["Field", "Selector", "Found>", "First values"],
            (
                (
                    field.name,
                    field.selector,
                    field.caught if field.name in {"item", "next"} else f"{field.caught} of {count}",
                    "  |  ".join(_cut(value) for value in field.values) or None,
                )
                for field in found.selected.fields
            ),
            empty="No selectors.",
        )
        print_line("")
    counters = [
        name for name in SHOWN_COUNTERS if any(getattr(item, name) is not None for item in found.page.items)
    ]
    print_table(
        ["Date", "Title", "Author", *(f"{name.capitalize()}>" for name in counters), "URL"],
        (
            (
                short_time(item.published_at) if item.published_at else "no date: skipped",
                item.title,
                item.author,
                *(_number(getattr(item, name)) for name in counters),
                item.url,
            )
            for item in found.page.items
        ),
        empty="No item would be taken from this page.",
    )
    print_line(f"Next page: {safe(found.page.next_url) if found.page.next_url else 'none'}")
    for message in found.messages:
        print_line(f"! {safe(message)}")


def _cut(value: str) -> str:
    return value if len(value) <= _MAX_VALUE_CHARS else value[: _MAX_VALUE_CHARS - 1] + "…"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def _document(found: PagePreview) -> dict[str, Any]:
    fields = found.selected.fields if found.selected else ()
    return {
        "url": found.page.url,
        "next_url": found.page.next_url,
        "fields": [
            {
                "name": field.name,
                "selector": field.selector,
                "caught": field.caught,
                "values": list(field.values),
                "message": field.message,
            }
            for field in fields
        ],
        "items": [_item(item) for item in found.page.items],
        "messages": list(found.messages),
    }


def _item(item: Listed) -> dict[str, Any]:
    at = item.published_at.isoformat().replace("+00:00", "Z") if item.published_at else None
    fields = {field.name: json_value(getattr(item, field.name)) for field in DIFFED_FIELDS}
    return {"url": item.url, "published_at": at, **fields}
