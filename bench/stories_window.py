"""What placing an item costs in a full window: `python -m bench stories --window N [--archive M] [--database KIND]`.

The window gets N made-up items at once, in the form in which the stage stores them; beside them are M older ones, which
the stage no longer compares. Then the stage places new items, and the CPU time of the worker and of the database is
divided by their number; `largest` is the number of them that came into one story. There are four kinds of texts:

    fresh      news, right after the whole window came at once: PostgreSQL has not vacuumed it and has no statistics
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
from sqlalchemy import Connection, delete, func, insert, select, update

from bench.farm import database as running_database
from bench.farm import tree_cpu_s
from inforadar.model.ids import StoryId
from inforadar.pipeline.group.stage import GroupStage
from inforadar.stages.group.copies import make_print
from inforadar.stages.group.signature import make_signature
from inforadar.stages.group.similarity import weigh
from inforadar.stages.group.stored import weighed_to_json
from inforadar.stages.group.vocabulary import Vocabulary
from inforadar.stages.group.window import WINDOW, copy_keys, heavy_keys
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.rows import insert_rows, stored_id, stored_time
from inforadar.store.schema.items import items
from inforadar.store.schema.search import search_queue
from inforadar.store.schema.stories import stories, story_items, story_keys, story_queue
from inforadar.store.stories.save import lock_state, next_version, save_counts
from inforadar.store.types import one_of
from inforadar.store.upkeep.upgrade import upgrade_database

KINDS = ("news", "thirty")
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

    def item(self, *, is_bait: bool = False) -> Made:
        self._made += 1
        if self._kind == "thirty":
            picked = self._dice.choices(THIRTY, k=60)
            return Made(
                " ".join(picked[:8]).capitalize(), f"{' '.join(picked[8:]).capitalize()}.", self._made
            )
        if is_bait:
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


def _fill_window(
    connection: Connection, world: World, first: int, size: int, feeds: Sequence[UUID], known: set[int]
) -> None:
    """Store items as the stage would have, each in the story of its event."""
    vocabulary, newest = Vocabulary(), datetime.now(UTC)
    for start in range(first, size, PART):
        made = [world.item() for _ in range(min(PART, size - start))]
        rows = _rows(made, start, feeds, newest)
        new = {one.story for one in made} - known
        known |= new
        if new:
            at = {"began_at": newest - WINDOW, "last_at": newest, "item_count": 0}
            connection.execute(insert(stories), [{"id": _story(number), **at} for number in sorted(new)])
        placed, keys = [], []
        for one, row in zip(made, rows, strict=True):
            signature, casing = make_signature(one.title, one.text)
            vocabulary.learn(signature, casing)
            text = make_print(one.title, one.text)
            weighed = weigh(signature, vocabulary)
            placed.append(
                {
                    "item_id": row["id"],
                    "story_id": _story(one.story),
                    "at": row["pub_date"],
                    "signature": weighed_to_json(weighed, text, row["url"]),
                    "version": 1,
                }
            )
            found_by = [*(key for key, _ in heavy_keys(weighed)), *copy_keys(text, row["url"])]
            at, id_ = stored_time(connection, row["pub_date"]), stored_id(connection, row["id"])
            keys += [(key, at, id_) for key in dict.fromkeys(found_by)]
        connection.execute(insert(items), rows)
        connection.execute(insert(story_items), placed)
        insert_rows(connection, insert(story_keys), ("key", "at", "item_id"), keys)
        connection.execute(delete(story_queue))
        connection.execute(delete(search_queue))
    _count_members(connection)
    save_counts(
        connection,
        {key: (count.items, count.capital, count.small) for key, count in vocabulary.counts.items()},
    )
    next_version(connection, lock_state(connection), size - first)


def _count_members(connection: Connection) -> None:
    members = story_items.c.story_id == stories.c.id
    connection.execute(
        update(stories).values(
            item_count=select(func.count()).where(members).scalar_subquery(),
            began_at=select(func.min(story_items.c.at)).where(members).scalar_subquery(),
            last_at=select(func.max(story_items.c.at)).where(members).scalar_subquery(),
        )
    )


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


@dataclass(slots=True)
class Trial:
    """A database that is filled step by step."""

    database: Database
    server: psutil.Process | None
    feeds: Sequence[UUID]
    added: int = 1 << 40
    """The number of the next new item."""

    async def place(self, world: World, kind: str, size: int, archive: int) -> None:
        """Add new items, let the stage place them, and print what it cost."""
        made = [world.item(is_bait=kind == "bait") for _ in range(PLACED)]
        rows = _rows(made, self.added, self.feeds, datetime.now(UTC))
        self.added += PLACED
        await self.database.write(lambda connection: connection.execute(insert(items), rows))
        stage = GroupStage(database=self.database, now=lambda: datetime.now(UTC), use_vectors=False)
        before, server_before = time.process_time(), tree_cpu_s(self.server)
        assert await stage.run_once() == PLACED
        used, server_used = time.process_time() - before, tree_cpu_s(self.server) - server_before
        largest = await self.database.read(_largest, [row["id"] for row in rows])
        together = (used + server_used) / PLACED * 1000
        print(
            f"  {self.database.url.get_backend_name():<11} {kind:<7} {size:>8,} {archive:>8,}"
            f" {used / PLACED * 1000:>8.2f} {server_used / PLACED * 1000:>8.2f} {together:>8.2f} {largest:>8,}",
            flush=True,
        )


def _largest(connection: Connection, new: Sequence[UUID]) -> int:
    """How many of the new items are in one story."""
    each = select(func.count().label("number")).where(one_of(story_items.c.item_id, list(new)))
    found = each.group_by(story_items.c.story_id).subquery()
    return int(connection.execute(select(func.max(found.c.number))).scalar_one())


async def _measure(url: str, server: psutil.Process | None, vocabulary: str, size: int, archive: int) -> None:
    async with open_database(url) as database:
        await upgrade_database(database)
        trial = Trial(database, server, await database.write(_fill_feeds))
        world, known, filled = World(vocabulary, size), set[int](), 0
        for part in (size // 10, size):
            await database.write(_fill_window, world, filled, part, trial.feeds, known)
            filled = part
            if not database.is_sqlite:
                await trial.place(world, "fresh", part, 0)
                # A window takes three days to fill; a running server does this by itself long before.
                await database.vacuum()
            await trial.place(world, vocabulary, part, 0)
        if vocabulary == "news":
            await trial.place(world, "bait", size, 0)
            await database.write(_fill_archive, size, archive, trial.feeds)
            await trial.place(world, "news", size, archive)


def run_window(size: int, archive: int, databases: Sequence[str], vocabularies: Sequence[str]) -> None:
    """Print the CPU time that each of the newly placed items took, in milliseconds."""
    print(f"{PLACED} new items, CPU in ms for each")
    head = ("window", "archive", "worker", "database", "both", "largest")
    print(f"  {'database':<11} {'texts':<7}", *(f"{name:>8}" for name in head))
    for name in databases:
        for vocabulary in vocabularies:
            with (
                tempfile.TemporaryDirectory(prefix="inforadar-stories-") as folder,
                running_database(name, Path(folder)) as (url, server),
            ):
                asyncio.run(_measure(url, server, vocabulary, size, archive))
