"""Which items a feed has, among those that a listing may speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, func, select, true

from inforadar.model.entry_urls import lookup_hashes
from inforadar.model.ids import FeedId, ItemId, UrlHash
from inforadar.model.item import KnownItem, Listed
from inforadar.store.items.metadata_rows import DIFFED_ROWS
from inforadar.store.rows import JsonRows
from inforadar.store.schema.items import HAS_OWN_ID, IS_PART_OF_PAGE, forgotten_items, items
from inforadar.store.types import guid_key, one_of
from inforadar.urls import uid

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
_BY_HASH = (
    _query(_KNOWN, items, _i.hash, _KEY, true()),
    _query(_FORGOTTEN, forgotten_items, _f.hash, _KEY, true()),
)
_BY_ID = (
    _query(_KNOWN, items, guid_key(_i.guid), guid_key(_KEY), HAS_OWN_ID),
    _query(_FORGOTTEN, forgotten_items, guid_key(_f.guid), guid_key(_KEY), _f.guid.is_not(None)),
)
_BY_PAGE = _query(_KNOWN, items, _i.uid, _KEY, IS_PART_OF_PAGE)


def load_known(
    connection: Connection, listed: Mapping[FeedId, Sequence[Listed]]
) -> dict[FeedId, list[KnownItem]]:
    """For several feeds at once, the items that the entries may be: by URL, by id, and by the page they share.

    Items that retention deleted are among them, as far as they are remembered.
    """
    known: dict[FeedId, dict[ItemId, KnownItem]] = {feed_id: {} for feed_id in listed}
    entries = [(feed_id, entry) for feed_id, found in listed.items() for entry in found]
    if not entries:
        return {}
    hashes = [(feed_id, key) for feed_id, entry in entries for key in lookup_hashes(entry)]
    ids = [
        (feed_id, entry.guid)
        for feed_id, entry in entries
        if entry.guid and entry.guid != entry.url and not entry.repeats_id
    ]
    pages = list(dict.fromkeys((feed_id, uid(entry.url)) for feed_id, entry in entries))
    for keys, here, gone in ((hashes, *_BY_HASH), (ids, *_BY_ID), (pages, _BY_PAGE, None)):
        if not keys:
            continue
        parameters = _asked.parameters(
            [(place, feed_id.hex, key) for place, (feed_id, key) in enumerate(keys)]
        )
        # Matched by their position in the query: returning the feed would take longer than all the rest.
        for place, id_, hash_, url, guid, link, published_at, updated_at, *values in connection.execute(
            here, parameters
        ).all():
            known[keys[place][0]][id_] = KnownItem(
                id=id_,
                hash=hash_,
                url=url,
                guid=guid,
                link=link,
                published_at=published_at,
                updated_at=updated_at,
                fields=DIFFED_ROWS.from_row(values),
            )
        if gone is not None:
            for place, id_, hash_, guid, published_at in connection.execute(gone, parameters).all():
                known[keys[place][0]].setdefault(
                    id_,
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
    return {feed_id: list(found.values()) for feed_id, found in known.items()}


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
