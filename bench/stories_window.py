"""What placing an item costs in a full window: `python -m bench stories --window N [--archive M] [--database KIND]`.

The window gets N made-up items at once, in the form in which the stage stores them; beside them are M older ones, which
the stage no longer compares. Then the stage places new items, and the CPU time of the worker and of the database is
divided by their number. There are three kinds of texts:

    news       words as unequal as in real texts; half of the items tell of events that others tell of too
    thirty     texts made of thirty words: every item shares words with every other one
    bait       new items that repeat the rarest words of many events of the window, as an attacker would
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
from sqlalchemy import Connection, delete, func, insert, select

from bench.farm import database as running_database
from bench.farm import tree_cpu_s
from inforadar.model.ids import StoryId
from inforadar.pipeline.group.stage import GroupStage
from inforadar.stages.group.copies import make_print
from inforadar.stages.group.signature import make_signature
from inforadar.stages.group.similarity import weigh
from inforadar.stages.group.stored import signature_to_json
from inforadar.stages.group.vocabulary import Vocabulary
from inforadar.stages.group.window import WINDOW, copy_keys, heavy_keys
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.schema.items import items
from inforadar.store.schema.search import search_queue
from inforadar.store.schema.stories import (
    stories,
    story_items,
    story_keys,
    story_queue,
    story_state,
    story_words,
)
from inforadar.store.upkeep.upgrade import upgrade_database

KINDS = ("news", "thirty", "bait")
FEEDS = 50
PLACED = 500
PART = 5000
LEAD_WORDS = 110
_SYLLABLES = (
    "ba",
    "do",
    "fi",
    "ka",
    "lo",
    "mi",
    "ra",
    "ne",
    "su",
    "ti",
    "vor",
    "gel",
    "hun",
    "pe",
    "zo",
    "qua",
)


def _word(number: int) -> str:
    made = ""
    while True:
        number, rest = divmod(number, len(_SYLLABLES))
        made += _SYLLABLES[rest]
        if not number:
            return made


COMMON = [_word(number + 300) for number in range(20_000)]
_SHARES = list(accumulate(1 / (rank + 10) for rank in range(len(COMMON))))
THIRTY = COMMON[:30]


@dataclass(frozen=True, slots=True)
class Made:
    """An item that was made up."""

    title: str
    text: str
    story: int


class World:
    """Makes items up; the same seed gives the same ones."""

    def __init__(self, kind: str, size: int) -> None:
        self._dice = random.Random(f"{kind} {size}")
        self._kind = kind
        self._events = max(20, size // 16)
        self._made = 0

    def item(self, *, is_new: bool = False) -> Made:
        self._made += 1
        if self._kind == "thirty":
            picked = self._dice.choices(THIRTY, k=60)
            return Made(
                " ".join(picked[:8]).capitalize(), f"{' '.join(picked[8:]).capitalize()}.", self._made
            )
        if self._kind == "bait" and is_new:
            rare = [word for _ in range(30) for word in self._event(self._dice.randrange(self._events))]
            return Made(" ".join(rare[:12]), " ".join(rare), self._made)
        if self._dice.random() < 0.5:
            return self._tell(self._events + self._made)
        return self._tell(int(self._events * self._dice.random() ** 2))

    def _event(self, number: int) -> list[str]:
        dice = random.Random(number)
        names = [_word(20_400 + dice.randrange(40_000)).capitalize() for _ in range(4)]
        return [*names, *dice.choices(COMMON[1000:], k=6), str(dice.randrange(10, 3000))]

    def _tell(self, event: int) -> Made:
        own = self._event(event)
        words = self._dice.choices(COMMON, cum_weights=_SHARES, k=LEAD_WORDS)
        for word in own * 2:
            words[self._dice.randrange(LEAD_WORDS)] = word
        title = [*own[:2], *words[:4], self._dice.choice(own[4:])]
        sentences = [" ".join(words[place : place + 14]) for place in range(0, LEAD_WORDS, 14)]
        return Made(" ".join(title), ". ".join(one[:1].upper() + one[1:] for one in sentences), event)


def _rows(made: Sequence[Made], first: int, feeds: Sequence[UUID], newest: datetime) -> list[dict[str, Any]]:
    rows = []
    for number, one in enumerate(made, first):
        url = f"https://site{number % FEEDS}.example/news/{number}"
        rows.append(
            {
                "id": UUID(int=number + 1),
                "hash": sha256(url.encode()).hexdigest(),
                "feed_id": feeds[number % FEEDS],
                "url": url,
                "uid": f"{number:016x}",
                "title": one.title,
                "content": one.text,
                "pub_date": newest - timedelta(seconds=number * 7919 % int(WINDOW.total_seconds())),
            }
        )
    return rows


def _fill_feeds(connection: Connection) -> list[UUID]:
    return [
        insert_feed(connection, f"https://site{n}.example/feed", enabled=True, source=f"Site {n}")[0].id
        for n in range(FEEDS)
    ]


def _fill_window(connection: Connection, world: World, size: int, feeds: Sequence[UUID]) -> None:
    """Store items as the stage would have, each in the story of its event."""
    vocabulary, known = Vocabulary(), set[int]()
    newest = datetime.now(UTC)
    for first in range(0, size, PART):
        made = [world.item() for _ in range(min(PART, size - first))]
        rows = _rows(made, first, feeds, newest)
        new = {one.story for one in made} - known
        known |= new
        if new:
            at = {"began_at": newest - WINDOW, "last_at": newest}
            connection.execute(insert(stories), [{"id": _story(number), **at} for number in sorted(new)])
        placed, keys = [], []
        for one, row in zip(made, rows, strict=True):
            signature, casing = make_signature(one.title, one.text)
            vocabulary.learn(signature, casing)
            text = make_print(one.title, one.text)
            heavy = [key for key, _ in heavy_keys(weigh(signature, vocabulary))]
            placed.append(
                {
                    "item_id": row["id"],
                    "story_id": _story(one.story),
                    "at": row["pub_date"],
                    "signature": signature_to_json(signature, text, row["url"], vocabulary),
                    "version": 1,
                }
            )
            keys += [
                {"key": key, "at": row["pub_date"], "item_id": row["id"]}
                for key in dict.fromkeys([*heavy, *copy_keys(text, row["url"])])
            ]
        connection.execute(insert(items), rows)
        connection.execute(insert(story_items), placed)
        connection.execute(insert(story_keys), keys)
        connection.execute(delete(story_queue))
        connection.execute(delete(search_queue))
    words = [
        {"key": key, "item_count": count.items, "capital": count.capital, "small": count.small}
        for key, count in vocabulary.counts.items()
    ]
    if words:
        connection.execute(insert(story_words), words)
    connection.execute(insert(story_state), [{"id": 1, "version": 1, "counted": size}])


def _fill_archive(connection: Connection, first: int, size: int, feeds: Sequence[UUID]) -> None:
    """Store older items, each a story of its own that nothing is compared with any more."""
    long_ago = datetime.now(UTC) - timedelta(days=30)
    for start in range(first, first + size, PART):
        made = [
            Made(f"Item {number} of the archive", "", number)
            for number in range(start, min(start + PART, first + size))
        ]
        rows = _rows(made, start, feeds, long_ago)
        connection.execute(insert(items), rows)
        told = [{"id": row["id"], "began_at": long_ago, "last_at": long_ago, "item_count": 1} for row in rows]
        connection.execute(insert(stories), told)
        old = {"at": long_ago, "joined_at": long_ago, "version": 1}
        connection.execute(
            insert(story_items), [{"item_id": row["id"], "story_id": row["id"], **old} for row in rows]
        )
        connection.execute(delete(story_queue))
        connection.execute(delete(search_queue))


def _story(number: int) -> StoryId:
    return StoryId(UUID(int=(1 << 64) + number))


async def _place(database: Database, world: World, first: int, feeds: Sequence[UUID]) -> None:
    """Add new items and let the stage place them."""
    made = [world.item(is_new=True) for _ in range(PLACED)]
    rows = _rows(made, first, feeds, datetime.now(UTC))
    await database.write(lambda connection: connection.execute(insert(items), rows))
    stage = GroupStage(database=database, now=lambda: datetime.now(UTC), use_vectors=False)
    assert await stage.run_once() == PLACED


async def _measure(url: str, server: psutil.Process | None, kind: str, size: int, archive: int) -> None:
    async with open_database(url) as database:
        await upgrade_database(database)
        feeds = await database.write(_fill_feeds)
        world = World(kind, size)
        await database.write(_fill_window, world, size, feeds)
        await database.write(_fill_archive, size + PLACED, archive, feeds)
        if server is not None:
            await database.write(lambda connection: connection.exec_driver_sql("ANALYZE"))
        before, server_before = time.process_time(), tree_cpu_s(server)
        await _place(database, world, size, feeds)
        used, server_used = time.process_time() - before, tree_cpu_s(server) - server_before
        found = await database.read(_largest)
    together = (used + server_used) / PLACED * 1000
    print(
        f"  {database.name:<11} {kind:<7} {size:>7,} {archive:>8,} {used / PLACED * 1000:>8.2f}"
        f" {server_used / PLACED * 1000:>9.2f} {together:>9.2f} {found:>8,}",
        flush=True,
    )


def _largest(connection: Connection) -> int:
    """The number of items in the story to which most of the new items were added."""
    new = select(story_items.c.story_id, func.count().label("number")).where(story_items.c.version > 1)
    each = new.group_by(story_items.c.story_id).subquery()
    return connection.execute(select(func.max(each.c.number))).scalar_one()


def run_window(size: int, archive: int, databases: Sequence[str], kinds: Sequence[str]) -> None:
    """Print the CPU time that each of the newly placed items took, in milliseconds."""
    print(f"{PLACED} new items, CPU in ms an item")
    head = ("texts", "window", "archive", "worker", "database", "together", "most in one story")
    print(f"  {'database':<11} {head[0]:<7}", *(f"{name:>8}" for name in head[1:]))
    for name in databases:
        for kind in kinds:
            for filled, older in ((size // 10, 0), (size, 0), (size, archive)):
                with (
                    tempfile.TemporaryDirectory(prefix="inforadar-stories-") as folder,
                    running_database(name, Path(folder)) as (url, server),
                ):
                    asyncio.run(_measure(url, server, kind, filled, older))
