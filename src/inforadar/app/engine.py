"""Assembles the polite engine from the settings: HTTP client, pacer, and the store of host slots."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from inforadar.app.redis import needs_redis_extra
from inforadar.app.store import SAMPLE
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.fetch.client import Client
from inforadar.fetch.engine import Engine
from inforadar.fetch.guard import AllowedNetworks
from inforadar.fetch.pace import Free, Pause, Reserve, SharedPacer
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.hosts.queries import load_crawl_delays, load_pauses
from inforadar.store.hosts.save import free_slots, pause_host, reserve_slots
from inforadar.urls import domain_key, host_key

SLOT_MARGIN_S = 15.0
"""How much longer than the request timeout a host's slot is held, for the work around the request."""


@asynccontextmanager
async def open_engine(settings: Settings, database: Database) -> AsyncIterator[Engine]:
    """Open the engine for web requests. The guard's only exception is the address of the sample, if it is installed."""
    sample = await sample_hosts(database)
    client = _make_client(settings, sample)
    async with _open_pacer(database, settings, sample) as pacer, client:
        yield Engine(client, pacer)


async def make_guarded_client(settings: Settings, database: Database) -> Client:
    """Make the same client without a pacer, for what a person waits for."""
    return _make_client(settings, await sample_hosts(database))


def _make_client(settings: Settings, sample: frozenset[str]) -> Client:
    fetcher = settings.fetcher
    return Client(
        user_agent=fetcher.agent,
        timeout_s=fetcher.request_timeout,
        max_bytes=int(fetcher.max_body_size_mb * 2**20),
        allowed=AllowedNetworks.parse([*fetcher.allowed_networks, *sorted(sample)]),
        proxy=fetcher.proxy or None,
    )


async def sample_hosts(database: Database) -> frozenset[str]:
    """`address:port` of the sample's server, if its feeds are installed."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    return frozenset(host_key(feed.url) for feed in feeds)


@dataclass(frozen=True, slots=True)
class DatabaseSlots:
    """Stores slots, pauses and crawl delays of hosts in the table `hosts`."""

    database: Database

    async def reserve(self, hosts: Sequence[str], hold_s: float) -> Mapping[str, tuple[float, float]]:
        return await self.database.write(reserve_slots, hosts, hold_s)

    async def free(self, delays: Mapping[str, float]) -> None:
        await self.database.write(free_slots, delays)

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        await self.database.write(pause_host, host, seconds, reason)

    async def load(self) -> tuple[Mapping[str, datetime], Mapping[str, float]]:
        return await self.database.read(load_pauses), await self.database.read(load_crawl_delays)


@asynccontextmanager
async def _open_pacer(
    database: Database, settings: Settings, unpaced: frozenset[str]
) -> AsyncIterator[SharedPacer]:
    """Open a pacer that keeps its slots in Redis if that is configured, else in the table `hosts`."""
    table = DatabaseSlots(database)
    async with AsyncExitStack() as stack:
        slots: tuple[Reserve, Free, Pause] = table.reserve, table.free, table.pause
        if settings.redis.url:
            with needs_redis_extra():
                from inforadar.fetch.pace_redis import open_redis_slots  # noqa: PLC0415 - an extra
            url = settings.redis.url.get_secret_value()
            shared = await stack.enter_async_context(
                open_redis_slots(url, reserve=table.reserve, free=table.free, pause=table.pause)
            )
            slots = shared.reserve, shared.free, shared.pause
        pacer = SharedPacer(
            delay_s=settings.fetcher.domain_delay,
            hold_s=settings.fetcher.request_timeout + SLOT_MARGIN_S,
            unpaced=unpaced,
            reserve=slots[0],
            free=slots[1],
            pause=slots[2],
            load=table.load,
            now=utc_now,
            key_of=domain_key if settings.fetcher.pace_by == "domain" else str,
        )
        try:
            yield pacer
        finally:
            await pacer.close()
