"""Add and remove the sample: its feeds, and a past made by real runs.

The recorded past comes from the program's own stages, run over the world as it was at two past times. So items,
reports, articles and analyses are what they would be if the program had run then; from there it continues live.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from inforadar.actions.admin import with_defaults
from inforadar.app.store import SAMPLE
from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.conditional import conditional_headers, parse_validators
from inforadar.fetch.engine import Engine
from inforadar.fetch.outcome import outcome_of_status, sentence_of_status
from inforadar.fetch.pace import Unpaced
from inforadar.model.feed import Feed
from inforadar.model.http import Failed, FailureReason, Fetched, FetchResult, NotModified, Request
from inforadar.model.ids import FeedId
from inforadar.sample.feeds import SAMPLE_FEEDS, past_run_times
from inforadar.sample.server import serve_sample
from inforadar.sample.world import World
from inforadar.store.database import Database
from inforadar.store.feeds.delete_feeds import purge_feeds
from inforadar.store.feeds.feeds import insert_feed, load_feeds, request_feed
from inforadar.store.leases import claim_feeds
from inforadar.urls import hostname, origin

HOST = "127.0.0.1"
CHANGE_POLL_S = 20.0


@dataclass(slots=True)
class PastWorld:
    """A fetcher that answers from the world as it was at `moment`, without a network."""

    world: World
    moment: datetime

    def now(self) -> datetime:
        return self.moment

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        path = request.url.removeprefix(self.world.base_url)
        sent = conditional_headers(request.validators, request.url)
        response = self.world.respond(path, self.moment, sent)
        headers = MappingProxyType({name.lower(): value for name, value in response.headers.items()})
        validators = parse_validators(headers, request.url)
        if response.status == 304:
            return NotModified(
                url=request.url,
                final_url=request.url,
                headers=headers,
                fetched_at=self.moment,
                validators=validators,
            )
        if response.status != 200:
            return Failed(
                url=request.url,
                outcome=outcome_of_status(response.status),
                reason=FailureReason.STATUS,
                message=sentence_of_status(response.status, hostname(request.url)),
                fetched_at=self.moment,
                status=response.status,
            )
        return Fetched(
            url=request.url,
            final_url=request.url,
            status=200,
            headers=headers,
            body=response.body,
            fetched_at=self.moment,
            validators=validators,
        )


async def add_sample(database: Database, settings: Settings, now: Callable[[], datetime]) -> list[Feed]:
    """Add the sample's feeds, one of every kind, with their recorded past; does nothing if they exist."""
    if existing := await database.read(load_feeds, origin=SAMPLE):
        return existing
    world = World(epoch=now(), base_url=f"http://{HOST}:{settings.sample.port}")
    ids: list[FeedId] = []
    for sample in SAMPLE_FEEDS:
        feed, _ = await database.write(
            insert_feed,
            f"{world.base_url}{sample.path}",
            kind=sample.kind,
            source=sample.source,
            topic=sample.topic,
            title=sample.title,
            enabled=True,
            polling=True,
            origin=SAMPLE,
            options={
                "epoch": world.epoch.isoformat(),
                **with_defaults(
                    sample.path, kind=sample.kind, selectors=sample.selectors or None, now=now()
                ).options,
            },
        )
        ids.append(feed.id)
    await _run_past(database, settings, world, ids)
    for feed_id in ids:
        await database.write(request_feed, feed_id, fallback_s=0)
    return await database.read(load_feeds, origin=SAMPLE)


async def _run_past(database: Database, settings: Settings, world: World, ids: list[FeedId]) -> None:
    """Run all stages at each of the past times."""
    past = PastWorld(world, world.epoch)
    async with open_worker(settings, database, engine=Engine(past, Unpaced()), now=past.now) as worker:
        for past.moment in past_run_times(world.epoch):
            await worker.collect(await database.write(claim_feeds, ids))
            await worker.canonicalizer.run_once()
            await worker.analysis.run_once()
            await worker.builder.run_once()


async def remove_sample(database: Database) -> int:
    """Delete the sample for good: feeds, items, articles, analyses and runs. Return the number of feeds."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    await database.write(purge_feeds, [feed.id for feed in feeds])
    return len(feeds)


async def load_world(database: Database) -> World | None:
    """Load the world that was added, from what its feeds store; None if there is none."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    if not feeds:
        return None
    return World(epoch=datetime.fromisoformat(feeds[0].options["epoch"]), base_url=origin(feeds[0].url))


@asynccontextmanager
async def serving_sample(database: Database) -> AsyncIterator[None]:
    """Serve the sample's feeds, if they were added and no other process serves them."""
    world = await load_world(database)
    runner = None
    if world is not None:
        # The port is taken: `inforadar up` is running and serves the sample.
        with suppress(UsageError):
            runner = await serve_sample(world, int(world.base_url.rpartition(":")[2]))
    try:
        yield
    finally:
        if runner is not None:
            await runner.cleanup()


async def request_changed_feeds(
    database: Database, world: World, now: Callable[[], datetime], stop: asyncio.Event
) -> None:
    """Request the feeds whose document changed, until `stop`: waiting for the hourly schedule would take too long."""
    seen: dict[FeedId, str] = {}
    while not stop.is_set():
        for feed in await database.read(load_feeds, origin=SAMPLE):
            path = feed.url.removeprefix(world.base_url)
            version = world.respond(path, now(), {}).headers.get("ETag", "")
            if seen.setdefault(feed.id, version) != version:
                seen[feed.id] = version
                await database.write(request_feed, feed.id)
        with suppress(TimeoutError):
            async with asyncio.timeout(CHANGE_POLL_S):
                await stop.wait()
