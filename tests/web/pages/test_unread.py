"""What is unread, counted behind the page."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from inforadar.errors import StoreError
from inforadar.model.person import FIRST_PERSON
from inforadar.store.change_count import ChangeCount
from inforadar.store.database import Database
from inforadar.store.people.sidebar import Totals
from inforadar.web.pages.unread import UnreadCounts


class SlowDatabase:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[asyncio.Future[Totals]] = []

    async def read(self, *_: Any) -> Totals:
        self.asked.append(asyncio.get_running_loop().create_future())
        return await self.asked[-1]


def counts(number: int) -> Totals:
    return Totals(all=9, unread=number, starred=0, archived=0)


async def answered(unread: UnreadCounts, database: SlowDatabase, number: int) -> Totals | None:
    loading = asyncio.create_task(unread.load(FIRST_PERSON))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    database.asked[-1].set_result(counts(number))
    return await loading


async def test_a_page_does_not_wait_for_a_slow_count_and_the_next_one_has_it() -> None:
    database, marks = SlowDatabase(), ChangeCount()
    unread = UnreadCounts(cast("Database", database), marks)
    assert await unread.load(FIRST_PERSON) is None
    database.asked[0].set_result(counts(3))
    assert await unread.load(FIRST_PERSON) == counts(3)
    assert len(database.asked) == 1


async def test_numbers_are_counted_anew_once_something_was_marked() -> None:
    database, marks = SlowDatabase(), ChangeCount()
    unread = UnreadCounts(cast("Database", database), marks)
    assert await answered(unread, database, 3) == counts(3)
    assert await unread.load(FIRST_PERSON) == counts(3)
    marks.add()
    assert await answered(unread, database, 2) == counts(2)


async def test_a_mark_made_while_counting_is_counted_by_the_next_page() -> None:
    database, marks = SlowDatabase(), ChangeCount()
    unread = UnreadCounts(cast("Database", database), marks)
    loading = asyncio.create_task(unread.load(FIRST_PERSON))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    marks.add()
    database.asked[0].set_result(counts(3))
    assert await loading == counts(3)
    assert await answered(unread, database, 2) == counts(2)


async def test_a_database_that_fails_leaves_the_numbers_as_they_were() -> None:
    database, marks = SlowDatabase(), ChangeCount()
    unread = UnreadCounts(cast("Database", database), marks)
    await answered(unread, database, 3)
    marks.add()
    loading = asyncio.create_task(unread.load(FIRST_PERSON))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    database.asked[-1].set_exception(StoreError("The database does not answer."))
    assert await loading == counts(3)


async def test_nobody_has_no_numbers() -> None:
    assert await UnreadCounts(cast("Database", SlowDatabase()), ChangeCount()).load(None) is None
