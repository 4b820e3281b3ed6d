"""The last resort for very broken feeds: feedparser, the most tolerant reader there is.

Its running time cannot be limited from inside (some documents block it for minutes), so it runs in a process that
can be killed. Nothing here may be called in a worker's own process.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from inforadar.errors import ParseError
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.item import MAX_ENCLOSURES, Enclosure
from inforadar.stages.discover.dates.absolute import parse_date, possible
from inforadar.stages.discover.feed.limits import MAX_ENTRIES
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed
from inforadar.stages.discover.feed.xml import MAX_AUTHORS

_GUESSED = FeedWarning(text="The document is badly broken; parts of it were guessed.", is_loss=True)


def parse_document_slowly(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> RawFeed:
    """Like `parse_document`, with the tolerant parser. Module-level, so that it can be sent to a process."""
    import feedparser  # noqa: PLC0415 - slow to import and needed only here

    headers = {"content-location": url}
    if content_type:
        headers["content-type"] = content_type
    found = feedparser.parse(data, response_headers=headers, sanitize_html=False, resolve_relative_uris=False)
    if not found.entries:
        raise ParseError("This feed is too broken to read: no entry could be found in it.")
    return RawFeed(
        entries=tuple(_entry(entry, zone) for entry in found.entries[:MAX_ENTRIES]),
        title=_text(found.feed, "title"),
        link=_text(found.feed, "link"),
        description=_text(found.feed, "subtitle"),
        language=_text(found.feed, "language"),
        warnings=(_GUESSED,),
        hubs=tuple(_related(found.feed, "hub")),
        self_link=next(_related(found.feed, "self"), None),
    )


def _related(feed: Any, relation: str) -> Iterator[str]:
    for link in feed.get("links") or ():
        if link.get("rel") == relation and link.get("href"):
            yield link["href"]


def _entry(entry: Any, zone: tzinfo) -> RawEntry:
    contents = [content.get("value") or "" for content in entry.get("content") or ()]
    tags = dict.fromkeys(tag["term"] for tag in entry.get("tags") or () if tag.get("term"))
    enclosures = [
        link for link in entry.get("links") or () if link.get("rel") == "enclosure" and link.get("href")
    ]
    authors = dict.fromkeys(name for one in entry.get("authors") or () if (name := one.get("name")))
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
        enclosures=tuple(
            Enclosure(url=one["href"], type=one.get("type") or None, length=_length(one.get("length")))
            for one in enclosures[:MAX_ENCLOSURES]
        ),
        authors=tuple(authors)[:MAX_AUTHORS],
        comments_url=entry.get("comments") if isinstance(entry.get("comments"), str) else None,
        comments=int(comments) if comments.isdecimal() and len(comments) < 10 else None,
    )


def _length(text: Any) -> int | None:
    return int(text) or None if isinstance(text, str) and len(text) < 16 and text.isdecimal() else None


def _text(holder: Any, key: str) -> str | None:
    value = holder.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _date(entry: Any, name: str, zone: tzinfo) -> datetime | None:
    """Read a date. feedparser takes dates without a zone for UTC; for any other zone the text is parsed here."""
    text = dict.get(entry, name) if zone is not UTC else None
    ours = parse_date(text, zone) if isinstance(text, str) else None
    return ours or _utc_from_struct(dict.get(entry, f"{name}_parsed"))


def _utc_from_struct(parsed: Any) -> datetime | None:
    if not parsed:
        return None
    try:
        return possible(datetime.fromtimestamp(calendar.timegm(parsed), UTC))
    except (ValueError, OverflowError, OSError):
        return None
