"""Fill a database with very many made-up items; the same number always gives the same items.

    python -m bench.api_fill NUMBER

Word frequencies are as unequal as in real texts: a few words are in every tenth item, most in hardly any. Some thousand
texts are made up here and repeat; the database itself makes the items, a million in a few minutes. As in real life,
the newest are stored last.
"""

from __future__ import annotations

import asyncio
import random
import sys
from itertools import accumulate
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, text

from bench.million_fill import HASH, ID, LATER, SERIES
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.store.database import Database
from inforadar.store.items.search_words import search_words
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.search import POSTGRESQL
from inforadar.urls import url_hash

FEEDS, SOURCES, TOPICS, SITES = 1000, 200, 20, 100
PART = 50_000
_TEXTS = 19_997
"""Has no factor in common with the number of feeds, so that each feed gets all texts."""
_SECONDS_APART = 30
_SYLLABLES = ("ba", "do", "fi", "ка", "ло", "ми", "ра", "ne", "su", "ti", "新", "闻", "北", "京", "報", "经")
COMMON, RARE = "word0", "word4000"
_VOCABULARY = [
    f"word{number}" if number % 4000 == 0 else _SYLLABLES[number % 16] * (1 + number % 3) + str(number)
    for number in range(8000)
]
_SHARES = list(accumulate(1 / (rank + 20) for rank in range(len(_VOCABULARY))))

_AT = {kind: later.format(seconds=f"(n - :number) * {_SECONDS_APART}") for kind, later in LATER.items()}
_SECOND = {
    "sqlite": "CAST(strftime('%s', {at}) AS INTEGER)",
    "postgresql": "CAST(extract(epoch FROM {at}) AS bigint)",
}
_FEED_ID = {kind: id_.replace("n + 1", f"n % {FEEDS} + 1") for kind, id_ in ID.items()}
_ITEMS = """
    INSERT INTO items (id, hash, feed_id, url, uid, pub_date, title, snippet, content, score, analyzed_at)
    {series}
    SELECT {id}, {hash}, {feed_id}, 'https://site' || (n % {sites}) || '.example/news/' || n,
           substr({hash}, 1, 16), {at}, title, snippet, snippet || snippet || snippet || snippet,
           CASE WHEN n % 3 > 0 THEN n * 7919 % 100003 / 100003.0 END, CASE WHEN n % 3 > 0 THEN {at} END
    FROM s JOIN bench_texts t ON t.id = n % {texts}
"""
_WORDS = """
    INSERT INTO item_search (id, item_id, words)
    {series}
    SELECT {second} * 1073741824 + n, {id}, words FROM s JOIN bench_texts t ON t.id = n % {texts}
"""


def _feeds() -> list[dict[str, Any]]:
    return [
        {
            "id": UUID(int=number + 1),
            "url": f"https://site{number % SITES}.example/feed{number}",
            "url_hash": url_hash(f"https://site{number % SITES}.example/feed{number}"),
            "root_domain": f"site{number % SITES}.example",
            "source": f"Source {number % SOURCES}",
            "topic": f"topic {number % TOPICS}",
            "enabled": True,
            "options": {},
        }
        for number in range(FEEDS)
    ]


def _begin(connection: Connection, texts: int) -> None:
    known = _feeds()
    connection.execute(insert(feeds), known)
    connection.execute(insert(feed_schedules), [{"id": feed["id"]} for feed in known])
    dice = random.Random(1)
    rows = []
    for number in range(texts):
        picked = " ".join(dice.choices(_VOCABULARY, cum_weights=_SHARES, k=24))
        title, snippet = picked[:80], picked[80:]
        words = search_words((title, snippet))
        rows.append({"id": number, "title": title, "snippet": snippet, "words": words})
    connection.execute(
        text("CREATE TABLE bench_texts (id integer PRIMARY KEY, title text, snippet text, words text)")
    )
    connection.execute(text("INSERT INTO bench_texts VALUES (:id, :title, :snippet, :words)"), rows)
    # Created at the end, the indexes take a tenth of the time.
    for index in items.indexes:
        index.drop(connection)
    if connection.dialect.name == "postgresql":
        connection.execute(text("DROP INDEX ix_item_search_words"))


def _insert_part(connection: Connection, first: int, last: int, number: int) -> None:
    kind = connection.dialect.name
    words = {
        "series": SERIES[kind],
        "id": ID[kind],
        "hash": HASH[kind],
        "feed_id": _FEED_ID[kind],
        "sites": SITES,
        "texts": min(_TEXTS, number),
        "at": _AT[kind],
        "second": _SECOND[kind].format(at=_AT[kind]),
    }
    for statement in (_ITEMS, _WORDS):
        parameters = {"first": first, "last": last, "number": number}
        connection.execute(text(statement.format(**words)), parameters)
    # The words of these texts are already indexed.
    connection.execute(text("DELETE FROM search_queue"))


def _end(connection: Connection) -> None:
    connection.execute(text("DROP TABLE bench_texts"))
    is_postgresql = connection.dialect.name == "postgresql"
    room = "SET LOCAL maintenance_work_mem = '1GB'" if is_postgresql else "PRAGMA cache_size = -1000000"
    connection.exec_driver_sql(room)
    for index in items.indexes:
        index.create(connection)
    if is_postgresql:
        connection.exec_driver_sql(POSTGRESQL[0])


async def fill(database: Database, number: int) -> None:
    await database.write(_begin, min(_TEXTS, number))
    for first in range(0, number, PART):
        await database.write(_insert_part, first, min(first + PART, number), number)
    await database.write(_end)
    # Databases do this on their own sooner or later. (SQLite's VACUUM would rewrite the whole file.)
    if database.is_sqlite:
        await database.write(lambda c: c.execute(text("ANALYZE")))
    else:
        await database.vacuum()


async def _main(number: int) -> None:
    async with open_store(load_settings(), upgrade=True) as database:
        await fill(database, number)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
