"""Reads a feed document into a listing: what a feed says of itself and its items.

    bytes ──► feed_document ──► RawFeed ──► Listing
              as it is, or mended           links normalized, texts made readable

`parse_feed` is bounded by itself and may run anywhere. When it raises `NeedsSlowParser`, only
`parse_feed_slowly` can help, and that belongs in a process that can be killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo

from inforadar.errors import InvalidUrlError
from inforadar.model.item import Listed, Listing
from inforadar.stages.discover.feed.document import NeedsSlowParser, NotAFeedError, parse_document
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed
from inforadar.stages.discover.feed.slow import parse_document_slowly
from inforadar.stages.discover.feed.sniff import find_feed_links
from inforadar.stages.discover.feed.text import person_name, snippet_text, title_text
from inforadar.urls import normalize

__all__ = [
    "NeedsSlowParser",
    "NotAFeedError",
    "find_feed_links",
    "make_listing",
    "parse_feed",
    "parse_feed_slowly",
]


def parse_feed(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> Listing:
    """The listing in a feed document fetched from `url`; `zone` is that of dates that name none.

    Raises `NotAFeedError` or another `ParseError` for what is no feed, saying what it is instead, and
    `NeedsSlowParser` for what only `parse_feed_slowly` might read.
    """
    return make_listing(parse_document(data, url, content_type, zone), url)


def parse_feed_slowly(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> Listing:
    """The same by the tolerant parser, which nothing but the end of its process can bound: for the pool."""
    return make_listing(parse_document_slowly(data, url, content_type, zone), url)


def make_listing(feed: RawFeed, url: str) -> Listing:
    """A listing of the entries that have an address of their own."""
    # Podcasts often link every episode to their home page; an address that several share names none of them.
    shared = {link for link, count in Counter(entry.link for entry in feed.entries).items() if count > 1}
    # The entries of a feed share their tags.
    tags = {tag: title_text(tag) for tag in {tag for entry in feed.entries for tag in entry.tags}}
    items: dict[str, Listed] = {}
    lost = repeated = 0
    for entry in feed.entries:
        address = _address(entry, url, shared)
        if address is None:
            lost += 1
        elif address in items:
            repeated += 1
        else:
            items[address] = _listed(entry, address, url, tags)
    warnings = list(feed.warnings)
    if lost:
        warnings.append(f"{_entries(lost)} without a usable link left out.")
    if repeated:
        warnings.append(f"{_entries(repeated)} left out, with the same link as another.")
    return Listing(
        items=tuple(items.values()),
        title=title_text(feed.title),
        link=_normalized(feed.link, url),
        description=snippet_text(feed.description),
        language=feed.language,
        hints=feed.hints,
        warnings=tuple(warnings),
    )


def _listed(entry: RawEntry, address: str, url: str, tags: Mapping[str, str | None]) -> Listed:
    return Listed(
        url=address,
        guid=entry.id,
        title=title_text(entry.title, is_plain=entry.is_title_plain),
        published_at=entry.published,
        updated_at=entry.updated,
        author=person_name(entry.author),
        snippet=snippet_text(entry.summary or entry.content),
        content=entry.content or entry.summary,
        tags=tuple([tag for name in entry.tags if (tag := tags[name])]),
        image=_normalized(entry.image, url),
        language=entry.language,
        views=entry.views,
        comments=entry.comments,
    )


def _address(entry: RawEntry, url: str, shared: set[str | None]) -> str | None:
    """The entry's own link, or what names it better than a shared one: its id or its attached file."""
    for candidate in _candidates(entry, shared):
        address = _normalized(candidate, url)
        if address is not None:
            return address
    return None


def _candidates(entry: RawEntry, shared: set[str | None]) -> Iterator[str | None]:
    if entry.link not in shared:
        yield entry.link
    elif entry.id is not None and entry.id.startswith(("http://", "https://")):
        yield entry.id
    yield entry.enclosure
    yield entry.link


def _normalized(link: str | None, url: str) -> str | None:
    if link is None:
        return None
    try:
        return normalize(link, url)
    except InvalidUrlError:
        return None


def _entries(count: int) -> str:
    return "One entry was" if count == 1 else f"{count:,} entries were"
