"""The grouping stage on both databases: stories, copies, hand-made decisions, several workers."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import update

from inforadar.clock import utc_now
from inforadar.model.ids import StoryId
from inforadar.pipeline.group.stage import GroupStage
from inforadar.stages.group.copies import make_print
from inforadar.stages.group.signature import make_signature
from inforadar.stages.group.vocabulary import casing_keys, keys_of, make_vocabulary
from inforadar.store import clock_sanity
from inforadar.store.database import Database
from inforadar.store.schema.stories import stories, story_items, story_keys, story_queue
from inforadar.store.stories.by_hand import merge_stories, queue_for_grouping, split_items
from inforadar.store.stories.queries import StoryFilter, list_stories, load_story, load_story_items
from inforadar.store.stories.save import prune_window
from inforadar.store.stories.window import load_counts
from tests.store.making import NOW, add_feed, collect, count, listed, rows

QUAKE = (
    "A magnitude 6.1 earthquake struck Bolvania near the town of Grandel on Tuesday, killing 7 people, "
    "the Seismic Institute in Karhold said. Mayor Ilena Torvald said rescuers were searching 40 houses."
)
QUAKE_2 = (
    "At least 7 people died when a 6.1 magnitude quake hit Grandel in Bolvania on Tuesday. Rescue teams searched "
    "the ruins of 40 houses, mayor Ilena Torvald told reporters; the Seismic Institute in Karhold measured it."
)
BUDGET = (
    "The parliament of Sorrenia approved next year's budget of 310 billion crowns on Tuesday after a debate of nine "
    "hours. Finance minister Marek Dolan called the vote a victory, while the Green Alliance abstained."
)


def stage(database: Database) -> GroupStage:
    return GroupStage(database=database, now=lambda: NOW, use_vectors=False)


async def story_of(database: Database) -> dict[str, StoryId]:
    found = {}
    for row in await database.read(list_stories, StoryFilter(min_sources=1)):
        for item in (await database.read(load_story_items, [row.id]))[row.id]:
            found[item.url] = row.id
    return found


async def three(database: Database) -> dict[str, StoryId]:
    for name, title, content in (
        ("one", "Earthquake in Grandel kills seven, mayor Torvald says", QUAKE),
        ("two", "Seven dead as quake hits Grandel in Bolvania", QUAKE_2),
        ("three", "Sorrenia passes budget of 310 billion crowns", BUDGET),
    ):
        feed = await add_feed(database, f"https://{name}.example/feed", source=name)
        await collect(database, feed, listed(f"https://{name}.example/1", title=title, content=content))
    await stage(database).run_once()
    return await story_of(database)


async def test_two_reports_of_one_event_are_one_story_and_another_event_is_not(database: Database) -> None:
    found = await three(database)
    assert (
        found["https://one.example/1"] == found["https://two.example/1"] != found["https://three.example/1"]
    )
    (story,) = await database.read(list_stories, StoryFilter(min_sources=2))
    assert (story.items, story.sources) == (2, 2)
    items = (await database.read(load_story_items, [story.id]))[story.id]
    reasons = next(item.reasons for item in items if item.reasons)
    assert "Grandel" in reasons["names"]
    assert {"6.1", "40"} <= set(reasons["numbers"])
    assert await count(database, story_queue) == 0


async def test_the_same_text_elsewhere_is_a_copy(database: Database) -> None:
    text = " ".join([QUAKE, QUAKE_2, BUDGET])
    for name, title in (("one", "Quake in Grandel"), ("two", "SHOCK: the ground opens in Grandel")):
        feed = await add_feed(database, f"https://{name}.example/feed", source=name)
        await collect(database, feed, listed(f"https://{name}.example/1", title=title, content=text))
    await stage(database).run_once()
    first, second = sorted(await rows(database, story_items), key=lambda row: row.copy_of is not None)
    assert second.copy_of == first.item_id
    assert second.story_id == first.story_id
    assert second.reasons["copy"] == "text"


async def test_what_was_split_stays_apart_when_all_is_grouped_again(database: Database) -> None:
    found = await three(database)
    story = found["https://one.example/1"]
    items = (await database.read(load_story_items, [story]))[story]
    own = await database.write(split_items, [items[1].item_id])
    assert await database.write(queue_for_grouping) == 3
    await stage(database).run_once()
    again = await story_of(database)
    assert again[items[1].url] == own
    assert again[items[0].url] == story


async def test_a_merged_story_leads_to_the_other_one(database: Database) -> None:
    found = await three(database)
    kept, gone = found["https://one.example/1"], found["https://three.example/1"]
    await database.write(merge_stories, kept, gone)
    assert (await database.read(load_story, gone)).id == kept
    assert (await database.read(load_story, kept)).items == 3
    await database.write(queue_for_grouping)
    await stage(database).run_once()
    assert set((await story_of(database)).values()) == {kept}


async def test_an_item_is_placed_again_when_its_text_changes_and_keeps_its_story(database: Database) -> None:
    found = await three(database)
    feed = await add_feed(database, "https://four.example/feed", source="four")
    await collect(database, feed, listed("https://four.example/1", title="Breaking news"))
    await stage(database).run_once()
    alone = (await story_of(database))["https://four.example/1"]
    title = "Grandel: seven dead in Bolvania earthquake, mayor Ilena Torvald says"
    await collect(database, feed, listed("https://four.example/1", title=title))
    assert await count(database, story_queue) == 1
    await stage(database).run_once()
    now = (await story_of(database))["https://four.example/1"]
    assert now == found["https://one.example/1"]
    assert (await database.read(load_story, alone)).id == now


async def test_workers_that_meet_one_event_at_once_make_one_story(database: Database) -> None:
    for number in range(6):
        feed = await add_feed(database, f"https://n{number}.example/feed", source=f"n{number}")
        title = f"Earthquake in Grandel kills seven, mayor Torvald says, part {'ABCDEF'[number]}"
        text = QUAKE if number % 2 else QUAKE_2
        await collect(database, feed, listed(f"https://n{number}.example/1", title=title, content=text))
    done = await asyncio.gather(*(stage(database).run_once() for _ in range(3)))
    assert sum(done) == 6
    assert len({row.story_id for row in await rows(database, story_items)}) == 1


async def test_an_item_dated_in_the_future_counts_as_of_when_it_was_seen(database: Database) -> None:
    feed = await add_feed(database)
    await collect(
        database, feed, listed(title="Tomorrow's news today", published_at=NOW + timedelta(hours=20))
    )
    await stage(database).run_once()
    (row,) = await rows(database, story_items)
    assert row.at <= NOW


async def test_generic_titles_do_not_make_a_story(database: Database) -> None:
    feed = await add_feed(database)
    titles = [("Newsletter", n) for n in range(60)] + [("Weekly update", n) for n in range(60)]
    await collect(
        database,
        feed,
        *(listed(f"https://example.com/{title[:3]}{n}", title=title) for title, n in titles),
    )
    await stage(database).run_once()
    assert await count(database, stories) == 120


@pytest.mark.parametrize("number", [70])
async def test_a_feed_that_repeats_one_text_makes_copies_that_cost_no_comparison(
    database: Database, number: int
) -> None:
    feed = await add_feed(database)
    await collect(
        database,
        feed,
        *(listed(f"https://example.com/{n}", title="Again", content=BUDGET) for n in range(number)),
    )
    await stage(database).run_once()
    found = await rows(database, story_items)
    assert len({row.story_id for row in found}) == 1
    assert sum(row.copy_of is None for row in found) == 1


async def test_a_worker_knows_the_counts_of_words_that_another_worker_saved(database: Database) -> None:
    feed, own = await add_feed(database), stage(database)
    for number, (text, worker) in enumerate(
        ((QUAKE, own), (QUAKE_2, own), (BUDGET, stage(database)), (QUAKE, own), (BUDGET, own))
    ):
        title = f"Report of hour {number} from Grandel"
        await collect(database, feed, listed(f"https://example.com/{number}", title=title, content=text))
        assert await worker.run_once() == 1
    assert own._placer is not None
    assert own._placer._known is not None
    known = own._placer._known.vocabulary
    signature, casing = make_signature("Report from Grandel", f"{QUAKE} {QUAKE_2} {BUDGET}")
    keys = {*keys_of(signature), *casing_keys(casing, signature.capitals)} & known.counts.keys()
    version, counted, counts = await database.read(load_counts, keys)
    stored = make_vocabulary(counted, counts, keys)
    assert (own._placer._known.version, known.items) == (version, counted) == (version, 5)
    for key in keys:
        found, expected = known.counts[key], stored.counts[key]
        assert (found.items, found.capital, found.small) == pytest.approx(
            (expected.items, expected.capital, expected.small)
        )


async def test_an_item_stored_by_the_version_before_is_still_compared(database: Database) -> None:
    title = "Earthquake in Grandel kills seven, mayor Torvald says"
    feed = await add_feed(database)
    await collect(database, feed, listed("https://one.example/1", title=title, content=QUAKE))
    await stage(database).run_once()
    signature, casing = make_signature(title, QUAKE)
    text = make_print(title, QUAKE)
    vocabulary = make_vocabulary()
    vocabulary.learn(signature, casing)
    # Counts of words instead of their weights.
    before = {
        "title": dict(signature.title),
        "words": dict(signature.words),
        "names": {name: shown for name, shown in signature.capitals.items() if vocabulary.is_name(name)},
        "numbers": sorted(signature.numbers),
        "days": sorted(signature.days),
        "has_text": signature.has_text,
        "script": signature.script,
        "language": signature.language,
        "exact": text.exact,
        "bins": list(text.bins),
        "address": "https://one.example/1",
        "counted": vocabulary.items,
        "counts": {key: round(vocabulary.counts[key].items, 2) for key in keys_of(signature)},
    }
    await database.write(lambda connection: connection.execute(update(story_items).values(signature=before)))
    for number, told in enumerate((QUAKE_2, BUDGET), 2):
        named = "Seven dead as quake hits Grandel in Bolvania" if number == 2 else "Sorrenia passes budget"
        await collect(database, feed, listed(f"https://one.example/{number}", title=named, content=told))
    await stage(database).run_once()
    found = await story_of(database)
    assert found["https://one.example/2"] == found["https://one.example/1"] != found["https://one.example/3"]
    (joined,) = [row for row in await rows(database, story_items) if row.reasons]
    assert "Grandel" in joined.reasons["names"]


async def test_a_worker_whose_clock_is_far_ahead_does_not_empty_the_window(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await three(database)
    ahead = utc_now() + timedelta(days=400)
    monkeypatch.setattr(clock_sanity, "utc_now", lambda: ahead)
    await GroupStage(database=database, now=lambda: ahead, use_vectors=False).run_once()
    assert await count(database, story_keys) > 0
    assert all(row.signature for row in await rows(database, story_items))


async def test_a_machine_whose_clock_is_far_ahead_forgets_a_part_of_the_window_at_most(
    database: Database,
) -> None:
    feed = await add_feed(database)
    for number in range(8):
        await collect(database, feed, listed(f"https://example.com/{number}", title=f"Event number {number}"))
        await stage(database).run_once()
    await database.write(prune_window, utc_now() + timedelta(days=400))
    assert [row.signature is None for row in await rows(database, story_items)].count(True) == 2


async def test_what_was_placed_long_ago_is_compared_no_more(database: Database) -> None:
    await three(database)
    ids = sorted(row.item_id for row in await rows(database, story_items))
    for days, item in enumerate(ids, 7):
        past = (
            update(story_items)
            .where(story_items.c.item_id == item)
            .values(joined_at=utc_now() - timedelta(days=days))
        )
        await database.write(lambda connection, past=past: connection.execute(past))
    for _ in range(3):
        await database.write(prune_window, utc_now() - timedelta(days=8, hours=12))
    found = {row.item_id: row.signature for row in await rows(database, story_items)}
    assert [found[item] is None for item in ids] == [False, False, True]
