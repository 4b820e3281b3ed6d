"""The worker inside the app: its state in words, and a real one that works while the app is open."""

from __future__ import annotations

import asyncio

import pytest

from inforadar.config import Settings, load_settings
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import sync_feed
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.work_state import WorkState, load_work_state
from inforadar.tui.fetch.inner_worker import worker_words
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.terminal import opened
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site


@pytest.mark.parametrize(
    ("is_on", "counts", "words"),
    [
        (False, (0, 0, 0, 0), "off"),
        (False, (1, 3, 0, 0), "elsewhere"),
        (True, (0, 0, 0, 5), "starting"),
        (True, (1, 3, 9, 9), "fetching 3"),
        (True, (1, 0, 1, 9), "1 text"),
        (True, (1, 0, 0, 9), "9 to score"),
        (True, (1, 0, 0, 0), "idle"),
    ],
)
def test_its_state_is_said_in_a_word_or_two(is_on: bool, counts: tuple[int, ...], words: str) -> None:
    workers, feeds, articles, analyses = counts
    state = WorkState(workers=workers, feeds=feeds, articles=articles, analyses=analyses)
    assert worker_words(state, is_on=is_on) == words


async def test_it_works_as_long_as_the_app_is_open(
    newsroom: Newsroom, web_settings: Settings, news_site: Site
) -> None:
    news_site.feed("/feed", rss(entries(2, base=news_site.url("/a"))))
    database = newsroom.database
    feed, _ = await database.write(insert_feed, news_site.url("/feed"), enabled=True, polling=True)
    await database.write(sync_feed, feed.id)
    given = {
        "FETCHER_ALLOWED_NETWORKS": ",".join(news_site.endpoints),
        "FETCHER_DOMAIN_DELAY": "0",
        "INFORADAR_TERMINAL_WORKER": "true",
    }
    async with opened(load_settings(web_settings.home, given), database) as terminal:
        process = terminal.app._worker._process
        assert process
        async with asyncio.timeout(60):
            while await database.read(count_items, ItemFilter()) < 2:
                await asyncio.sleep(0.05)
        await terminal.app._show_worker()
        assert "W worker off" not in terminal.text
        await terminal.press("q")
        await terminal.until_left()
    assert await asyncio.to_thread(process.wait, 30) == 0
    assert (await database.read(load_work_state)).workers == 0
