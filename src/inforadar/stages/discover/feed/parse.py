"""Parse a feed document into a listing: the feed's own metadata and its items. Start reading here.

    bytes ──► document.py ──► RawFeed ──► Listing
              as is, or repaired          links normalized, texts made readable

`parse_feed` is bounded in time and memory and may run anywhere. If it raises `NeedsSlowParser`, only
`parse_feed_slowly` can help, and that must run in a process that can be killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, tzinfo
from urllib.parse import quote

from inforadar.errors import InvalidUrlError
from inforadar.model.feed_warning import left_out
from inforadar.model.item import Enclosure, Listed, Listing
from inforadar.stages.discover.feed.document import NeedsSlowParser, NotAFeedError, parse_document
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed
from inforadar.stages.discover.feed.slow import parse_document_slowly
from inforadar.stages.discover.feed.sniff import find_feed_links
from inforadar.stages.discover.feed.text import person_name, snippet_text, title_text
from inforadar.urls import canonical_form, canonical_or_none, normalized_or_none, tracks_readers

__all__ = [
    "NeedsSlowParser",
    "NotAFeedError",
    "find_feed_links",
    "make_listing",
    "parse_feed",
    "parse_feed_slowly",
]


_ABSOLUTE = ("http://", "https://")
_FRAGMENT_CHARACTERS = "!$&'()*+,;=:@/?-._~%"
MAX_FRAGMENT_CHARS = 300


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
    """Make a listing of all entries. Which items they are is decided when they are compared with the stored ones."""
    site = normalized_or_none(feed.link, url)
    entries = _without_copies(feed.entries)
    pages = [_page(entry, url) for entry in entries]
    shared = _repeated([page for page, _ in pages])
    repeated_ids = _repeated([entry.id for entry in entries])
    # Each tag and name is cleaned once, because the entries of a feed share them.
    tags = {tag: title_text(tag) for tag in {tag for entry in entries for tag in entry.tags}}
    names = {name: person_name(name) for name in {name for entry in entries for name in entry.authors}}
    items: list[Listed] = []
    for entry, (page, fragment) in zip(entries, pages, strict=True):
        # Without an id of its own an entry is known by its page.
        guid = entry.id if entry.id != entry.link or fragment else None
        shares_page = page is None or page in shared
        listed = _listed(
            entry,
            url,
            tags,
            names,
            page=page or site or url,
            fragment=fragment,
            guid=guid,
            repeats_id=guid in repeated_ids,
            shares_page=shares_page,
            has_link=page is not None,
        )
        if page is not None or listed.title or listed.content or listed.enclosures:
            items.append(listed)
    return Listing(
        items=tuple(items),
        title=title_text(feed.title),
        link=site,
        description=snippet_text(feed.description),
        language=feed.language,
        icon=_absolute(feed.icon, url),
        hints=feed.hints,
        warnings=(
            *feed.warnings,
            *left_out(len(entries) - len(items), "empty"),
            *left_out(len(feed.entries) - len(entries), "the same as another entry"),
        ),
        is_cut_off=feed.is_cut_off,
        hubs=tuple(hub for given in feed.hubs if (hub := canonical_or_none(given, url))),
        self_url=canonical_or_none(feed.self_link, url),
    )


def _without_copies(entries: tuple[RawEntry, ...]) -> Sequence[RawEntry]:
    """The entries without those that repeat another: some feeds list an entry twice."""
    # Ids and links alone, which are quick to compare, tell most entries apart.
    if len({(one.link, one.id) for one in entries}) == len(entries):
        return entries
    distinct = {(one.link, one.id, one.title, one.published): one for one in reversed(entries)}
    return list(distinct.values())[::-1]


def _repeated(texts: Sequence[str | None]) -> AbstractSet[str]:
    """The texts that occur more than once; there are usually none."""
    if len(set(texts)) == len(texts):
        return frozenset()
    return {text for text, count in Counter(texts).items() if text and count > 1}


def _page(entry: RawEntry, url: str) -> tuple[str | None, str]:
    """The entry's page and its fragment there: its link, else its id if that is a URL, else where it is served."""
    if (page := normalized_or_none(entry.link, url)) is not None:
        assert entry.link is not None
        return page, _fragment(entry.link)
    for link in (entry.id if (entry.id or "").startswith(_ABSOLUTE) else None, entry.self_link):
        if (page := normalized_or_none(link, url)) is not None:
            assert link is not None
            return page, _fragment(link)
    return None, ""


def _fragment(link: str) -> str:
    if "#" not in link:
        return ""
    fragment = link.partition("#")[2].strip()
    if not fragment or len(fragment) > MAX_FRAGMENT_CHARS or tracks_readers(fragment):
        return ""
    return quote(fragment, safe=_FRAGMENT_CHARACTERS)


def _former_url(entry: RawEntry, url: str) -> str | None:
    """The URL by which earlier versions knew an entry that its page does not tell from others: its id or its file."""
    identifier = entry.id if entry.id != entry.link and (entry.id or "").startswith(_ABSOLUTE) else None
    file = entry.enclosures[0].url if entry.enclosures else None
    return next((known for one in (identifier, file) if (known := normalized_or_none(one, url))), None)


def _listed(
    entry: RawEntry,
    url: str,
    tags: Mapping[str, str | None],
    names: Mapping[str, str | None],
    *,
    page: str,
    fragment: str,
    guid: str | None,
    repeats_id: bool,
    shares_page: bool,
    has_link: bool,
) -> Listed:
    """Make texts readable and links absolute; the arguments given by name are what tells the entry from others."""
    authors: tuple[str, ...] = ()
    if len(entry.authors) > 1:
        authors = tuple([name for author in entry.authors if (name := names[author])])
    return Listed(
        url=page,
        fragment=fragment,
        guid=guid,
        repeats_id=repeats_id,
        shares_page=shares_page,
        has_link=has_link,
        former_url=_former_url(entry, url) if shares_page else None,
        title=title_text(entry.title, is_plain=entry.is_title_plain),
        # Atom demands only the date of the last change.
        published_at=entry.published or entry.updated,
        updated_at=entry.updated if entry.updated != entry.published else None,
        author=names.get(entry.author or "") or person_name(entry.author),
        authors=authors if len(authors) > 1 else (),
        snippet=snippet_text(entry.summary or entry.content),
        content=entry.content or entry.summary,
        tags=tuple([tag for name in entry.tags if (tag := tags[name])]) if entry.tags else (),
        image=_absolute(entry.image, url) if entry.image else None,
        language=entry.language,
        views=entry.views,
        comments=entry.comments,
        enclosures=_enclosures(entry, url) if entry.enclosures else (),
        comments_url=_absolute(entry.comments_url, url) if entry.comments_url else None,
        season=entry.season,
        episode=entry.episode,
    )


def _enclosures(entry: RawEntry, url: str) -> tuple[Enclosure, ...]:
    return tuple(
        replace(one, url=address, title=title_text(one.title, is_plain=True))
        for one in entry.enclosures
        if (address := _absolute(one.url, url))
    )


def _absolute(link: str | None, url: str) -> str | None:
    """A link as a browser would follow it. Nothing is dropped: addresses of files are often signed."""
    try:
        return canonical_form(link, url) if link else None
    except InvalidUrlError:
        return None
