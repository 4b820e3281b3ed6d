"""Hostile and odd input on both databases: bounded work for an item, and no story that swallows the others.

Work is counted in statements, loaded items and compared pairs, not in seconds: a machine may be busy.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, delete, event, insert, literal, select, update
from sqlalchemy.engine import Engine

from inforadar.model.feed import Feed
from inforadar.model.ids import ItemId, StoryId
from inforadar.model.item import Listed
from inforadar.pipeline.group import placing as placing_module
from inforadar.stages.group import grouper as grouper_module
from inforadar.stages.group.pair_score import PairScore, score_pair
from inforadar.stages.group.window import MAX_CANDIDATES
from inforadar.store.database import Database
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items, story_keys, story_queue
from inforadar.store.stories.growth import MANY_MEMBERS
from inforadar.store.stories.window import MAX_ENDS, Neighbours, StoredMember, load_ends, load_neighbours
from tests.pipeline.group.test_stage import BUDGET, QUAKE, QUAKE_2, stage
from tests.store.making import add_feed, collect, count, listed, rows

MOST_PAIRS = 200
"""For an item: its candidates, and a few members of each of two stories before they are merged."""
MOST_STATEMENTS = 40
"""For a batch without merges, however many items it has."""
QUAKE_TITLE = "Earthquake in Grandel kills seven, mayor Torvald says"


@dataclass
class Work:
    """What the stage did."""

    pairs: int = 0
    statements: int = 0
    loaded: int = 0
    completed: Set[StoryId] = frozenset()
    """The stories whose first and last members were loaded."""


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    done = Work()

    def scored(*given: Any) -> PairScore:
        done.pairs += 1
        return score_pair(*given)

    def loaded(*given: Any, **named: Any) -> Neighbours:
        found = load_neighbours(*given, **named)
        done.loaded += len(found.members)
        return found

    def completed(connection: Connection, wanted: Set[StoryId], known: Set[ItemId]) -> list[StoredMember]:
        members = load_ends(connection, wanted, known)
        done.completed = frozenset(wanted)
        done.loaded += len(members)
        return members

    def executed(*_: Any) -> None:
        done.statements += 1

    monkeypatch.setattr(grouper_module, "score_pair", scored)
    monkeypatch.setattr(placing_module, "load_neighbours", loaded)
    monkeypatch.setattr(placing_module, "load_ends", completed)
    event.listen(Engine, "before_cursor_execute", executed)
    yield done
    event.remove(Engine, "before_cursor_execute", executed)


async def place(database: Database, work: Work, feed: Feed, *told: Listed) -> Work:
    """Collect items, place them, and return what it took."""
    await collect(database, feed, *told)
    work.pairs = work.statements = work.loaded = 0
    work.completed = frozenset()
    assert await stage(database).run_once() == len(told)
    return replace(work)


async def stories_by_url(database: Database) -> dict[str, StoryId]:
    """The story of every item, of more of them than a story shows."""
    query = select(items.c.url, story_items.c.story_id).join(story_items, story_items.c.item_id == items.c.id)
    return await database.read(
        lambda connection: {row.url: row.story_id for row in connection.execute(query)}
    )


async def test_500_equal_titles_are_stories_of_their_own_and_compared_within_bounds(
    database: Database, work: Work
) -> None:
    feed = await add_feed(database)
    titles = ["Newsletter"] * 480 + ["Grandel"] * 20
    told = [listed(f"https://example.com/{n}", title=title) for n, title in enumerate(titles)]
    done = await place(database, work, feed, *told)
    assert await count(database, stories) == 500
    assert done.pairs <= 500 * (MAX_CANDIDATES + 1)
    assert done.statements <= 10 * MOST_STATEMENTS
    assert done.loaded <= 500 * MAX_CANDIDATES


def _repeat(connection: Connection, number: int, at: datetime, *, as_copies: bool) -> None:
    """Let the one item that is stored be followed by as many others, in its story and under its keys."""
    original = connection.execute(select(items)).one()
    urls = [f"https://example.com/again/{n}" for n in range(number)]
    given = {
        "feed_id": original.feed_id,
        "title": original.title,
        "content": original.content,
        "pub_date": at,
    }
    connection.execute(
        insert(items),
        [
            {"id": UUID(int=n + 1), "hash": sha256(url.encode()).hexdigest(), "url": url, "uid": f"{n:016x}"}
            | given
            for n, url in enumerate(urls)
        ],
    )
    connection.execute(delete(story_queue))
    s, k = story_items.c, story_keys.c
    added = items.c.id != original.id
    same = literal(original.id, items.c.id.type) if as_copies else s.copy_of
    placed = select(items.c.id, s.story_id, items.c.pub_date, same, s.signature, s.version).join_from(
        items, story_items, s.item_id == original.id
    )
    names = ["item_id", "story_id", "at", "copy_of", "signature", "version"]
    connection.execute(insert(story_items).from_select(names, placed.where(added)))
    found_by = select(k.key, items.c.pub_date, items.c.id).join_from(
        items, story_keys, k.item_id == original.id
    )
    connection.execute(insert(story_keys).from_select(["key", "at", "item_id"], found_by.where(added)))
    connection.execute(update(stories).values(item_count=number + 1))


async def test_a_story_of_5000_is_loaded_and_compared_by_a_few_of_its_members(
    database: Database, work: Work
) -> None:
    feed = await add_feed(database)
    await place(database, work, feed, listed("https://example.com/1", title=QUAKE_TITLE, content=QUAKE))
    ((story, at),) = [(row.story_id, row.at) for row in await rows(database, story_items)]
    await database.write(_repeat, 5000, at, as_copies=False)
    title = "Seven dead as quake hits Grandel in Bolvania, part"
    told = [
        listed(f"https://example.com/new/{n}", title=f"{title} {n}", content=f"{QUAKE_2} Part {n}.")
        for n in range(10)
    ]
    other = listed("https://example.com/other", title="Sorrenia passes budget", content=BUDGET)
    done = await place(database, work, feed, *told, other)
    found = await stories_by_url(database)
    assert {found[one.url] for one in told} == {story}
    assert found[other.url] != story
    assert done.pairs <= len(told) * MOST_PAIRS
    assert done.statements <= MOST_STATEMENTS
    assert done.loaded <= len(told) * MAX_CANDIDATES + 2 * MAX_ENDS


async def test_a_text_repeated_5000_times_is_a_copy_that_is_compared_with_nothing(
    database: Database, work: Work
) -> None:
    feed = await add_feed(database)
    await place(database, work, feed, listed("https://example.com/1", title="Again", content=BUDGET))
    ((first, at),) = [(row.item_id, row.at) for row in await rows(database, story_items)]
    await database.write(_repeat, 5000, at, as_copies=True)
    told = [listed(f"https://example.com/new/{n}", title="Again", content=BUDGET) for n in range(10)]
    done = await place(database, work, feed, *told)
    assert done.pairs == 0
    assert done.loaded <= len(told) * MAX_CANDIDATES + 2 * MAX_ENDS
    assert {row.copy_of for row in await rows(database, story_items)} == {None, first}


async def test_texts_made_of_the_words_of_all_stories_join_none_of_them_and_merge_nothing(
    database: Database, work: Work
) -> None:
    feed = await add_feed(database)
    told = [
        listed(
            f"https://example.com/{n}",
            title=f"Mayor Alma{n} opens bridge{n} in Town{n}",
            content=f"Mayor Alma{n} opened the bridge{n} over the river Flo{n} in Town{n} on Monday, {n + 20} years "
            f"after the plans of Architect{n} were drawn, the council of Town{n} said in a statement.",
        )
        for n in range(40)
    ]
    await place(database, work, feed, *told)
    before = await stories_by_url(database)
    everything = " ".join(f"Alma{n} bridge{n} Town{n} Flo{n} Architect{n} {n + 20}" for n in range(40))
    baits = [
        listed(
            f"https://bait.example/{n}", title=f"Everything {n}: {everything}", content=f"{n} {everything}"
        )
        for n in range(10)
    ]
    done = await place(database, work, feed, *baits)
    after = await stories_by_url(database)
    assert len({before[one.url] for one in told}) == 40
    assert {url: after[url] for url in before} == before
    assert not {after[one.url] for one in baits} & set(before.values())
    assert done.pairs <= len(baits) * MOST_PAIRS
    assert done.statements <= MOST_STATEMENTS


async def test_texts_of_thirty_words_cost_no_more_than_others(database: Database, work: Work) -> None:
    """Every item shares most of its words with every other one, as on a farm of made-up feeds."""
    feed = await add_feed(database)
    words = [
        f"{first}{second}ra" for first in ("bal", "dom", "fin", "kal", "lor", "min") for second in "aeiou"
    ]

    def text(number: int, length: int) -> str:
        return " ".join(
            words[(number * 7 + place * place * (number % 5 + 1)) % 30] for place in range(length)
        )

    told = [
        listed(f"https://example.com/{n}", title=text(n, 8), content=f"{text(n + 1, 50)} {n}.")
        for n in range(150)
    ]
    done = await place(database, work, feed, *told)
    assert done.pairs <= len(told) * MOST_PAIRS
    assert done.loaded <= len(told) * MAX_CANDIDATES
    assert done.statements <= 3 * MOST_STATEMENTS


async def test_a_date_in_the_future_keeps_no_story_open(database: Database, work: Work) -> None:
    feed = await add_feed(database)
    await place(database, work, feed, listed("https://example.com/1", title=QUAKE_TITLE, content=QUAKE))
    (row,) = await rows(database, story_items)
    ahead = row.at + timedelta(days=400)
    await place(
        database,
        work,
        feed,
        listed("https://example.com/2", title=QUAKE_TITLE, content=QUAKE_2, published_at=ahead),
    )
    (story,) = await rows(database, stories)
    assert story.item_count == 2
    assert story.last_at < ahead - timedelta(days=300)


async def test_of_all_that_share_a_word_only_the_likeliest_are_loaded(database: Database, work: Work) -> None:
    feed = await add_feed(database)
    await place(
        database, work, feed, *(listed(f"https://example.com/{n}", title="Newsletter") for n in range(30))
    )
    found = [row for row in await rows(database, story_keys) if row.key.startswith("@")]
    weights = [(row.key, float(number)) for number, row in enumerate(found)]
    span = (found[0].at - timedelta(days=1), found[0].at + timedelta(days=1))
    wanted = {ItemId(UUID(int=1)): weights}
    loaded = await database.read(load_neighbours, wanted, {}, *span, most=5, most_per_key=60)
    assert {member.item_id for member in loaded.members} == {row.item_id for row in found[-5:]}


async def test_a_story_that_only_shares_a_word_is_not_loaded_any_further(
    database: Database, work: Work
) -> None:
    feed = await add_feed(database)
    told = [
        listed(
            f"https://example.com/quake/{n}", title=QUAKE_TITLE, content=f"{QUAKE} Reporter {n} was there."
        )
        for n in range(4)
    ]
    await place(database, work, feed, *told)
    (story,) = await rows(database, stories)
    # It has more members than an item's words find.
    await database.write(lambda connection: connection.execute(update(stories).values(item_count=20)))
    other = listed("https://example.com/choir", title="Choir of Grandel wins first prize", content=BUDGET)
    elsewhere = await place(database, work, feed, other)
    assert (elsewhere.loaded, elsewhere.completed) == (4, frozenset())
    again = listed("https://example.com/quake/again", title=QUAKE_TITLE, content=QUAKE_2)
    assert (await place(database, work, feed, again)).completed == {story.id}


async def test_a_large_story_grows_without_being_counted_again(database: Database, work: Work) -> None:
    feed = await add_feed(database, source="Alpha")
    await place(database, work, feed, listed("https://example.com/1", title=QUAKE_TITLE, content=QUAKE))
    (first,) = await rows(database, story_items)
    await database.write(_repeat, MANY_MEMBERS, first.at, as_copies=False)
    # More than its members have: a story that is counted anew has one.
    await database.write(lambda connection: connection.execute(update(stories).values(source_count=7)))
    again = listed("https://example.com/2", title=QUAKE_TITLE, content=QUAKE_2)
    await place(database, work, feed, again)
    (story,) = await rows(database, stories)
    assert (story.item_count, story.source_count, story.began_at) == (MANY_MEMBERS + 2, 7, first.at)
    other = await add_feed(database, "https://other.example/feed", source="Beta")
    await place(
        database,
        work,
        other,
        listed("https://other.example/1", title=QUAKE_TITLE, content=QUAKE_2 + " Beta."),
    )
    (story,) = await rows(database, stories)
    assert (story.item_count, story.source_count) == (MANY_MEMBERS + 3, 8)
    assert story.last_at == max(row.at for row in await rows(database, story_items))
