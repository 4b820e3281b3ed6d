"""Find one item by what a person types."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Text, cast, func, or_

from inforadar.errors import InvalidUrlError, NotFoundError, UsageError
from inforadar.model.ids import ItemId
from inforadar.model.item import Item
from inforadar.store.feeds.queries import ends_with
from inforadar.store.items.queries import item_from_row, load_item, select_items
from inforadar.store.schema.items import items
from inforadar.urls import normalize


def find_item(connection: Connection, reference: str) -> Item:
    """Find an item by id, URL, a prefix of either or the end of its id. If several feeds list a URL: the newest."""
    text = reference.strip()
    if not text:
        raise UsageError("Which item? Give its id, its URL, or the beginning of one.")
    try:
        found = load_item(connection, ItemId(UUID(text)))
    except ValueError:
        found = _find_by_url(connection, text)
    if found:
        return found
    newest = (items.c.pub_date.desc(), items.c.id.desc())
    query = select_items().where(_begins(text)).order_by(*newest).limit(50)
    candidates: dict[str, Item] = {}
    for row in connection.execute(query):
        candidates.setdefault(row.url, item_from_row(row))
    if len(candidates) == 1:
        return next(iter(candidates.values()))
    if not candidates:
        raise NotFoundError(f"There is no item {reference!r}. `inforadar item list` shows the newest.")
    names = ", ".join(list(candidates)[:5])
    raise UsageError(f"{reference!r} fits several items: {names}, … Give more of the id or the URL.")


def _find_by_url(connection: Connection, text: str) -> Item | None:
    if "://" not in text:
        return None
    try:
        url = normalize(text)
    except InvalidUrlError:
        return None
    newest = (items.c.pub_date.desc(), items.c.id.desc())
    row = connection.execute(select_items().where(items.c.url == url).order_by(*newest).limit(1)).first()
    return item_from_row(row) if row else None


def _begins(text: str) -> ColumnElement[bool]:
    """Condition: `text` begins the id (hyphens optional) or the URL (scheme optional), or ends the id."""
    id_text = func.replace(cast(items.c.id, Text), "-", "")
    starts: list[tuple[ColumnElement[str], str]] = [(id_text, text.lower().replace("-", ""))]
    starts += [(items.c.url, f"{scheme}{text}") for scheme in ("", "http://", "https://")]
    begins = (func.substr(column, 1, len(start)) == start for column, start in starts)
    return or_(*begins, ends_with(id_text, text))
