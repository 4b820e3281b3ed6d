"""Match the entries of a listing with the items of their feed (ruling 1). Pure.

    entry ──► (a) equal id ──► (b) equal page ──► a known item, else a new one with a URL of its own

An id decides unless the document repeats it, or URL, title and date all differ: some publishers use an id again for
something else. A page decides where the ids say nothing: one of the two has none, or title or date agree, so that ids
that change with every answer make no duplicates. Where several entries share a page (changelogs, comments), title and
date must both agree. Every known item is matched once at most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from inforadar.model.entry_urls import own_urls
from inforadar.model.ids import ItemId, UrlHash
from inforadar.model.item import KnownItem, Listed
from inforadar.urls import normalized_or_none, url_hash


@dataclass(frozen=True, slots=True)
class Match:
    """An entry and the item that it is; without one it is new, and `url` is its own."""

    listed: Listed
    url: str
    hash: UrlHash
    known: KnownItem | None = None


def match_entries(listed: Sequence[Listed], known: Iterable[KnownItem]) -> list[Match]:
    """Find the item of each entry, in the order of the listing. What only repeats another entry is left out."""
    items = _Known(known)
    found: dict[int, KnownItem] = {}
    for match in (items.match_id, items.match_page) if items.by_hash else ():
        for place, entry in enumerate(listed):
            if place not in found and (item := match(entry)):
                found[place] = item
                items.matched.add(item.id)
    fragments = Counter((entry.url, entry.fragment) for entry in listed if entry.shares_page)
    matches: list[Match] = []
    pages: set[str] = set()
    """Pages of listings whose entries have nothing but their page: the first counts."""
    used = set(items.by_hash)
    for place, entry in enumerate(listed):
        if not entry.shares_page and entry.has_link:
            if entry.url in pages:
                continue
            pages.add(entry.url)
        if item := found.get(place):
            matches.append(Match(entry, item.url or entry.url, item.hash, item))
            continue
        is_free = entry.has_link and not entry.shares_page and not items.has_page(entry.url)
        urls = (
            [entry.url]
            if is_free
            else own_urls(entry, is_fragment_unique=fragments[entry.url, entry.fragment] <= 1)
        )
        for url in urls:
            if (key := url_hash(url)) not in used:
                used.add(key)
                matches.append(Match(entry, url, key))
                break
    return matches


class _Known:
    """The items of a feed that a listing may speak of, by each way to find them."""

    def __init__(self, known: Iterable[KnownItem]) -> None:
        self.by_id: dict[str, list[KnownItem]] = defaultdict(list)
        self.by_page: dict[str, list[KnownItem]] = defaultdict(list)
        self.by_hash: dict[UrlHash, KnownItem] = {}
        self.matched: set[ItemId] = set()
        for item in known:
            self.by_hash[item.hash] = item
            if item.guid:
                self.by_id[item.guid].append(item)
            if item.url:
                self.by_page[item.url.partition("#")[0]].append(item)

    def has_page(self, page: str) -> bool:
        return page in self.by_page or url_hash(page) in self.by_hash

    def match_id(self, entry: Listed) -> KnownItem | None:
        if entry.guid is None or entry.repeats_id:
            return None
        return next(
            (
                item
                for item in self._with_id(entry.guid)
                if item.id not in self.matched
                and (item.url is None or _has_page(item, entry.url) or _agrees(entry, item))
            ),
            None,
        )

    def _with_id(self, guid: str) -> Iterator[KnownItem]:
        """Items that have this id; an item without an id of its own has its URL for one."""
        yield from self.by_id.get(guid, ())
        if "#" not in guid and (address := normalized_or_none(guid)) is not None:
            item = self.by_hash.get(url_hash(address))
            if item and not _own_id(item.guid, item.url):
                yield item

    def match_page(self, entry: Listed) -> KnownItem | None:
        page = [item for item in self._on_page(entry.url) if item.id not in self.matched]
        if entry.shares_page or not entry.has_link:
            agreeing: Iterable[KnownItem] = (item for item in page if _agrees_in_all(entry, item))
        elif len(page) == 1:
            agreeing = (item for item in page if _lacks_id(entry, item) or _agrees(entry, item))
        else:
            agreeing = chain(
                (item for item in page if _agrees(entry, item)),
                (item for item in page if _lacks_id(entry, item) and item.url == entry.link),
            )
        return next(iter(agreeing), None) or self._match_former(entry)

    def _on_page(self, page: str) -> Iterator[KnownItem]:
        """The item that has the plain URL first; of a forgotten one only the hash is known."""
        plain = self.by_hash.get(url_hash(page))
        if plain:
            yield plain
        yield from (item for item in self.by_page.get(page, ()) if item is not plain)

    def _match_former(self, entry: Listed) -> KnownItem | None:
        """The item under the URL that an earlier version gave it, or forgotten under its own."""
        item = self.by_hash.get(url_hash(entry.former_url)) if entry.former_url else None
        if item is None and (entry.shares_page or not entry.has_link):
            own = (self.by_hash.get(url_hash(url)) for url in own_urls(entry, is_fragment_unique=True))
            item = next((one for one in own if one and one.url is None), None)
        return item if item and item.id not in self.matched else None


def _has_page(item: KnownItem, page: str) -> bool:
    return page in ((item.url or "").partition("#")[0], (item.link or "").partition("#")[0])


def _own_id(guid: str | None, url: str | None) -> bool:
    """Whether it has an id that says more than its page."""
    return guid is not None and guid != url


def _lacks_id(entry: Listed, item: KnownItem) -> bool:
    return entry.repeats_id or not (_own_id(entry.guid, entry.url) and _own_id(item.guid, item.url))


def _agrees(entry: Listed, item: KnownItem) -> bool:
    return _same_title(entry, item) or _same_date(entry, item)


def _agrees_in_all(entry: Listed, item: KnownItem) -> bool:
    """Title and date agree, as far as both are known: a forgotten item has no title, some entries have no date."""
    return (entry.published_at is None or _same_date(entry, item)) and (
        item.url is None or _same_title(entry, item)
    )


def _same_title(entry: Listed, item: KnownItem) -> bool:
    name = "title" if entry.title or item.fields.get("title") else "snippet"
    return getattr(entry, name) is not None and getattr(entry, name) == item.fields.get(name)


def _same_date(entry: Listed, item: KnownItem) -> bool:
    return entry.published_at is not None and entry.published_at == item.published_at
