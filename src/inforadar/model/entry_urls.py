"""The URLs by which an entry of a feed may be known (ruling 1)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from inforadar.model.ids import UrlHash
from inforadar.model.item import Listed
from inforadar.urls import normalized_or_none, url_hash


def lookup_hashes(listed: Listed) -> Iterator[UrlHash]:
    """The URLs by which an entry may be known, as hashes."""
    yield url_hash(listed.url)
    if listed.former_url:
        yield url_hash(listed.former_url)
    if listed.shares_page or listed.fragment or not listed.has_link:
        yield from (url_hash(url) for url in own_urls(listed, is_fragment_unique=True) if url != listed.url)
    address = normalized_or_none(listed.guid)
    if address is not None and address != listed.url:
        yield url_hash(address)


def own_urls(entry: Listed, *, is_fragment_unique: bool) -> Iterator[str]:
    """URLs that tell the entry from others of its page, the best first."""
    if is_fragment_unique and entry.has_link:
        yield entry.link
    said = f"{entry.title or entry.snippet or ''}\n{entry.published_at.isoformat() if entry.published_at else ''}"
    identifier = None if entry.repeats_id else entry.guid
    for text in (identifier, f"{identifier}\n{said}") if identifier else (said,):
        yield f"{entry.url}#{hashlib.sha256(text.encode()).hexdigest()[:16]}"
