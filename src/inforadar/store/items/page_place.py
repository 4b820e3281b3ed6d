"""A page of a list, and the place where the next one begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, or_

from inforadar.errors import UsageError
from inforadar.model.ids import ItemId
from inforadar.model.item import Item
from inforadar.store.schema.items import items

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
INVALID_CURSOR = "The cursor does not belong to this list. Start without one."


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    items: tuple[Item, ...]
    next: str | None
    """The cursor of the next page; None if this is the last one."""


def page_of(found: list[Item], limit: int) -> ItemPage:
    more = cursor_after(found[limit - 1]) if len(found) > limit else None
    return ItemPage(items=tuple(found[:limit]), next=more)


def cursor_after(item: Item) -> str:
    """The cursor of the page that begins after this item, in a list without words."""
    return f"{(item.published_at - _EPOCH) // _MICROSECOND}.{item.id.hex}"


def parse_cursor(cursor: str) -> tuple[datetime, ItemId]:
    """Read what `cursor_after` wrote."""
    at, _, id_ = cursor.partition(".")
    try:
        if not cursor.isascii():
            raise ValueError
        return _EPOCH + int(at) * _MICROSECOND, ItemId(UUID(id_))
    except (ValueError, OverflowError):
        raise UsageError(INVALID_CURSOR) from None


def beyond(has_place: bool) -> tuple[ColumnElement[bool], ...]:
    """The items after a place, if the page begins at one."""
    if not has_place:
        return ()
    at: ColumnElement[datetime] = bindparam("place_at")
    # The index is searched by the first condition.
    return items.c.pub_date <= at, or_(items.c.pub_date < at, items.c.id < bindparam("place_id"))


def ahead() -> tuple[ColumnElement[bool], ...]:
    """The items before a place, which are newer."""
    at: ColumnElement[datetime] = bindparam("place_at")
    return items.c.pub_date >= at, or_(items.c.pub_date > at, items.c.id > bindparam("place_id"))


def values_of_place(after: tuple[datetime, ItemId] | None) -> dict[str, Any]:
    return {} if after is None else {"place_at": after[0], "place_id": after[1]}


def in_order(found: Select[Any]) -> Select[Any]:
    return found.order_by(items.c.pub_date.desc(), items.c.id.desc()).limit(bindparam("number"))
