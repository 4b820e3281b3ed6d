"""A database with very many items, made up; the same for the same number.

    python -m bench.api_fill NUMBER

Words are as unequal as in real texts: a few stand in every tenth item, most in hardly any.
"""

from __future__ import annotations

import asyncio
import random
import sys
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, insert, text

from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.model.ids import FeedId, ItemId, new_uuid
from inforadar.store.engine import Database
from inforadar.store.schema import feed_schedules, feeds, items
from inforadar.store.search import search_id
from inforadar.store.search_schema import item_search, search_queue
from inforadar.store.search_words import search_words
from inforadar.urls import uid, url_hash

FEEDS, SOURCES, TOPICS, SITES = 1000, 200, 20, 100
PART = 5000
_SYLLABLES = ("ba", "do", "fi", "ка", "ло", "ми", "ра", "ne", "su", "ti", "新", "闻", "北", "京", "報", "经")
COMMON, RARE = "word0", "word4000"
_VOCABULARY = [
    f"word{number}" if number % 4000 == 0 else _SYLLABLES[number % 16] * (1 + number % 3) + str(number)
    for number in range(8000)
]
_SHARES = list(accumulate(1 / (rank + 20) for rank in range(len(_VOCABULARY))))


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


def _insert_part(connection: Connection, first: int, number: int, newest: datetime) -> None:
    dice = random.Random(first)
    rows, words = [], []
    for index in range(first, first + number):
        picked = " ".join(dice.choices(_VOCABULARY, cum_weights=_SHARES, k=24))
        title, snippet = picked[:80], picked[80:]
        url = f"https://site{index % SITES}.example/news/{index}"
        id_ = ItemId(new_uuid())
        at = newest - timedelta(seconds=index * 30)
        score = dice.random() if index % 3 else None
        rows.append(
            {
                "id": id_,
                "hash": url_hash(url),
                "feed_id": FeedId(UUID(int=index % FEEDS + 1)),
                "url": url,
                "uid": uid(url),
                "pub_date": at,
                "title": title,
                "snippet": snippet,
                "content": snippet * 4,
                "score": score,
                "analyzed_at": None if score is None else at,
                "analyzer_result": {},
            }
        )
        words.append({"id": search_id(id_, at), "item_id": id_, "words": search_words((title, snippet))})
    connection.execute(insert(items), rows)
    connection.execute(insert(item_search), words)


async def fill(database: Database, number: int) -> None:
    known = _feeds()
    await database.write(lambda c: c.execute(insert(feeds), known))
    await database.write(lambda c: c.execute(insert(feed_schedules), [{"id": feed["id"]} for feed in known]))
    newest = datetime.now(UTC)
    for first in range(0, number, PART):
        await database.write(_insert_part, first, min(PART, number - first), newest)
    # Their words are there already.
    await database.write(lambda c: c.execute(delete(search_queue)))
    await database.write(lambda c: c.execute(text("ANALYZE")))


async def _main(number: int) -> None:
    async with open_store(load_settings(), upgrade=True) as database:
        await fill(database, number)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
