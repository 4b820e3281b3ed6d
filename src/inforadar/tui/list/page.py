"""A page of the list, with its marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inforadar.model.ids import UrlHash
from inforadar.model.item import Item
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.order import SortKey, load_sorted_items
from inforadar.store.items.pages import load_item_page
from inforadar.store.people.marks import Marks, load_marks
from inforadar.tui.list.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Items from `offset` on, with their marks."""

    offset: int
    items: tuple[Item, ...]
    marks: Mapping[UrlHash, Marks]
    next: str | None
    """The cursor of the next page, if the sort order supports cursors."""


async def load_page(
    database: Database,
    view: View,
    wanted: ItemFilter,
    *,
    limit: int,
    offset: int = 0,
    cursor: str | None = None,
) -> Page:
    """Load a page: by cursor if sorted newest first, by offset for any other order and for jumps."""
    following: str | None = None
    found: Sequence[Item]
    if view.sort is SortKey.DATE and view.descending and (cursor or not offset):
        page = await database.read(load_item_page, wanted, limit=limit, cursor=cursor)
        found, following = page.items, page.next
    else:
        found = await database.read(
            load_sorted_items,
            wanted,
            view.sort,
            descending=view.descending,
            limit=limit,
            offset=offset,
        )
    marks = await database.read(load_marks, wanted.person_id, [item.hash for item in found])
    return Page(offset=offset, items=tuple(found), marks=marks, next=following)
