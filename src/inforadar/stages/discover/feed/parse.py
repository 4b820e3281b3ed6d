"""Parse a feed document into a listing: the feed's own metadata and its items. Start reading here.

    bytes ──► document.py ──► RawFeed ──► Listing
              as is, or repaired          links normalized, texts made readable

`parse_feed` is bounded in time and memory and may run anywhere. If it raises `NeedsSlowParser`, only
`parse_feed_slowly` can help, and that must run in a process that can be killed.
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
from inforadar.stages.discover.feed.text import entries_left_out, person_name, snippet_text, title_text
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
    """Parse a feed document fetched from `url`; `zone` applies to dates without a time zone.

    Raises `NotAFeedError` or another `ParseError` if it is not a feed, with a message that says what it is, and
    `NeedsSlowParser` if only `parse_feed_slowly` might read it.
    """
    return make_listing(parse_document(data, url, content_type, zone), url)


def parse_feed_slowly(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> Listing:
    """The same with the tolerant parser. Only killing its process can stop it, so it runs in the pool."""
    return make_listing(parse_document_slowly(data, url, content_type, zone), url)


def make_listing(feed: RawFeed, url: str) -> Listing:
    """Make a listing of the entries that have a URL of their own."""
    # Podcasts often link every episode to their home page; a URL that several entries share identifies none of them.
    shared = {link for link, count in Counter(entry.link for entry in feed.entries).items() if count > 1}
    # Each tag is cleaned once, because the entries of a feed share their tags.
    tags = {tag: title_text(tag) for tag in {tag for entry in feed.entries for tag in entry.tags}}
    items: dict[str, Listed] = {}
    without_link = repeated = 0
    for entry in feed.entries:
        address = _address(entry, url, shared)
        if address is None:
            without_link += 1
        elif address in items:
            repeated += 1
        else:
            items[address] = _listed(entry, address, url, tags)
    warnings = list(feed.warnings)
    if without_link:
        warnings.append(entries_left_out(without_link, "no usable link"))
    if repeated:
        warnings.append(entries_left_out(repeated, "same link as another entry"))
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
    """The entry's own link; if it shares that with others, its id or its attached file."""
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
