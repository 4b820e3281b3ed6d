"""Analyses: the queue of items, the results, the cache of answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import delete, select, update

from inforadar.model.article import Extracted
from inforadar.model.feed_options import FeedOptions
from inforadar.store.analyses.claims import (
    PLACING_WAIT_S,
    AnalysisJob,
    claim_analyses,
    extend_analyses,
    release_analyses,
)
from inforadar.store.analyses.queries import Spent, load_analysis_counts, load_cached_analysis, load_spending
from inforadar.store.analyses.save import (
    drop_analysis,
    requeue_analyses,
    save_analysis,
    save_analysis_failure,
    save_cached_analysis,
)
from inforadar.store.analyses.spending import add_spent, reserve_spending, settle_spending
from inforadar.store.articles.claims import claim_article, claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed, purge_feeds
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.queries import load_feed
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import story_queue
from inforadar.store.types import db_later, db_now
from tests.store.making import (
    NOW,
    add_feed,
    collect,
    listed,
    reload,
    rows,
    set_schedule,
)


async def ready(database: Database, number: int = 1) -> None:
    """That many items whose articles are there."""
    feed = await add_feed(database, options=FeedOptions(prompt="кратко"))
    await collect(
        database, feed, *(listed(f"https://example.com/{n}", content="<p>raw</p>") for n in range(number))
    )
    for job in await database.write(claim_articles, number):
        text = Extracted(clean_text="Текст", markdown="Текст", language="ru")
        await database.write(save_article, ArticleEnding(job=job, at=NOW, result=text))
    await set_schedule(database, feed, build_at=None)


async def claim_one(database: Database) -> AnalysisJob:
    (job,) = await database.write(claim_analyses, 1)
    return job


async def expire(database: Database) -> None:
    values = {"analyze_until": db_later(-1.0), "analyze_at": db_later(-1.0)}
    await database.write(lambda c: c.execute(update(items).values(**values)))


async def test_an_item_waits_for_its_article(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed())
    assert await database.write(claim_analyses, 1) == []


async def test_an_item_waits_until_it_is_placed_in_a_story_but_not_for_long(database: Database) -> None:
    await ready(database)
    assert await database.write(claim_analyses, 1, placed_only=True) == []
    long_ago = {"due_at": db_later(-PLACING_WAIT_S - 1)}
    await database.write(lambda c: c.execute(update(story_queue).values(**long_ago)))
    assert len(await database.write(claim_analyses, 1, placed_only=True)) == 1


async def test_an_item_that_is_placed_is_analyzed_at_once(database: Database) -> None:
    await ready(database)
    await database.write(lambda c: c.execute(delete(story_queue)))
    assert len(await database.write(claim_analyses, 1, placed_only=True)) == 1


async def test_a_job_holds_all_that_the_analyzer_is_given(database: Database) -> None:
    await ready(database)
    job = await claim_one(database)
    assert (job.url, job.title, job.content) == ("https://example.com/0", "A title", "<p>raw</p>")
    assert (job.clean_text, job.language, job.snippet) == ("Текст", "ru", "")
    assert (job.options, job.attempts) == (FeedOptions(prompt="кратко"), 0)
    assert await database.write(claim_analyses, 1) == []


async def test_workers_never_claim_the_same_item_nor_more_than_they_asked_for(database: Database) -> None:
    await ready(database, 40)
    got = await asyncio.gather(*(database.write(claim_analyses, 6) for _ in range(8)))
    assert all(len(jobs) <= 6 for jobs in got)
    assert len({job.item_id for jobs in got for job in jobs}) == sum(map(len, got)) == 40


async def test_items_of_disabled_and_deleted_feeds_cost_no_model(database: Database) -> None:
    await ready(database)
    feed_id = (await rows(database, items))[0].feed_id
    await database.write(update_feed, feed_id, {"enabled": False})
    assert await database.write(claim_analyses, 1) == []
    await database.write(update_feed, feed_id, {"enabled": True})
    await database.write(delete_feed, feed_id, NOW)
    assert await database.write(claim_analyses, 1) == []
    await database.write(update_feed, feed_id, {"enabled": True, "deleted_at": None})
    assert len(await database.write(claim_analyses, 1)) == 1


async def test_items_of_inactive_feeds_do_not_stand_at_the_head_of_the_queue(database: Database) -> None:
    """Otherwise each claim would walk past all of them."""
    await ready(database, 9)
    idle = (await rows(database, items))[0].feed_id
    other = await add_feed(database, "https://active.example/feed")
    await collect(database, other, listed("https://active.example/новое", content="<p>raw</p>"))
    (article,) = await database.write(claim_articles, 1)
    text = Extracted(clean_text="Текст", markdown="Текст")
    await database.write(save_article, ArticleEnding(job=article, at=NOW, result=text))
    await database.write(update_feed, idle, {"enabled": False})

    assert (await claim_one(database)).url == "https://active.example/новое"
    due = select(items.c.url).where(items.c.analyze_at <= db_now())
    assert await database.read(lambda c: c.execute(due).all()) == []
    await database.write(update_feed, idle, {"enabled": True})
    assert len(await database.write(claim_analyses, 20)) == 9


async def test_a_result_is_stored_and_asks_for_the_feed_to_be_built(database: Database) -> None:
    await ready(database)
    job = await claim_one(database)
    assert await database.write(save_analysis, job, {"title": "中立"}, 0.0, NOW)
    (row,) = await rows(database, items)
    assert (row.analyzer_result, row.score, row.analyzed_at) == ({"title": "中立"}, 0.0, NOW)
    assert (row.analyze_at, row.analyze_until, row.analyze_token, row.analyze_attempts) == (
        None,
        None,
        None,
        0,
    )
    (schedule,) = await rows(database, feed_schedules)
    assert schedule.build_at is not None
    assert await database.write(claim_analyses, 1) == []


async def test_a_failure_is_recorded_and_tried_again_later_or_given_up(database: Database) -> None:
    await ready(database)
    assert await database.write(save_analysis_failure, await claim_one(database), "out of range", 60.0)
    (row,) = await rows(database, items)
    assert (row.analyze_error, row.analyze_attempts, row.analyzed_at) == ("out of range", 1, None)
    assert row.analyzer_result == {}
    assert await database.write(claim_analyses, 1) == []
    await expire(database)
    job = await claim_one(database)
    assert job.attempts == 1
    assert await database.write(save_analysis_failure, job, "again", None)
    (row,) = await rows(database, items)
    assert (row.analyze_at, row.analyze_attempts) == (None, 2)


async def test_what_never_failed_goes_before_what_did(database: Database) -> None:
    await ready(database, 5)
    for job in await database.write(claim_analyses, 2):
        await database.write(save_analysis_failure, job, "invalid: x", -3600.0)
    first = await database.write(claim_analyses, 4)
    assert [job.attempts for job in first] == [0, 0, 0, 1], "though the failed ones have waited longer"
    assert [job.attempts for job in await database.write(claim_analyses, 4)] == [1]


async def test_a_failure_that_does_not_count_keeps_the_lane(database: Database) -> None:
    await ready(database)
    assert await database.write(
        save_analysis_failure, await claim_one(database), "outage: x", 60.0, counts=False
    )
    (row,) = await rows(database, items)
    assert (row.analyze_error, row.analyze_attempts) == ("outage: x", 0)
    assert await database.write(claim_analyses, 1) == []


async def test_a_success_ends_the_count_of_attempts(database: Database) -> None:
    await ready(database)
    await database.write(save_analysis_failure, await claim_one(database), "invalid: x", 0.0)
    await expire(database)
    await database.write(save_analysis, await claim_one(database), {"title": "x"}, 0.5, NOW)
    (row,) = await rows(database, items)
    assert (row.analyze_attempts, row.analyze_error) == (0, None)


async def test_what_nobody_wants_analyzed_leaves_the_queue(database: Database) -> None:
    await ready(database)
    assert await database.write(drop_analysis, await claim_one(database))
    await expire(database)
    (row,) = await rows(database, items)
    assert (row.analyze_error, row.analyzed_at) == (None, None)


async def test_only_what_this_model_and_prompt_have_not_done_is_queued_again(database: Database) -> None:
    await ready(database, 5)
    results = [{"model": "m", "prompt_version": "1"}, {"model": "m", "prompt_version": "0"}, {"model": "old"}]
    jobs = await database.write(claim_analyses, 5)
    for job, result in zip(jobs, results, strict=False):
        await database.write(save_analysis, job, {"prompt_version": "1", **result}, 0.5, NOW)
    await database.write(save_analysis_failure, jobs[3], "invalid: x", None)
    # The fifth is being worked on.
    feed_id = jobs[0].feed_id
    assert await database.write(requeue_analyses, feed_id, models=["m"], prompt_version="1") == 3
    queued = {job.item_id for job in await database.write(claim_analyses, 9)}
    assert queued == {job.item_id for job in jobs[1:4]}


async def test_an_item_whose_article_is_on_its_way_is_not_queued_again(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed())
    assert await database.write(requeue_analyses, feed.id, models=["m"], prompt_version="1") == 0


async def test_the_counts_tell_lanes_results_and_failures(database: Database) -> None:
    await ready(database, 7)
    jobs = await database.write(claim_analyses, 6)
    await database.write(save_analysis, jobs[0], {"model": "m", "prompt_version": "1"}, 0.5, NOW)
    await database.write(save_analysis_failure, jobs[1], "invalid: bad", 60.0)
    await database.write(save_analysis_failure, jobs[2], "refused: no", None)
    await database.write(save_analysis_failure, jobs[3], "outage: 503_%", 60.0, counts=False)
    await database.write(drop_analysis, jobs[4])
    found = await database.read(load_analysis_counts, ["invalid", "refused", "outage", "budget"])
    assert (found.fresh, found.retry, found.working, found.dead) == (2, 1, 1, 1)
    assert found.results == [("m", "1", 1)]
    assert found.failures == {"invalid": 1, "refused": 1, "outage": 1}
    assert found.messages == {"invalid": "bad", "refused": "no", "outage": "503_%"}


async def test_money_is_summed_by_day_model_and_feed_and_outlives_the_feed(database: Database) -> None:
    feed, other = await add_feed(database), await add_feed(database, "https://example.com/2")
    today, yesterday = date(2026, 3, 14), date(2026, 3, 13)
    for day, model, of in (
        (today, "m", feed),
        (today, "m", feed),
        (today, "n", feed),
        (today, "m", other),
        (yesterday, "m", feed),
    ):
        spent = Spent(day=day, model=model, feed_id=of.id, calls=1, tokens_in=10, tokens_out=5, cost=0.25)
        await database.write(add_spent, spent)
    await database.write(purge_feeds, [other.id])
    listing = await database.read(load_spending, today)
    assert [(s.model, s.feed_url, s.calls, s.tokens_in, s.cost) for s in listing] == [
        ("m", feed.url, 2, 20, 0.5),
        ("m", None, 1, 10, 0.25),
        ("n", feed.url, 1, 10, 0.25),
    ]
    assert len(await database.read(load_spending, yesterday)) == 4


async def test_many_that_reserve_at_once_stay_within_the_budget_together(database: Database) -> None:
    feed = await add_feed(database)
    today = date(2026, 3, 14)

    def booking(cost: float, calls: int = 0, day: date = today) -> Spent:
        return Spent(day=day, model="m", feed_id=feed.id, calls=calls, tokens_in=0, tokens_out=0, cost=cost)

    await database.write(add_spent, booking(100.0, calls=1, day=date(2026, 3, 13)))
    refused = await asyncio.gather(*(database.write(reserve_spending, booking(0.25), 1.0) for _ in range(12)))
    assert sorted(refused, key=bool) == [None] * 4 + [1.0] * 8
    await database.write(settle_spending, booking(0.05 - 0.25, calls=1))
    assert await database.write(reserve_spending, booking(0.25), 1.0) == pytest.approx(0.8)
    for _ in range(3):
        await database.write(settle_spending, booking(-0.25))
    (spent,) = await database.read(load_spending, today)
    assert spent.calls == 1
    assert spent.cost == pytest.approx(0.05)


async def test_what_was_reserved_and_never_used_leaves_no_row(database: Database) -> None:
    feed = await add_feed(database)
    day = date(2026, 3, 14)
    nothing = Spent(day=day, model="m", feed_id=feed.id, calls=0, tokens_in=0, tokens_out=0, cost=0.1)
    await database.write(reserve_spending, nothing, 1.0)
    await database.write(settle_spending, replace(nothing, cost=-0.1))
    assert await database.read(load_spending, day) == []


async def test_options_are_changed_one_by_one(database: Database) -> None:
    feed = await add_feed(database, options=FeedOptions(prompt="кратко", selectors={"a": 1}))
    await database.write(update_feed_options, feed.id, {"prompt": None, "analyze": False, "model": "m"})
    assert (await reload(database, feed)).options == FeedOptions(selectors={"a": 1}, analyze=False, model="m")


async def test_a_lost_lease_writes_nothing(database: Database) -> None:
    await ready(database)
    lost = await claim_one(database)
    await expire(database)
    await claim_one(database)
    before = (await rows(database, items), await rows(database, feed_schedules))
    assert not await database.write(save_analysis, lost, {"title": "x"}, 0.5, NOW)
    assert not await database.write(save_analysis_failure, lost, "x", 1.0)
    assert (await rows(database, items), await rows(database, feed_schedules)) == before


async def test_leases_are_extended_and_released_by_their_holder_alone(database: Database) -> None:
    await ready(database, 3)
    mine = await database.write(claim_analyses, 2)
    other = await claim_one(database)
    assert len(await database.write(extend_analyses, [*mine, other])) == 3
    await database.write(release_analyses, mine)
    assert await database.write(extend_analyses, [*mine, other]) == {other.item_id}
    assert {job.item_id for job in await database.write(claim_analyses, 5)} == {job.item_id for job in mine}


async def test_an_answer_is_kept_once_under_its_key(database: Database) -> None:
    assert await database.read(load_cached_analysis, "k") is None
    for title in ("first", "second"):
        await database.write(
            save_cached_analysis,
            "k",
            {"title": title},
            model="m",
            prompt_version="1",
            tokens_in=10,
            tokens_out=5,
            cost=0.25,
        )
    assert await database.read(load_cached_analysis, "k") == {"title": "first"}


async def analyze_once(database: Database) -> None:
    assert await database.write(save_analysis, await claim_one(database), {"title": "first"}, 0.5, NOW)


async def change_title(database: Database, title: str = "Another title") -> None:
    (row,) = await rows(database, items)
    feed = await database.read(load_feed, row.feed_id)
    await collect(database, feed, listed(row.url, title=title))


async def save_text(database: Database, text: str) -> None:
    """As `item refresh` does it."""
    (row,) = await rows(database, items)
    job = await database.write(claim_article, row.uid)
    assert job is not None
    result = Extracted(clean_text=text, markdown=text, language="ru")
    assert await database.write(save_article, ArticleEnding(job=job, at=NOW, result=result))


@pytest.mark.parametrize("analyzed_before", [False, True], ids=["first", "again"])
async def test_what_changes_during_its_analysis_is_analyzed_again(
    database: Database, analyzed_before: bool
) -> None:
    await ready(database)
    if analyzed_before:
        await analyze_once(database)
        await change_title(database, "The second title")
    job = await claim_one(database)
    await change_title(database)
    assert await database.write(claim_analyses, 1) == [], "the lease holds"
    assert await database.write(save_analysis, job, {"title": "of the old one"}, 0.5, NOW)
    again = await claim_one(database)
    assert again.title == "Another title"
    assert await database.write(save_analysis, again, {"title": "of the new one"}, 0.5, NOW)
    assert await database.write(claim_analyses, 1) == [], "once is enough"


@pytest.mark.parametrize("analyzed_before", [False, True], ids=["first", "again"])
async def test_a_new_text_during_an_analysis_is_analyzed_too(
    database: Database, analyzed_before: bool
) -> None:
    await ready(database)
    if analyzed_before:
        await analyze_once(database)
        await save_text(database, "The second text")
    job = await claim_one(database)
    await save_text(database, "Another text")
    assert await database.write(claim_analyses, 1) == [], "the lease holds"
    assert await database.write(save_analysis, job, {"title": "of the old one"}, 0.5, NOW)
    assert (await claim_one(database)).clean_text == "Another text"


async def test_a_heartbeat_does_not_forget_the_change(database: Database) -> None:
    await ready(database)
    job = await claim_one(database)
    await change_title(database)
    before = (await rows(database, items))[0].analyze_until
    assert await database.write(extend_analyses, [job], lease_s=1200.0) == {job.item_id}
    assert (await rows(database, items))[0].analyze_until > before
    assert await database.write(claim_analyses, 1) == [], "the lease holds"
    assert await database.write(save_analysis, job, {"title": "x"}, 0.5, NOW)
    assert (await claim_one(database)).title == "Another title"


async def test_what_did_not_change_during_its_analysis_is_not_analyzed_again(database: Database) -> None:
    await ready(database)
    job = await claim_one(database)
    await change_title(database, job.title)
    await save_text(database, job.clean_text)
    await database.write(extend_analyses, [job], lease_s=1200.0)
    assert await database.write(save_analysis, job, {"title": "x"}, 0.5, NOW)
    assert (await rows(database, items))[0].analyze_at is None


async def test_what_changed_is_not_given_up_with_what_it_was(database: Database) -> None:
    await ready(database)
    job = await claim_one(database)
    await change_title(database)
    assert await database.write(save_analysis_failure, job, "refused: no", None)
    assert (await claim_one(database)).title == "Another title"


async def test_a_worker_that_died_leaves_the_change_to_the_next(database: Database) -> None:
    await ready(database)
    lost = await claim_one(database)
    await change_title(database)
    await database.write(lambda c: c.execute(update(items).values(analyze_until=db_later(-1.0))))
    job = await claim_one(database)
    assert job.title == "Another title"
    assert not await database.write(save_analysis, lost, {"title": "x"}, 0.5, NOW)
    assert await database.write(save_analysis, job, {"title": "y"}, 0.5, NOW)
    assert await database.write(claim_analyses, 1) == []


@pytest.mark.parametrize("result", [{}, {"n": None, "list": [1, {"x": "🚀"}], "f": 0.1}])
async def test_a_document_comes_back_as_it_was(database: Database, result: dict[str, object]) -> None:
    await ready(database)
    await database.write(save_analysis, await claim_one(database), result, 1.0, NOW)
    assert (await rows(database, items))[0].analyzer_result == result


async def test_what_a_wrong_clock_wrote_does_not_silence_an_item_for_years(database: Database) -> None:
    await ready(database, 4)
    years, week = db_later(10 * 365 * 86400.0), db_later(7 * 86400.0)
    for number, columns in enumerate(
        (
            {"analyze_at": years},
            {"analyze_at": years, "analyze_until": years, "analyze_token": "a" * 32},
            {"analyze_at": week},
        )
    ):
        row = items.c.url == f"https://example.com/{number}"
        await database.write(lambda c, w=row, v=columns: c.execute(update(items).where(w).values(**v)))
    (due,) = await database.write(claim_analyses, 1)
    assert due.url == "https://example.com/3"
    jobs = await database.write(claim_analyses, 10)
    assert {job.url for job in jobs} == {"https://example.com/0", "https://example.com/1"}
    assert await database.write(claim_analyses, 10) == []


async def test_an_endpoint_cannot_put_an_item_off_for_more_than_a_week(database: Database) -> None:
    await ready(database)
    job = await claim_one(database)
    await database.write(save_analysis_failure, job, "rate_limited: later", 1e12, counts=False)
    assert await database.write(claim_analyses, 10) == []
    (row,) = await rows(database, items)
    assert abs(row.analyze_at - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=1)
