"""Adding and removing the sample: its feeds, and a past that was really lived through.

The recorded state is made by the product's own stages over the world as it was at two past moments, so
items, reports, articles and analyses are what they would be if the program had run then; from there it goes
on live.
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
from inforadar.sample.feeds import SAMPLE_FEEDS, SampleFeed, past_moments
from inforadar.sample.server import serve_sample
from inforadar.sample.world import World
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.leases import claim_feeds
from inforadar.urls import hostname, origin

HOST = "127.0.0.1"
LOOK_S = 20.0


@dataclass(slots=True)
class Past:
    """Answers for the world as it was at one moment after the other, without a network."""

    world: World
    moment: datetime

    def now(self) -> datetime:
        return self.moment

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        path = request.url.removeprefix(self.world.base_url)
        sent = conditional_headers(request.validators, request.url)
        said = self.world.respond(path, self.moment, sent)
        headers = MappingProxyType({name.lower(): value for name, value in said.headers.items()})
        validators = parse_validators(headers, request.url)
        if said.status == 304:
            return NotModified(
                url=request.url,
                final_url=request.url,
                headers=headers,
                fetched_at=self.moment,
                validators=validators,
            )
        if said.status != 200:
            return Failed(
                url=request.url,
                outcome=outcome_of_status(said.status),
                reason=FailureReason.STATUS,
                message=describe_status(said.status, hostname(request.url)),
                fetched_at=self.moment,
                status=said.status,
            )
        return Fetched(
            url=request.url,
            final_url=request.url,
            status=200,
            headers=headers,
            body=said.body,
            fetched_at=self.moment,
            validators=validators,
        )


async def add_sample(database: Database, settings: Settings, now: Callable[[], datetime]) -> list[Feed]:
    """Adds its feeds, of every kind, and their recorded past. Once is enough."""
    if there := await database.read(load_feeds, origin=SAMPLE):
        return there
    world = World(epoch=now(), base_url=f"http://{HOST}:{settings.sample.port}")
    wanted = [_wanted(sample, world) for sample in SAMPLE_FEEDS]
    added = await subscribe_all(database, settings.fetcher, wanted, _START)
    ids = [one.feed.id for one in added]
    await _live_through_past(database, settings, world, ids)
    await request_feeds(database, ids, fallback_s=0)
    return await database.read(load_feeds, origin=SAMPLE)


_START = Start(enabled=True, polling=True)
"""Nothing is asked for until the past was lived through."""


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
            # Whatever the settings say: the sample's past is to be there.
            cutoff_date=default_cutoff(world.epoch),
        ),
    )


async def _live_through_past(database: Database, settings: Settings, world: World, ids: list[FeedId]) -> None:
    """A run of all stages at each of the past moments."""
    past = Past(world, world.epoch)
    async with open_worker(settings, database, engine=Engine(past, Unpaced()), now=past.now) as worker:
        for past.moment in past_moments(world.epoch):
            await worker.collecting.collect_leases(await database.write(claim_feeds, ids))
            await worker.canonicalizer.run_once()
            await worker.analysis.run_once()
            await worker.builder.run_once()


async def remove_sample(database: Database) -> int:
    """Deletes the sample for good: feeds, items, articles, analyses and runs. Returns how many feeds."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    await purge_feeds(database, [feed.id for feed in feeds])
    return len(feeds)


async def load_world(database: Database) -> World | None:
    """The world that was added, as its feeds remember it."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    if not feeds:
        return None
    epoch = feeds[0].options.epoch
    if epoch is None:
        raise UsageError("The sample's feeds were changed by hand: remove the sample and add it again.")
    return World(epoch=datetime.fromisoformat(epoch), base_url=origin(feeds[0].url))


@asynccontextmanager
async def serving_sample(database: Database) -> AsyncIterator[None]:
    """Lets the sample's feeds answer, if they are there and nobody else serves them."""
    world = await load_world(database)
    runner = None
    if world is not None:
        # Port taken: `inforadar up` runs beside us and serves it.
        with suppress(UsageError):
            runner = await serve_sample(world, int(world.base_url.rpartition(":")[2]))
    try:
        yield
    finally:
        if runner is not None:
            await runner.cleanup()


async def announce(
    database: Database, world: World, now: Callable[[], datetime], stop: asyncio.Event
) -> None:
    """Asks for the feeds whose document changed, until `stop`: the schedule's hour would be long to wait for."""
    seen: dict[FeedId, str] = {}
    while not stop.is_set():
        for feed in await database.read(load_feeds, origin=SAMPLE):
            path = feed.url.removeprefix(world.base_url)
            version = world.respond(path, now(), {}).headers.get("ETag", "")
            if seen.setdefault(feed.id, version) != version:
                seen[feed.id] = version
                await request_feeds(database, [feed.id])
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await stop.wait()
