"""The last resort for what hardly is a feed any more: feedparser, the most tolerant reader there is.

It cannot be bounded from inside (some documents hold it for minutes), so it runs in a process that can be
killed. Nothing here may be called in a worker's own process.
"""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, tzinfo
from typing import Any

from inforadar.errors import ParseError
from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed
from inforadar.stages.discover.feed.xml import MAX_ENTRIES

_WARNING = "The document is badly broken; it was read by guessing."


def parse_document_slowly(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> RawFeed:
    """As `parse_document`, but by the tolerant parser. Module-level, so that it can be sent to a process."""
    import feedparser  # noqa: PLC0415 - dear to import, and needed only here

    headers = {"content-location": url}
    if content_type:
        headers["content-type"] = content_type
    found = feedparser.parse(data, response_headers=headers, sanitize_html=False, resolve_relative_uris=False)
    if not found.entries:
        raise ParseError("This feed is too broken to be read: not one entry could be made out.")
    return RawFeed(
        entries=tuple(_entry(entry, zone) for entry in found.entries[:MAX_ENTRIES]),
        title=_text(found.feed, "title"),
        link=_text(found.feed, "link"),
        description=_text(found.feed, "subtitle"),
        language=_text(found.feed, "language"),
        warnings=(_WARNING,),
    )


def _entry(entry: Any, zone: tzinfo) -> RawEntry:
    contents = [content.get("value") or "" for content in entry.get("content") or ()]
    tags = dict.fromkeys(tag["term"] for tag in entry.get("tags") or () if tag.get("term"))
    enclosures = [link.get("href") for link in entry.get("links") or () if link.get("rel") == "enclosure"]
    comments = str(entry.get("slash_comments") or entry.get("thr_total") or "")
    link = _text(entry, "link")
    return RawEntry(
        id=_text(entry, "id") or link,
        link=link,
        title=_text(entry, "title"),
        published=_date(entry, "published", zone),
        updated=_date(entry, "updated", zone),
        summary=_text(entry, "summary"),
        content=max(contents, key=len, default="") or None,
        author=_text(entry, "author"),
        tags=tuple(tags),
        enclosure=next((href for href in enclosures if href), None),
        comments=int(comments) if comments.isdecimal() and len(comments) < 10 else None,
    )


def _text(holder: Any, key: str) -> str | None:
    value = holder.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _date(entry: Any, name: str, zone: tzinfo) -> datetime | None:
    """To feedparser every date without a zone is one of UTC; where it is not, we read the text ourselves."""
    text = dict.get(entry, name) if zone is not UTC else None
    ours = parse_date(text, zone) if isinstance(text, str) else None
    return ours or _moment(dict.get(entry, f"{name}_parsed"))


def _moment(parsed: Any) -> datetime | None:
    if not parsed:
        return None
    try:
        return datetime.fromtimestamp(calendar.timegm(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None
