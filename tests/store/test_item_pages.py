"""Pages of marked items: few among many, found by their addresses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.store.making import NOW, add_feeds, collect, listed

from inforadar.store import item_pages
from inforadar.store.engine import Database
from inforadar.store.item_pages import load_item_page
from inforadar.store.items import ItemFilter
from inforadar.store.marks import save_marks_of


@pytest.mark.parametrize("few", [0, 2000])
@pytest.mark.parametrize("mark", ["starred", "archived"])
async def test_marked_items_come_page_by_page_newest_first(
    database: Database, monkeypatch: pytest.MonkeyPatch, mark: str, few: int
) -> None:
    """The same whether they are few or many."""
    monkeypatch.setattr(item_pages, "FEW_MARKED", few)
    one, two = await add_feeds(database, 2)
    urls = [f"https://example.com/{number}" for number in range(9)]
    entries = [listed(url, published_at=NOW - timedelta(minutes=number)) for number, url in enumerate(urls)]
    await collect(database, one, *entries[:5])
    await collect(database, two, *entries[4:])
    await database.write(save_marks_of, urls[1::2], {mark: True}, NOW)
    await database.write(save_marks_of, urls[4:5], {mark: True, "read": True}, NOW)
    wanted = ItemFilter(**{mark: True})
    seen: list[str] = []
    cursor = None
    while True:
        page = await database.read(load_item_page, wanted, limit=2, cursor=cursor)
        seen += [item.url for item in page.items]
        cursor = page.next
        if cursor is None:
            break
        assert len(page.items) == 2
    assert seen == [urls[number] for number in (1, 3, 4, 4, 5, 7)]
    unread = await database.read(load_item_page, ItemFilter(**{mark: True}, unread=True), limit=9)
    assert [item.url for item in unread.items] == [urls[number] for number in (1, 3, 5, 7)]
