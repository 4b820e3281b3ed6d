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

from inforadar.actions.delete import purge_feeds
from inforadar.actions.subscribe import subscribe_all
from inforadar.actions.switch import request_feeds
from inforadar.app.store import SAMPLE
from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.conditional import conditional_headers, parse_validators
from inforadar.fetch.engine import Engine
from inforadar.fetch.outcome import describe_status, outcome_of_status
from inforadar.fetch.pace import Unpaced
from inforadar.model.feed import Feed
from inforadar.model.feed_options import FeedOptions
from inforadar.model.http import Failed, FailureReason, Fetched, FetchResult, NotModified, Request
from inforadar.model.ids import FeedId
from inforadar.model.subscription import Start, WantedFeed
from inforadar.pipeline.schedule import default_cutoff
from inforadar.sample.feeds import SAMPLE_FEEDS, SampleFeed, past_run_times
from inforadar.sample.server import serve_sample
from inforadar.sample.world import World
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.leases import claim_feeds
from inforadar.urls import hostname, normalize, origin, uid

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
                message=describe_status(response.status, hostname(request.url)),
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
    wanted = [_wanted(sample, world) for sample in SAMPLE_FEEDS]
    added = await subscribe_all(database, settings.fetcher, wanted, _START)
    ids = [one.feed.id for one in added]
    await _run_past(database, settings, world, ids)
    await request_feeds(database, ids, fallback_s=0)
    return await database.read(load_feeds, origin=SAMPLE)


_START = Start(enabled=True, polling=True)
"""The feeds are requested once their past has been recorded."""


def _wanted(sample: SampleFeed, world: World) -> WantedFeed:
    return WantedFeed(
        url=f"{world.base_url}{sample.path}",
        kind=sample.kind,
        source=sample.source,
        topic=sample.topic,
        title=sample.title,
        origin=SAMPLE,
        options=FeedOptions(
            epoch=world.epoch.isoformat(),
            selectors=sample.selectors or None,
            # The sample's past must be collected whatever the settings say.
            cutoff_date=default_cutoff(world.epoch),
        ),
    )


async def _run_past(database: Database, settings: Settings, world: World, ids: list[FeedId]) -> None:
    """Run all stages at each of the past times."""
    past = PastWorld(world, world.epoch)
    async with open_worker(settings, database, engine=Engine(past, Unpaced()), now=past.now) as worker:
        for past.moment in past_run_times(world.epoch):
            await worker.collecting.collect_leases(await database.write(claim_feeds, ids))
            await worker.canonicalizer.run_once()
            await worker.revising.look_now([uid(normalize(url)) for url in world.changed_urls(past.moment)])
            await worker.grouping.run_once()
            await worker.analysis.run_once()
            await worker.builder.run_once()


async def remove_sample(database: Database) -> int:
    """Delete the sample for good: feeds, items, articles, analyses and runs. Return the number of feeds."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    await purge_feeds(database, [feed.id for feed in feeds])
    return len(feeds)


async def load_world(database: Database) -> World | None:
    """Load the world that was added, from what its feeds store; None if there is none."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    if not feeds:
        return None
    epoch = feeds[0].options.epoch
    if epoch is None:
        raise UsageError("The sample's feeds were changed by hand: remove the sample and add it again.")
    return World(epoch=datetime.fromisoformat(epoch), base_url=origin(feeds[0].url))


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
                await request_feeds(database, [feed.id])
        with suppress(TimeoutError):
            async with asyncio.timeout(CHANGE_POLL_S):
                await stop.wait()
