"""The database restarted, locked or full while feeds are being collected: nothing half-written, all tried again."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import text

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.errors import StoreError
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.queries import load_feed, load_feeds
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.upkeep.upgrade import upgrade_database
from tests.chaos.audit import find_half_written, find_violations, install_audit
from tests.chaos.rounds import subscribe
from tests.chaos.site import NumberedSite
from tests.chaos.workers import Setup, worker
from tests.store.making import rows, set_due
from tests.support.servers import own_postgres
from tests.support.servers_fixtures import SqliteBackend
from tests.support.site import Exchange, Fault, Site, redirect
from tests.support.site.documents import rss
from tests.support.site.server import render

FEEDS = 8
AGENT = "worker"


@pytest.fixture
def numbered(site: Site) -> NumberedSite:
    """Feeds that stand still, so that each is stored once and then known."""
    made = NumberedSite(site, FEEDS, Random(1))
    made.is_growing = False
    return made


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0, "user_agent": AGENT}
    )


@pytest.fixture
async def sqlite_url(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[str]:
    async with SqliteBackend(sqlite_template, tmp_path).fresh() as url:
        yield url


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    async with open_database(sqlite_url, lock_timeout_s=0.05) as database:
        yield database


async def test_a_server_that_restarts_under_load_fails_a_cycle_and_loses_nothing(
    site: Site, numbered: NumberedSite, tmp_path: Path
) -> None:
    with own_postgres() as server:
        url = server.get_uri()
        async with open_database(url) as database:
            await upgrade_database(database)
            await database.write(install_audit)
            await subscribe(database, numbered)
        extra = {"FETCHER_SUCCESS_INTERVAL": "3600"}
        setup = Setup(home=tmp_path, database_url=url, site=site, extra=extra)
        held = numbered.hold(AGENT, FEEDS)
        async with worker(setup, AGENT) as running:
            await held.all_asked()
            await asyncio.to_thread(server.stop)
            held.let_go()
            failed = await running.said("batch.failed")
            await asyncio.to_thread(server.start)
            await running.said("feed.fetched", times=FEEDS)
        assert "does not answer" in failed["error"]
        assert "Is it running?" in failed["error"]
        async with open_database(url) as database:
            assert await find_violations(database, numbered.feeds) == []
            assert len(await rows(database, items)) == FEEDS


@contextmanager
def locked(database: Database) -> Iterator[None]:
    """Another process has the file for itself."""
    hold = (
        "import sqlite3, sys; "
        "sqlite3.connect(sys.argv[1], isolation_level=None).execute('BEGIN IMMEDIATE'); "
        "print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(database.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        try:
            yield
        finally:
            other.kill()


async def test_a_file_that_another_process_locks_for_a_while_fails_a_cycle_and_loses_nothing(
    sqlite: Database, numbered: NumberedSite, settings: Settings
) -> None:
    await sqlite.write(install_audit)
    await subscribe(sqlite, numbered)
    held = numbered.hold(AGENT, FEEDS)
    async with open_worker(settings, sqlite) as running:
        cycle = asyncio.create_task(running.collecting.claim_and_collect())
        await held.all_asked()
        with locked(sqlite):
            held.let_go()
            with pytest.raises(StoreError, match=r"is locked by another program for too long"):
                await cycle
            assert await rows(sqlite, items) == []
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.added, result.errors) == (FEEDS, FEEDS, {})
    assert await find_violations(sqlite, numbered.feeds) == []


async def test_a_database_that_cannot_give_a_host_its_turn_is_not_the_feeds_failure(
    database: Database, site: Site, settings: Settings
) -> None:
    asked, let_go = asyncio.Event(), asyncio.Event()

    async def redirect_late(exchange: Exchange) -> None:
        asked.set()
        await let_go.wait()
        await exchange.send(render(redirect(site.url("/new.xml", "127.0.0.2"), 302)))

    async def rename(old: str, new: str) -> None:
        await database.write(lambda c: c.execute(text(f"ALTER TABLE {old} RENAME TO {new}")))

    site.feed("/new.xml", rss(), host="127.0.0.2")
    feed, _ = await database.write(insert_feed, site.respond("/old.xml", Fault(redirect_late)), enabled=True)
    await database.write(request_feed, feed.id)
    async with open_worker(settings.replaced(fetcher={"domain_delay": 0.001}), database) as running:
        cycle = asyncio.create_task(running.collecting.claim_and_collect())
        await asyncio.wait_for(asked.wait(), 60)
        await rename("hosts", "elsewhere")
        let_go.set()
        with pytest.raises(StoreError, match=r"is not set up"):
            await cycle
        after = await database.read(load_feed, feed.id)
        assert (after.failures, after.last_error, after.locked_until) == (0, None, None)
        await rename("elsewhere", "hosts")
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.errors) == (1, {})


async def test_a_full_disk_leaves_nothing_half_written_and_the_feeds_are_tried_again_shortly(
    sqlite: Database, numbered: NumberedSite, settings: Settings
) -> None:
    for feed in numbered.feeds:
        feed.version = 10
    await subscribe(sqlite, numbered)
    async with open_worker(settings, sqlite) as running:
        pages = await sqlite.read(lambda c: c.execute(text("PRAGMA page_count")).scalar_one())
        await sqlite.write(lambda c: c.execute(text(f"PRAGMA max_page_count = {pages + 2}")))
        result, _ = await running.collecting.claim_and_collect()
        assert len(result.errors) == FEEDS
        assert all("disk is full" in error for error in result.errors.values())
        assert await rows(sqlite, items) == []
        assert await sqlite.read(find_half_written) == []
        for feed in await sqlite.read(load_feeds):
            assert (feed.last_fetch_status, feed.locked_until, feed.validators.etag) == (None, None, None)

        await sqlite.write(lambda c: c.execute(text("PRAGMA max_page_count = 1000000")))
        for feed in await sqlite.read(load_feeds):
            await set_due(sqlite, feed)
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.added, result.errors) == (FEEDS, 10 * FEEDS, {})
    assert await sqlite.read(find_half_written) == []


async def test_a_worker_stops_in_time_though_the_database_is_locked(
    sqlite: Database, sqlite_url: str, numbered: NumberedSite, site: Site, tmp_path: Path
) -> None:
    await subscribe(sqlite, numbered)
    held = numbered.hold(AGENT, FEEDS)
    async with worker(Setup(home=tmp_path, database_url=sqlite_url, site=site), AGENT) as running:
        await held.all_asked()
        with locked(sqlite):
            running.signal(signal.SIGTERM)
            async with asyncio.timeout(5):
                await running.ended()
    assert await rows(sqlite, items) == []
    assert all(row.last_fetched_at is None for row in await rows(sqlite, feeds))
