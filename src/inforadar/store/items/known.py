"""Which items a feed has, among those that a listing may speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, func, or_, select, true

from inforadar.model.entry_urls import lookup_hashes
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import KnownItem, Listed
from inforadar.store.items.metadata_rows import DIFFED_ROWS
from inforadar.store.rows import JsonRows
from inforadar.store.schema.items import HAS_OWN_ID, IS_PART_OF_PAGE, forgotten_items, items
from inforadar.store.types import guid_key, one_of
from inforadar.urls import uid, url_hash

_asked = JsonRows("asked", place="integer", feed_id="uuid", key="text")
_i, _f = items.c, forgotten_items.c
_KNOWN = (
    _asked.c["place"],
    _i.id,
    _i.hash,
    _i.url,
    _i.guid,
    _i.link,
    func.coalesce(_i.dated_at, _i.pub_date),
    _i.revised_at,
    *(_i[name] for name in DIFFED_ROWS.names),
)
_FORGOTTEN = (_asked.c["place"], _f.item_id, _f.hash, _f.guid, _f.pub_date)


def _query(
    columns: Sequence[Any], table: Table, key: ColumnElement[Any], asked: Any, where: ColumnElement[bool]
) -> Any:
    return select(*columns).join_from(
        _asked.table, table, and_(table.c.feed_id == _asked.c["feed_id"], key == asked, where)
    )


_KEY = _asked.c["key"]
_BY_HASH = _query(_KNOWN, items, _i.hash, _KEY, true())
_BY_ID = _query(_KNOWN, items, guid_key(_i.guid), guid_key(_KEY), HAS_OWN_ID)
_BY_PAGE = _query(_KNOWN, items, _i.uid, _KEY, IS_PART_OF_PAGE)
_FORGOTTEN_BY_HASH = _query(_FORGOTTEN, forgotten_items, _f.hash, _KEY, true())
_FORGOTTEN_BY_ID = _query(
    _FORGOTTEN, forgotten_items, guid_key(_f.guid), guid_key(_KEY), _f.guid.is_not(None)
)
# Not `EXISTS`, which a planner may answer by reading all items first.
_HAS_ITEMS = select(_asked.c["place"]).where(
    or_(
        *(
            select(table.c.feed_id)
            .where(table.c.feed_id == _asked.c["feed_id"])
            .limit(1)
            .correlate(_asked.table)
            .scalar_subquery()
            .is_not(None)
            for table in (items, forgotten_items)
        )
    )
)

_Key = tuple[FeedId, str]


def load_known(
    connection: Connection, listed: Mapping[FeedId, Sequence[Listed]]
) -> dict[FeedId, list[KnownItem]]:
    """For several feeds at once, the items that the entries may be: by URL, by id, and by the page they share.

    Items that retention deleted are among them, as far as they are remembered. Most entries have an item with their
    URL and id; the other questions are asked only for the rest.
    """
    found = _Found(connection, listed)
    entries = [(feed_id, entry) for feed_id in found.load_feeds_with_items() for entry in listed[feed_id]]
    found.load(_BY_HASH, [(feed_id, url_hash(entry.url)) for feed_id, entry in entries])
    rest = [(feed_id, entry) for feed_id, entry in entries if not _is_settled(entry, found.items[feed_id])]
    hashes = [(feed_id, key) for feed_id, entry in rest for key in lookup_hashes(entry)]
    ids = [
        (feed_id, entry.guid)
        for feed_id, entry in rest
        if entry.guid and entry.guid != entry.url and not entry.repeats_id
    ]
    found.load(_BY_HASH, [(feed_id, key) for feed_id, key in hashes if key not in found.items[feed_id]])
    found.load_forgotten(_FORGOTTEN_BY_HASH, hashes)
    found.load(_BY_ID, ids)
    found.load_forgotten(_FORGOTTEN_BY_ID, ids)
    found.load(_BY_PAGE, list(dict.fromkeys((feed_id, uid(entry.url)) for feed_id, entry in rest)))
    return {feed_id: list(items_here.values()) for feed_id, items_here in found.items.items()}


class _Found:
    """The items found so far, by feed and hash."""

    def __init__(self, connection: Connection, feed_ids: Iterable[FeedId]) -> None:
        self._connection = connection
        self.items: dict[FeedId, dict[str, KnownItem]] = {feed_id: {} for feed_id in feed_ids}

    def load_feeds_with_items(self) -> list[FeedId]:
        return [feed_id for feed_id, _ in self._rows(_HAS_ITEMS, [(feed_id, "") for feed_id in self.items])]

    def load(self, query: Any, keys: Sequence[_Key]) -> None:
        for feed_id, row in self._rows(query, keys):
            _, id_, hash_, url, guid, link, published_at, updated_at, *values = row
            self.items[feed_id][hash_] = KnownItem(
                id=id_,
                hash=hash_,
                url=url,
                guid=guid,
                link=link,
                published_at=published_at,
                updated_at=updated_at,
                fields=DIFFED_ROWS.from_row(values),
            )

    def load_forgotten(self, query: Any, keys: Sequence[_Key]) -> None:
        for feed_id, (_, id_, hash_, guid, published_at) in self._rows(query, keys):
            self.items[feed_id].setdefault(
                hash_,
                KnownItem(
                    id=id_,
                    hash=hash_,
                    url=None,
                    guid=guid,
                    published_at=published_at,
                    fields={},
                    forgotten=True,
                ),
            )

    def _rows(self, query: Any, keys: Sequence[_Key]) -> Iterable[tuple[FeedId, Any]]:
        """The rows for each key. They begin with its place: returning the feed would take longer than all the rest."""
        if not keys:
            return ()
        asked = _asked.parameters([(place, feed_id.hex, key) for place, (feed_id, key) in enumerate(keys)])
        return [(keys[row[0]][0], row) for row in self._connection.execute(query, asked).all()]


def _is_settled(entry: Listed, known: Mapping[str, KnownItem]) -> bool:
    """Whether the item with the entry's URL is the one that `match_entries` takes, whatever else is stored."""
    item = known.get(url_hash(entry.url))
    if item is None or entry.shares_page or entry.repeats_id or entry.fragment or not entry.has_link:
        return False
    if entry.guid is not None:
        return entry.guid == item.guid
    return entry.published_at is not None and entry.published_at == item.published_at


def load_known_hashes(
    connection: Connection, feed_id: FeedId, hashes: Iterable[UrlHash]
) -> frozenset[UrlHash]:
    """The hashes that the feed has, or had until retention deleted them."""
    wanted = list(hashes)
    here, gone = (
        select(table.c.hash).where(table.c.feed_id == feed_id, one_of(table.c.hash, wanted))
        for table in (items, forgotten_items)
    )
    return frozenset(connection.execute(here.union_all(gone)).scalars())
