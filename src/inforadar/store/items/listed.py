"""All that a listing of items says, in one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from inforadar.model.ids import ItemId, StoryId, UrlHash
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.order import NEWEST_FIRST, load_sorted_page
from inforadar.store.items.page_place import ItemPage
from inforadar.store.items.pages import load_item_page
from inforadar.store.people.marks import Marks, load_marks
from inforadar.store.stories.queries import load_story_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedItems:
    """A page of a list, with the person's marks and the stories of its items."""

    page: ItemPage
    marks: Mapping[UrlHash, Marks]
    stories: Mapping[ItemId, StoryId]
    total: int | None


def load_listed_items(
    connection: Connection,
    wanted: ItemFilter,
    order: str,
    *,
    limit: int,
    cursor: str | None,
    with_total: bool,
) -> ListedItems:
    if order == NEWEST_FIRST:
        page = load_item_page(connection, wanted, limit=limit, cursor=cursor, with_content=False)
    else:
        page = load_sorted_page(connection, wanted, order, limit=limit, cursor=cursor)
    return ListedItems(
        page=page,
        marks=load_marks(connection, wanted.person_id, [item.hash for item in page.items]),
        stories=load_story_ids(connection, [item.id for item in page.items]),
        total=count_items(connection, wanted) if with_total else None,
    )
