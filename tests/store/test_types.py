"""Times: aware, to the microsecond, the same on both databases, judged by the database's clock."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Connection, insert, literal, select, text, update
from sqlalchemy.exc import StatementError

from inforadar.model.run import RunKind
from inforadar.store.database import Database
from inforadar.store.runs.queries import load_report
from inforadar.store.runs.save import insert_run
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.hosts import hosts
from inforadar.store.schema.runs import runs
from inforadar.store.types import UtcDateTime, db_after, db_later, db_now, one_of, stored_form
from tests.store.making import NOW, add_feed, rows, set_schedule


async def test_a_time_without_a_zone_is_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="without a zone"):
        await database.write(insert_run, RunKind.FETCH, datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    "at",
    [
        datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=5, minutes=45))),
        datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=timezone(timedelta(hours=-11))),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
async def test_a_time_comes_back_to_the_microsecond_in_utc(database: Database, at: datetime) -> None:
    run = await database.write(insert_run, RunKind.FETCH, at)
    back = (await database.read(load_report, run)).started_at
    assert back == at
    assert back.utcoffset() == timedelta(0)


async def test_sqlite_keeps_times_as_text_that_sorts_by_time(database: Database) -> None:
    if not database.is_sqlite:
        return
    await database.write(insert_run, RunKind.FETCH, NOW)
    kept = await database.read(lambda c: c.execute(text("SELECT started_at FROM runs")).scalar())
    assert kept == "2026-03-14 15:09:26.535897"


async def test_the_databases_clock_is_right(database: Database) -> None:
    now = await database.read(lambda c: c.execute(select(db_now())).scalar_one())
    assert abs(now - datetime.now(UTC)) < timedelta(seconds=30)


@pytest.mark.parametrize("seconds", [0.25, 3600.0, -90.5, 604800.0])
async def test_later_is_that_many_seconds_from_now(database: Database, seconds: float) -> None:
    def ask(connection: Connection) -> timedelta:
        row = connection.execute(
            select(db_now().label("now"), db_later(literal(seconds)).label("then"))
        ).one()
        return row.then - row.now

    difference = await database.read(ask)
    assert abs(difference - timedelta(seconds=seconds)) < timedelta(milliseconds=2)


async def test_times_of_the_database_and_of_the_program_compare_rightly(database: Database) -> None:
    def compare(connection: Connection) -> list[str]:
        now = datetime.now(UTC)
        connection.execute(
            insert(hosts),
            [
                {"host": "past", "next_free_at": now - timedelta(seconds=30)},
                {"host": "future", "next_free_at": now + timedelta(seconds=30)},
                {"host": "long ago", "next_free_at": datetime(999, 1, 1, tzinfo=UTC)},
            ],
        )
        connection.execute(insert(hosts).values(host="before", next_free_at=db_later(-30.0)))
        connection.execute(insert(hosts).values(host="later", next_free_at=db_later(30.0)))
        by_clock = select(hosts.c.host).where(hosts.c.next_free_at <= db_now())
        by_program = select(hosts.c.host).where(hosts.c.next_free_at <= now)
        found = [sorted(connection.execute(query).scalars()) for query in (by_clock, by_program)]
        assert found[0] == found[1]
        return found[0]

    assert await database.write(compare) == ["before", "long ago", "past"]


async def test_a_time_that_a_program_writes_equals_the_same_time_of_the_database(database: Database) -> None:
    feed = await add_feed(database)
    await set_schedule(database, feed, build_at=db_now())
    (row,) = await rows(database, feed_schedules)
    same = select(feed_schedules.c.id).where(feed_schedules.c.build_at == row.build_at)
    assert await database.read(lambda c: c.execute(same).scalar()) == feed.id


async def test_a_mark_of_change_is_always_later_than_the_one_before(database: Database) -> None:
    feed = await add_feed(database)
    mark = update(feed_schedules).values(build_at=db_after(feed_schedules.c.build_at))

    def marks(connection: Connection) -> list[datetime]:
        found = []
        for _ in range(50):
            connection.execute(mark)
            found.append(connection.execute(select(feed_schedules.c.build_at)).scalar_one())
        return found

    seen = await database.write(marks)
    assert seen == sorted(set(seen))
    ahead = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    await set_schedule(database, feed, build_at=ahead)
    assert ahead < (await database.write(marks))[0] < ahead + timedelta(seconds=1)


async def test_a_row_without_a_time_gets_the_databases(database: Database) -> None:
    feed = await add_feed(database)
    assert abs(feed.created_at - datetime.now(UTC)) < timedelta(seconds=30)


def test_the_type_is_one_for_the_statement_cache() -> None:
    assert UtcDateTime.cache_ok
    assert runs.c.started_at.type.cache_ok


async def test_an_id_comes_back_as_any_other_uuid(database: Database) -> None:
    run = await database.write(insert_run, RunKind.FETCH, NOW)
    back = await database.read(lambda c: c.execute(select(runs.c.id)).scalar_one())
    assert (back, hash(back), str(back), pickle.loads(pickle.dumps(back))) == (run, hash(run), str(run), run)
    assert (
        await database.read(lambda c: c.execute(select(runs.c.id).where(one_of(runs.c.id, [back]))).scalar())
        == run
    )
    stored = await database.read(lambda c: c.execute(select(stored_form(runs.c.id))).scalar_one())
    found = await database.read(
        lambda c: c.execute(select(runs.c.id).where(one_of(runs.c.id, [stored]))).scalar()
    )
    assert found == run
