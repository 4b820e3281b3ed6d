"""The servers of the suite: real, shared, with separate databases for each test."""

from __future__ import annotations

import redis
from sqlalchemy import select, text

from inforadar.store.database import Database
from inforadar.store.schema.feeds import feeds


async def test_each_test_gets_a_migrated_and_empty_database(database: Database) -> None:
    assert await database.read(lambda connection: connection.execute(select(feeds)).all()) == []


async def test_the_server_is_a_postgresql(database: Database) -> None:
    version = "select sqlite_version()" if database.is_sqlite else "select version()"
    said = await database.read(lambda connection: connection.execute(text(version)).scalar_one())
    assert said.startswith("3." if database.is_sqlite else "PostgreSQL")


def test_redis_answers_and_is_empty(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("left behind", "by this test")


def test_redis_is_empty_again_for_the_next_test(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
