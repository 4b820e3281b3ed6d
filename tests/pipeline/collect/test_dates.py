"""Dates that feeds give, as they are stored and sorted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import load_settings
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.items.queries import list_items
from tests.support.site.documents import Entry, rss
from tests.support.site.server import Site


@pytest.fixture
async def worker(tmp_path: Path, site: Site, database: Database) -> AsyncIterator[Worker]:
    settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0}
    )
    async with open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as running:
        yield running


async def collect(database: Database, worker: Worker, url: str) -> None:
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
    await database.write(request_feed, feed.id)
    await worker.collecting.claim_and_collect()


async def test_atom_entries_with_only_a_date_of_change_sort_by_it(
    site: Site, database: Database, worker: Worker
) -> None:
    entries = "".join(
        f"<entry><id>{site.url(f'/{day}')}</id><link href='{site.url(f'/{day}')}'/><title>День {day}</title>"
        f"<updated>2026-10-{day}T08:00:00Z</updated></entry>"
        for day in (11, 13, 12)
    )
    document = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>新闻</title>{entries}</feed>"
    await collect(database, worker, site.feed("/atom.xml", document))
    stored = await database.read(list_items)
    assert [item.title for item in stored] == ["День 13", "День 12", "День 11"]
    assert stored[0].published_at == datetime(2026, 10, 13, 8, tzinfo=UTC)


async def test_a_date_in_the_future_sorts_as_the_time_first_seen(
    site: Site, database: Database, worker: Worker
) -> None:
    now = datetime.now(UTC)
    given = {
        "Скоро": now + timedelta(days=400),
        "2199": datetime(2199, 1, 1, tzinfo=UTC),
        "Вчера": now - timedelta(days=1),
    }
    entries = [
        Entry(url=site.url(f"/{n}"), title=t, published_at=at) for n, (t, at) in enumerate(given.items())
    ]
    await collect(database, worker, site.feed("/feed.xml", rss(entries)))
    stored = {item.title: item.published_at for item in await database.read(list_items)}
    assert set(stored) == set(given)
    assert all(at <= datetime.now(UTC) + timedelta(minutes=1) for at in stored.values())


async def test_a_date_years_ahead_is_no_date_of_an_article(
    site: Site, database: Database, worker: Worker
) -> None:
    soon = (datetime.now(UTC) + timedelta(days=30)).replace(microsecond=0)
    entries = "".join(
        f"<entry><id>{name}</id><link href='{site.url(f'/{name}')}'/><title>{name}</title>"
        f"<published>{at}</published><updated>{at[:-1]}.5Z</updated></entry>"
        for name, at in {"很久以后": "2199-12-31T23:59:59Z", "قريبا": f"{soon:%Y-%m-%dT%H:%M:%SZ}"}.items()
    )
    document = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>新闻</title>{entries}</feed>"
    await collect(database, worker, site.feed("/atom.xml", document))
    stored = {item.title: item for item in await database.read(list_items)}
    far, near = stored["很久以后"], stored["قريبا"]
    assert far.published_at == far.created_at
    assert (far.dated_at, far.revised_at) == (None, None)
    assert near.dated_at == soon
    assert near.revised_at is not None
