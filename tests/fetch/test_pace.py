"""Hosts are not asked during their delay, by any job of a batch, any process or any machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from inforadar.app.worker import open_worker
from inforadar.config import load_settings
from inforadar.errors import StoreError
from inforadar.fetch.pace import SLOT_POLL_S, SharedPacer, wait_for_turn
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.hosts.queries import load_crawl_delays, load_pauses
from inforadar.store.hosts.save import free_slots, pause_host, reserve_slots
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later
from inforadar.urls import domain_key
from tests.chaos.workers import Setup, worker
from tests.store.making import rows
from tests.support.site import Answer, Exchange, Fault, Site, SiteRequest, status
from tests.support.site.documents import Entry, rss
from tests.support.site.server import render

DELAY_S = 0.3
CROWDED, RATE_LIMITED, *OTHERS = (f"127.0.0.{last}" for last in range(1, 6))


async def add_feeds(database: Database, urls: Sequence[str]) -> None:
    def insert(connection: Any) -> None:
        for url in urls:
            feed, _ = insert_feed(connection, url, enabled=True, polling=True)
            request_feed(connection, feed.id)

    await database.write(insert)


def document(site: Site, host: str, number: int) -> str:
    return rss([Entry(url=site.url(f"/articles/{number}", host))])


@pytest.fixture(params=["in the database", "in Redis"])
def pacing(request: pytest.FixtureRequest) -> Mapping[str, str]:
    """Settings for each place where slots are kept."""
    if request.param == "in Redis":
        return {"REDIS_URL": request.getfixturevalue("redis_url")}
    return {}


async def test_two_processes_together_keep_the_delay_and_a_pause_of_one_is_the_others_too(
    site: Site, database: Database, database_url: str, pacing: Mapping[str, str], tmp_path: Path
) -> None:
    agents: set[str] = set()
    both_at_work = asyncio.Event()

    def answer(request: SiteRequest) -> Answer:
        agents.add(request.headers["user-agent"])
        if len(agents) == 2:
            both_at_work.set()
        return Answer(body=rss([Entry(url=f"{site.url('/articles', request.host)}{request.path}")]).encode())

    async def answer_late(exchange: Exchange) -> None:
        body = render(answer(exchange.request))
        await both_at_work.wait()
        await exchange.send(body)

    crowded = [site.respond(f"/{number}.xml", answer, host=CROWDED) for number in range(6)]
    too_many = status(429, retry_after="1800")
    refused = [site.respond(f"/{number}.xml", too_many, host=RATE_LIMITED) for number in range(4)]
    # These keep the first process busy until the second one is at work too.
    others = [site.respond("/feed.xml", Fault(answer_late), host=host) for host in OTHERS]
    extra = {
        "FETCHER_DOMAIN_DELAY": str(DELAY_S),
        "FETCHER_SUCCESS_INTERVAL": "3600",
        "FETCHER_BATCH_SIZE": "2",
        **pacing,
    }
    setup = Setup(home=tmp_path, database_url=database_url, site=site, extra=extra)
    async with worker(setup, "one") as one, worker(setup, "two") as two:
        for process in (one, two):
            await process.said("worker.started")
        await add_feeds(database, others)
        await site.wait_for_requests(1)
        await add_feeds(database, [*crowded, *refused])
        await site.wait_for_requests(len(crowded) + 1 + len(others), timeout_s=30)
        for process in (one, two):
            await process.said("batch.finished", times=len(process.logged("batch.started")))

    arrived = [request.at for request in site.requests if request.host == CROWDED]
    assert len(arrived) == len(crowded)
    assert min(later - earlier for earlier, later in pairwise(arrived)) >= DELAY_S
    assert len([request for request in site.requests if request.host == RATE_LIMITED]) == 1
    assert len(await rows(database, items)) == len(crowded) + len(others)


FEW, MANY = 100, 900


@pytest.fixture
async def wide_site() -> AsyncIterator[Site]:
    """A site with enough hosts that each of the few feeds has its own, and one more."""
    async with Site([f"127.0.1.{last}" for last in range(1, FEW + 3)]) as running:
        yield running


async def test_a_crowded_host_delays_none_of_the_others_and_what_becomes_due_meanwhile_is_next(
    wide_site: Site, database: Database, tmp_path: Path
) -> None:
    crowded, *others, late = wide_site.hosts
    for host in wide_site.hosts:
        wide_site.feed("/feed.xml", document(wide_site, host, 1), host=host)
    urls = [wide_site.url("/feed.xml", host) for host in others]
    urls += [
        wide_site.feed(f"/{number}.xml", document(wide_site, crowded, number), host=crowded)
        for number in range(MANY)
    ]

    def insert(connection: Any) -> None:
        for url in urls:
            insert_feed(connection, url, enabled=True, polling=True)
        connection.execute(update(feed_schedules).values(next_run_at=db_later(-60.0)))

    await database.write(insert)
    settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(wide_site.endpoints), "domain_delay": 60}
    )
    async with open_worker(settings, database) as running:
        result, _ = await running.collecting.claim_and_collect()
        assert (result.fetched, result.added, result.postponed) == (FEW + 1, FEW + 1, MANY - 1)
        assert {request.host for request in wide_site.requests} == {crowded, *others}

        await add_feeds(database, [wide_site.url("/feed.xml", late)])
        result, _ = await running.collecting.claim_and_collect()
        assert (result.fetched, result.added, result.postponed) == (1, 1, 0)
        assert wide_site.requests[-1].host == late

    now = datetime.now(UTC)
    fetched = {row.id for row in await rows(database, feeds) if row.last_fetched_at}
    turns = sorted(
        (row.next_run_at - now).total_seconds()
        for row in await rows(database, feed_schedules)
        if row.id not in fetched
    )
    # One minute apart, the first within the next minute: each is due when its host is free for it.
    assert len(turns) == MANY - 1
    assert 0 < turns[0] <= 60
    assert all(59 < later - earlier < 61 for earlier, later in pairwise(turns))


HOST = "news.example:443"
Open = Callable[..., SharedPacer]


@pytest.fixture
def pacer(database: Database) -> Open:
    """A pacer like the one of another process, on the same table."""

    def opened(
        *, hold_s: float = 60.0, delay_s: float = 0.01, faults: Sequence[Exception] = ()
    ) -> SharedPacer:
        coming = list(faults)

        async def free(delays: Mapping[str, float]) -> None:
            if coming:
                raise coming.pop(0)
            await database.write(free_slots, delays)

        async def load() -> tuple[Mapping[str, datetime], Mapping[str, float]]:
            return await database.read(load_pauses), await database.read(load_crawl_delays)

        return SharedPacer(
            delay_s=delay_s,
            hold_s=hold_s,
            unpaced=frozenset(),
            reserve=lambda hosts, seconds: database.write(reserve_slots, hosts, seconds),
            free=free,
            pause=lambda host, seconds, reason: database.write(pause_host, host, seconds, reason),
            load=load,
            now=lambda: datetime.now(UTC),
        )

    return opened


async def test_whoever_gives_a_slot_back_too_late_does_not_give_away_anothers(pacer: Open) -> None:
    frozen, other, third = pacer(hold_s=0.02), pacer(), pacer()
    assert await frozen.reserve([HOST]) == {HOST: 0.0}
    await asyncio.wait_for(wait_for_turn(other, HOST), 10)
    frozen.done(HOST)
    await frozen.close()
    assert (await third.reserve([HOST]))[HOST] == SLOT_POLL_S


async def test_a_slot_that_a_redirect_gave_back_is_not_given_back_again(pacer: Open) -> None:
    first, other, third = pacer(), pacer(), pacer()
    await first.reserve([HOST])
    first.done(HOST)
    await first.close()
    await asyncio.wait_for(wait_for_turn(other, HOST), 10)
    first.done(HOST)
    await first.close()
    assert (await third.reserve([HOST]))[HOST] == SLOT_POLL_S


async def test_a_slot_that_could_not_be_given_back_is_given_back_with_the_next(pacer: Open) -> None:
    first, other = pacer(faults=[StoreError("The database is away.")]), pacer()
    await first.reserve([HOST])
    first.done(HOST)
    await first.close()
    assert (await other.reserve([HOST]))[HOST] == SLOT_POLL_S
    await first.reserve(["elsewhere.example:443"])
    assert (await other.reserve([HOST]))[HOST] < SLOT_POLL_S


async def test_a_request_under_way_elsewhere_is_not_waited_for_to_its_latest_end(pacer: Open) -> None:
    slow, quick = pacer(delay_s=30), pacer(delay_s=3)
    await slow.reserve([HOST])
    assert (await quick.reserve([HOST]))[HOST] == 3
    await slow.pause(HOST, 1800, "Too many requests.")
    assert 1790 < (await quick.reserve([HOST]))[HOST] <= 1800
    slow.done(HOST)
    await slow.close()
    assert 1790 < (await quick.reserve([HOST]))[HOST] <= 1800


async def test_the_hosts_of_a_domain_share_one_slot_if_the_setting_says_so() -> None:
    taken: dict[str, float] = {}

    async def reserve(keys: Sequence[str], hold_s: float) -> dict[str, tuple[float, float]]:
        waits = {key: (taken.get(key, 0.0), 0.0) for key in keys}
        taken.update({key: hold_s for key, (slot_s, _) in waits.items() if not slot_s})
        return waits

    async def free(delays: Mapping[str, float]) -> None:
        for key in delays:
            del taken[key]

    async def load() -> tuple[dict[str, datetime], dict[str, float]]:
        return {}, {}

    async def pause(host: str, seconds: float, reason: str) -> None: ...

    pacer = SharedPacer(
        delay_s=3.0,
        hold_s=45.0,
        unpaced=frozenset(),
        reserve=reserve,
        free=free,
        pause=pause,
        load=load,
        now=lambda: datetime(2026, 3, 2, tzinfo=UTC),
        key_of=domain_key,
    )
    waits = await pacer.reserve(["a.example.com:443", "b.example.com:443", "other.net:443"])
    assert waits == {"a.example.com:443": 0.0, "b.example.com:443": 3.0, "other.net:443": 0.0}
    pacer.done("a.example.com:443")
    await pacer.close()
    assert await pacer.reserve(["b.example.com:443"]) == {"b.example.com:443": 0.0}
    await pacer.close()
