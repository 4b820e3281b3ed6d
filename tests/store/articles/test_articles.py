"""Articles: the queue, what came of it, and whose turn an item's analysis is then."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import ColumnElement, update

from inforadar.model.article import ArticleStatus, Extracted, FailureCode, NotExtracted
from inforadar.model.http import Validators
from inforadar.store.articles.claims import (
    ArticleJob,
    claim_article,
    claim_articles,
    claim_new_article,
    extend_articles,
    postpone_articles,
    release_articles,
)
from inforadar.store.articles.enqueue import enqueue_urls, request_article, request_articles_without_html
from inforadar.store.articles.queries import (
    ArticlePreview,
    count_due_articles,
    load_article,
    load_article_texts,
    load_previews,
)
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.items import items
from inforadar.store.types import db_later
from inforadar.urls import uid
from tests.store.making import (
    NOW,
    add_feed,
    add_feeds,
    collect,
    listed,
    rows,
)

TEXT = Extracted(
    clean_text="Первый абзац.\n\n第二段。",
    markdown="# Заголовок",
    html="<h2>Заголовок</h2>",
    abstract="Первый абзац.",
    title="Заголовок",
    author="A",
    published_at=NOW - timedelta(days=1),
    updated_at=NOW,
    language="ru",
    site_name="Example",
    image="https://example.com/i.png",
    canonical_url="https://example.com/1",
    raw_len=1234,
)
TIMEOUT = NotExtracted(code=FailureCode.TIMEOUT, detail="no answer within 15 seconds")


async def queue(database: Database, number: int = 1) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(f"https://example.com/{n}") for n in range(number)))


async def claim_one(database: Database) -> ArticleJob:
    (job,) = await database.write(claim_articles, 1)
    return job


async def set_articles(database: Database, **columns: object) -> None:
    await database.write(lambda c: c.execute(update(articles).values(**columns)))


async def waiting(database: Database) -> int:
    return sum(row.analyze_at is not None for row in await rows(database, items))


async def test_articles_are_claimed_once_the_longest_waiting_first(database: Database) -> None:
    await queue(database, 5)
    old = uid("https://example.com/3")
    await database.write(
        lambda c: c.execute(
            update(articles).where(articles.c.uid == old).values(next_attempt_at=db_later(-99.0))
        )
    )
    assert await database.read(count_due_articles) == 5
    assert [job.uid for job in await database.write(claim_articles, 1)] == [old]
    assert len(await database.write(claim_articles, 10)) == 4
    assert await database.write(claim_articles, 10) == []
    assert await database.read(count_due_articles) == 0


async def test_workers_never_claim_the_same_article_nor_more_than_they_asked_for(database: Database) -> None:
    await queue(database, 60)
    got = await asyncio.gather(*(database.write(claim_articles, 9) for _ in range(8)))
    assert all(len(jobs) <= 9 for jobs in got)
    assert len({job.uid for jobs in got for job in jobs}) == sum(map(len, got)) == 60


async def test_a_lease_that_ran_out_is_claimed_again(database: Database) -> None:
    await queue(database)
    first = await claim_one(database)
    await set_articles(database, locked_until=db_later(-1.0), next_attempt_at=db_later(-1.0))
    second = await claim_one(database)
    assert (second.uid, second.token != first.token) == (first.uid, True)


async def test_an_article_comes_back_as_it_was_saved_and_wakes_the_analysis(database: Database) -> None:
    await queue(database)
    job = await claim_one(database)
    ending = ArticleEnding(job=job, at=NOW, result=TEXT, validators=Validators(etag="e", last_modified="m"))
    assert await waiting(database) == 0
    assert await database.write(save_article, ending)
    article = await database.read(load_article, job.uid)
    assert article is not None
    assert article.extracted == TEXT
    assert (article.status, article.fetched_at, article.failure) == (ArticleStatus.SUCCESS, NOW, None)
    assert article.attempts == 1
    (row,) = await rows(database, articles)
    assert (row.etag, row.last_modified, row.attempted_at, row.next_attempt_at) == ("e", "m", NOW, None)
    assert (row.text_len, row.lease_token) == (len(TEXT.clean_text), None)
    assert await waiting(database) == 1
    assert await database.write(claim_articles, 1) == []


async def test_a_failure_that_may_pass_is_tried_again_and_the_analysis_waits(database: Database) -> None:
    await queue(database)
    job = await claim_one(database)
    assert await database.write(
        save_article, ArticleEnding(job=job, at=NOW, result=TIMEOUT, retry_after_s=3600.0)
    )
    article = await database.read(load_article, job.uid)
    assert article is not None
    assert (article.status, article.failure, article.extracted) == (ArticleStatus.FAILURE, TIMEOUT, None)
    assert await waiting(database) == 0
    assert await database.write(claim_articles, 1) == []
    await set_articles(database, next_attempt_at=db_later(-1.0))
    assert (await claim_one(database)).attempts == 1
    (failure,) = await rows(database, article_failures)
    assert (failure.code, failure.host) == ("FAIL_TIMEOUT", "example.com")


async def test_a_failure_for_good_is_attempted_and_wakes_the_analysis(database: Database) -> None:
    await queue(database)
    job = await claim_one(database)
    assert await database.write(save_article, ArticleEnding(job=job, at=NOW, result=TIMEOUT))
    (row,) = await rows(database, articles)
    assert (row.attempted_at, row.next_attempt_at) == (NOW, None)
    assert await waiting(database) == 1


async def test_a_text_that_is_there_is_not_lost_to_a_later_failure(database: Database) -> None:
    await queue(database)
    await database.write(save_article, ArticleEnding(job=await claim_one(database), at=NOW, result=TEXT))
    await set_articles(database, next_attempt_at=db_later(-1.0))
    job = await claim_one(database)
    await database.write(save_article, ArticleEnding(job=job, at=NOW, result=TIMEOUT))
    article = await database.read(load_article, job.uid)
    assert article is not None
    assert (article.status, article.extracted, article.failure) == (ArticleStatus.SUCCESS, TEXT, TIMEOUT)


@pytest.mark.parametrize("result", [TEXT, TIMEOUT])
async def test_a_lost_lease_writes_nothing(database: Database, result: Extracted | NotExtracted) -> None:
    await queue(database)
    lost = await claim_one(database)
    await set_articles(database, locked_until=db_later(-1.0), next_attempt_at=db_later(-1.0))
    await claim_one(database)
    before = (await rows(database, articles), await rows(database, items))
    assert not await database.write(save_article, ArticleEnding(job=lost, at=NOW, result=result))
    assert (await rows(database, articles), await rows(database, items)) == before
    assert await rows(database, article_failures) == []


async def test_leases_are_extended_and_released_by_their_holder_alone(database: Database) -> None:
    await queue(database, 3)
    mine = await database.write(claim_articles, 2)
    other = await claim_one(database)
    assert await database.write(extend_articles, [*mine, other]) == {job.uid for job in (*mine, other)}
    await database.write(release_articles, mine)
    assert await database.write(extend_articles, [*mine, other]) == {other.uid}
    again = await database.write(claim_articles, 5)
    assert {job.uid for job in again} == {job.uid for job in mine}
    await database.write(release_articles, mine)  # no longer theirs
    assert await database.write(claim_articles, 5) == []


async def test_all_feeds_that_list_the_url_are_woken(database: Database) -> None:
    for feed in await add_feeds(database, 3):
        await collect(database, feed, listed("https://shared.example/1"))
    await database.write(save_article, ArticleEnding(job=await claim_one(database), at=NOW, result=TEXT))
    assert await waiting(database) == 3


async def test_an_item_of_an_article_that_is_there_has_nothing_to_wait_for(database: Database) -> None:
    one, two = await add_feeds(database, 2)
    await collect(database, one, listed("https://shared.example/1"))
    await database.write(save_article, ArticleEnding(job=await claim_one(database), at=NOW, result=TEXT))
    await database.write(lambda c: c.execute(update(items).values(analyze_at=None)))  # given up
    await collect(database, two, listed("https://shared.example/1"), listed("https://shared.example/2"))
    woken = {(row.feed_id, row.url[-1]) for row in await rows(database, items) if row.analyze_at}
    assert woken == {(two.id, "1")}


YEARS, WEEK_S = db_later(10 * 365 * 86400.0), 7 * 86400.0


async def put_off(database: Database, number: int, **columns: Any) -> None:
    row = articles.c.url == f"https://example.com/{number}"
    await database.write(lambda c: c.execute(update(articles).where(row).values(**columns)))


async def test_what_a_wrong_clock_wrote_does_not_silence_an_article_for_years(database: Database) -> None:
    await queue(database, 4)
    await put_off(database, 0, next_attempt_at=YEARS)
    await put_off(database, 1, next_attempt_at=YEARS, locked_until=YEARS, lease_token="a" * 32)
    await put_off(database, 2, next_attempt_at=db_later(WEEK_S))
    (due,) = await database.write(claim_articles, 1)
    assert due.url == "https://example.com/3"
    jobs = await database.write(claim_articles, 10)
    assert {job.url for job in jobs} == {"https://example.com/0", "https://example.com/1"}
    assert await database.write(claim_articles, 10) == []


async def test_nor_one_that_somebody_asks_for(database: Database) -> None:
    await queue(database, 3)
    urls = [f"https://example.com/{number}" for number in range(3)]
    for number in range(3):
        await put_off(database, number, next_attempt_at=YEARS, locked_until=YEARS, lease_token="a" * 32)
    assert await database.write(claim_article, uid(urls[0]))
    assert await database.write(claim_new_article, uid(urls[1]), urls[1], "general")
    await database.write(request_article, uid(urls[2]), urls[2], "general")
    assert await database.read(count_due_articles) == 1


async def test_an_article_is_not_put_off_so_far_that_it_would_count_as_due(database: Database) -> None:
    """The hundredth of a host that asks for days between two requests."""
    await queue(database)
    job = await claim_one(database)
    await database.write(postpone_articles, [(job, 100 * WEEK_S)])
    assert await database.write(claim_articles, 10) == []
    (row,) = await rows(database, articles)
    assert abs(row.next_attempt_at - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=1)


async def test_articles_of_feeds_that_nobody_reads_wait_and_come_back_with_the_feed(
    database: Database,
) -> None:
    gone, kept = await add_feeds(database, 2)
    await collect(database, gone, *(listed(f"https://example.com/{n}") for n in range(7)))
    await collect(database, kept, listed("https://example.com/6"), listed("https://example.com/kept"))
    await database.write(delete_feed, gone.id, NOW)
    jobs = await database.write(claim_articles, 2)
    assert {job.url for job in jobs} == {"https://example.com/6", "https://example.com/kept"}
    assert await database.read(count_due_articles) == 0, "the others no longer stand at the head of the queue"
    await database.write(update_feed, gone.id, {"deleted_at": None, "enabled": True})
    hour_later = update(articles).where(articles.c.lease_token.is_(None))
    await database.write(lambda c: c.execute(hour_later.values(next_attempt_at=db_later(-1.0))))
    assert len(await database.write(claim_articles, 10)) == 6


async def test_what_another_program_brought_is_claimed_though_no_feed_lists_it(database: Database) -> None:
    url = "https://example.com/brought"
    await database.write(enqueue_urls, "general", {uid(url): url}, [], NOW)
    assert [job.url for job in await database.write(claim_articles, 10)] == [url]


async def test_articles_without_html_are_fetched_again_only_when_asked(database: Database) -> None:
    await queue(database, 2)
    for result in (TEXT, replace(TEXT, html="")):
        job = await claim_one(database)
        saved = ArticleEnding(job=job, at=NOW, result=result, validators=Validators(etag="e"))
        assert await database.write(save_article, saved)
    # As an older version left it.
    await database.write(
        lambda connection: connection.execute(update(articles).where(_no_html()).values(html=None))
    )
    assert await database.read(count_due_articles) == 0
    assert await database.write(request_articles_without_html) == 1
    again = await claim_one(database)
    assert (again.uid, again.validators) == (job.uid, Validators())
    assert await database.write(request_articles_without_html) == 0
    texts = await database.read(load_article_texts, [job.uid])
    assert (texts[job.uid].html, texts[job.uid].markdown) == ("", TEXT.markdown)
    assert texts[job.uid].text_len == len(TEXT.clean_text)


def _no_html() -> ColumnElement[bool]:
    return articles.c.html == ""


async def test_the_best_text_and_the_lead_image_are_read(database: Database) -> None:
    await queue(database)
    job = await claim_one(database)
    await database.write(save_article, ArticleEnding(job=job, at=NOW, result=TEXT))
    texts = await database.read(load_article_texts, [job.uid])
    assert (texts[job.uid].html, texts[job.uid].markdown, texts[job.uid].clean_text) == (TEXT.html, "", "")
    previews = await database.read(load_previews, [job.uid, uid("https://example.com/none")])
    assert previews == {job.uid: ArticlePreview(image=TEXT.image, text_len=len(TEXT.clean_text))}
