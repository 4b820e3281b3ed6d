"""JSON Feed 1.1, with our extension in `_deframe`.

Its titles and summaries are plain text by definition, so nothing that looks like markup has to be defused; only
the characters that would break a document are removed, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from inforadar.stages.publish.addresses import web_address, web_address_or_none
from inforadar.stages.publish.dates import is_plausible, rfc3339
from inforadar.stages.publish.deframe import extension_object
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.files import PublishedFile, published_files
from inforadar.stages.publish.languages import language_tag, other_language
from inforadar.stages.publish.shape import MAX_DOCUMENT_BYTES, render_within
from inforadar.stages.publish.text import clean, one_line
from inforadar.stages.publish.visible_text import visible_text

MEDIA_TYPE = "application/feed+json"

_NO_ITEMS = "[]}"
_MAX_COMMAS_BYTES = 1000
_VERSION = "https://jsonfeed.org/version/1.1"


def render_json_feed(channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False) -> str:
    """Render a channel as JSON Feed."""
    feed: dict[str, Any] = {
        "version": _VERSION,
        "title": one_line(channel.title) or "Info Radar",
        "home_page_url": web_address(channel.link),
        "feed_url": web_address(channel.self_url),
        "description": one_line(channel.description) or None,
        "icon": web_address_or_none(channel.icon),
        "language": language_tag(channel.language),
        "items": [],
    }
    head = msgspec.json.encode(_without_nulls(feed)).decode()
    parts = render_within(
        entries,
        lambda entry: msgspec.json.encode(_item(channel, entry, embedded=embedded)).decode(),
        MAX_DOCUMENT_BYTES - len(head.encode()) - _MAX_COMMAS_BYTES,
    )
    return f"{head.removesuffix(_NO_ITEMS)}[{','.join(parts)}]}}"


def _item(channel: ChannelInfo, entry: Entry, *, embedded: bool) -> dict[str, Any]:
    shown = visible_text(entry, embedded=embedded)
    authors = dict.fromkeys(map(one_line, entry.all_authors))
    html = shown.content_html or shown.description_html
    item = {
        "id": clean(entry.hash),
        "url": web_address(entry.url),
        "title": shown.title,
        "summary": shown.description,
        "content_html": None if html is None else clean(html),
        "content_text": shown.description if html is None else None,
        "image": web_address_or_none(entry.image),
        "date_published": _date(channel, entry.published_at),
        "date_modified": _date(channel, entry.updated_at),
        "authors": [{"name": author} for author in authors if author] or None,
        "tags": [tag for tag in dict.fromkeys(map(one_line, entry.tags)) if tag] or None,
        "language": other_language(entry.language, channel.language),
        "attachments": [_attachment(file) for file in published_files(entry.enclosures)] or None,
        "_deframe": extension_object(entry),
    }
    return _without_nulls(item)


def _attachment(file: PublishedFile) -> dict[str, Any]:
    return _without_nulls(
        {
            "url": file.url,
            "mime_type": file.type,
            "title": file.title or None,
            "size_in_bytes": file.length,
            "duration_in_seconds": file.duration_s,
        }
    )


def _date(channel: ChannelInfo, moment: datetime | None) -> str | None:
    return rfc3339(moment) if moment is not None and is_plausible(moment, channel.built_at) else None


def _without_nulls(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out unknown fields: JSON Feed has no nulls."""
    return {name: value for name, value in fields.items() if value is not None}
