"""Building over real databases: the date of a document is the date of its last change, and ids never change."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from inforadar.app.worker import open_worker
from inforadar.config import load_settings
from inforadar.model.analysis import Subject, to_json
from inforadar.model.article import Extracted
from inforadar.model.feed import Feed
from inforadar.pipeline import build
from inforadar.pipeline.build import Builder, channel_of
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.publish.entry import ChannelInfo
from inforadar.stages.publish.rss import self_link_start
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.analyses.save import save_analysis
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.published import readdress, stale_addresses
from inforadar.store.published.cached_feeds import CachedFeed, load_cached_feed
from inforadar.store.published.readdress import mark_documents_without
from inforadar.store.schema.items import items
from tests.store.making import NOW, add_feed, collect, listed
from tests.support.feed_rules import rss_problems


async def test_a_document_is_valid_and_dated_by_its_last_change_alone(database: Database) -> None:
    feed = await add_feed(database)
    at = NOW
    builder = Builder(database=database, last_n=50, public_url="https://radar.example", now=lambda: at)

    async def document() -> CachedFeed:
        found = await database.read(load_cached_feed, feed.id)
        assert found is not None
        assert rss_problems(found.xml_content, at + timedelta(days=1)) == []
        (built,) = re.findall("<lastBuildDate>(.*)</lastBuildDate>", found.xml_content)
        assert parsedate_to_datetime(built) == found.updated_at
        assert found.xml_content.startswith(found.xml_header)
        guids = re.findall('<guid isPermaLink="false">(.*)</guid>', found.xml_content)
        assert guids == list(found.item_refs)
        return found

    entries = [
        listed(f"https://example.com/{n}", title=f"Minister SLAMS plan {n} 🚀 计划", published_at=NOW)
        for n in (1, 2)
    ]
    await collect(database, feed, *entries)
    assert await builder.run_once() == 1
    first = await document()
    assert first.updated_at == NOW.replace(microsecond=0)

    at += timedelta(hours=1)
    await database.write(update_feed_options, feed.id, {"timezone": "Europe/Warsaw"})
    assert await builder.run_once() == 0, "to be built anew, and the same"
    assert await document() == first

    for job in await database.write(claim_articles, 10):
        result = Extracted(clean_text="The plan costs 3 million.", markdown="")
        await database.write(save_article, ArticleEnding(job=job, at=datetime.now(UTC), result=result))
    (job, *_) = await database.write(claim_analyses, 10)
    analysis = analyze_subject(Subject(url=job.url, title=job.title, description="", text=job.clean_text))
    await database.write(save_analysis, job, to_json(analysis), analysis.overall.value, at)
    assert await builder.run_once() == 1
    second = await document()
    assert second.updated_at == at.replace(microsecond=0) > first.updated_at
    assert second.item_refs == first.item_refs
    assert "Minister criticizes plan" in second.xml_content
    assert "Minister SLAMS plan" in second.xml_content, "the original stays beside it"


@pytest.mark.parametrize("stored", [{"title": "half of one"}, ["half of one"]], ids=["half", "list"])
async def test_an_analysis_that_is_none_holds_up_no_feed(database: Database, stored: Any) -> None:
    broken = await add_feed(database, "https://broken.example/feed")
    sound = await add_feed(database, "https://sound.example/feed")
    await collect(database, broken, listed("https://broken.example/1", title="Кабинет отвечает"))
    await collect(database, sound, listed("https://sound.example/1", title="Sound"))
    half = update(items).where(items.c.feed_id == broken.id).values(analyzer_result=stored)
    await database.write(lambda connection: connection.execute(half))
    builder = Builder(database=database, last_n=50, public_url="https://radar.example", now=lambda: NOW)

    assert await builder.run_once() == 2
    for feed, title in ((broken, "Кабинет отвечает"), (sound, "Sound")):
        document = await database.read(load_cached_feed, feed.id)
        assert document is not None
        assert title in document.xml_content
        assert "half of one" not in document.xml_content


async def test_a_feed_that_cannot_be_rendered_holds_up_no_other_and_keeps_its_document(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = await add_feed(database, "https://broken.example/feed")
    sound = await add_feed(database, "https://sound.example/feed")
    builder = Builder(database=database, last_n=50, public_url="https://radar.example", now=lambda: NOW)
    await collect(database, broken, listed("https://broken.example/1", title="Before"))
    assert await builder.run_once() == 1
    before = await database.read(load_cached_feed, broken.id)

    def channel(feed: Feed, *rest: Any) -> ChannelInfo:
        if feed.id == broken.id:
            raise RuntimeError("cannot be rendered")
        return channel_of(feed, *rest)

    monkeypatch.setattr(build, "channel_of", channel)
    await collect(database, broken, listed("https://broken.example/2"))
    await collect(database, sound, listed("https://sound.example/1"))
    assert await builder.run_once() == 1
    assert await database.read(load_cached_feed, sound.id) is not None
    assert await database.read(load_cached_feed, broken.id) == before


async def add_five(database: Database) -> list[Feed]:
    """Feeds with an item each."""
    feeds = [await add_feed(database, f"https://{name}.example/feed") for name in "abcde"]
    for feed in feeds:
        await collect(database, feed, listed(f"{feed.url}/1"))
    return feeds


async def test_a_new_address_is_said_by_quiet_feeds_too(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (readdress, stale_addresses):
        monkeypatch.setattr(module, "DOCUMENTS_PER_BATCH", 2)
    feeds = await add_five(database)
    at = NOW

    def builder(public_url: str) -> Builder:
        return Builder(database=database, last_n=50, public_url=public_url, now=lambda: at)

    async def addresses() -> list[str]:
        documents = [await database.read(load_cached_feed, feed.id) for feed in feeds]
        return [
            re.findall(r'<atom:link href="(.*?)/rss\?', found.xml_header)[0] for found in documents if found
        ]

    old, new = builder("http://127.0.0.1:8321"), builder("https://new.example/Радар")
    await old.queue_stale_addresses()
    assert await old.run_once() == 5

    await old.queue_stale_addresses()
    assert await old.run_once() == 0, "the address is the same: nothing is to be built"

    at += timedelta(hours=1)
    await new.queue_stale_addresses()
    assert await new.run_once() == 5
    assert set(await addresses()) == {"https://new.example/%D0%A0%D0%B0%D0%B4%D0%B0%D1%80"}
    await new.queue_stale_addresses()
    assert await new.run_once() == 0


async def test_a_marking_that_was_cut_short_is_ended_by_the_next_worker(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (readdress, stale_addresses):
        monkeypatch.setattr(module, "DOCUMENTS_PER_BATCH", 2)
    await add_five(database)
    old = Builder(database=database, last_n=50, public_url="https://old.example", now=lambda: NOW)
    new = replace(old, public_url="https://new.example")
    assert await old.run_once() == 5

    link = self_link_start("https://new.example/rss?url=")
    assert await database.write(mark_documents_without, link, before=None) is not None
    assert await new.run_once() == 2
    await new.queue_stale_addresses()
    assert await new.run_once() == 3


async def test_a_worker_that_starts_follows_a_new_address(database: Database, tmp_path: Path) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1"))
    old = Builder(database=database, last_n=50, public_url="https://old.example", now=lambda: NOW)
    assert await old.run_once() == 1
    settings = load_settings(tmp_path, {"INFORADAR_PUBLIC_URL": "https://new.example"})
    async with open_worker(settings, database, stages=frozenset()) as worker:
        assert (await worker.run_once()).built == 1
        assert (await worker.run_once()).built == 0
    document = await database.read(load_cached_feed, feed.id)
    assert document is not None
    assert '<atom:link href="https://new.example/rss?' in document.xml_header
