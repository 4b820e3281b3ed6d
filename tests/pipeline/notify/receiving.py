"""A receiver of webhooks on loopback, and what the tests of rules begin with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from aiohttp import web

from inforadar.app.revisions import describe_revision
from inforadar.app.stories import describe_story
from inforadar.clock import utc_now
from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from inforadar.model.feed import Feed
from inforadar.model.rule import Channel, ChannelKind
from inforadar.pipeline.notify.senders import Sender
from inforadar.pipeline.notify.stage import NotifyStage
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.rules.save_rules import insert_channel
from tests.store.making import add_feed, collect, listed

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@dataclass
class Receiver:
    url: str = ""
    status: int = 204
    hangs: bool = False
    react: Callable[[web.Request], Awaitable[web.Response]] | None = None
    """Answers instead of it."""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.requests]

    async def serve(self, request: web.Request) -> web.Response:
        return await (self.react(request) if self.react else self.answer(request))

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append((dict(request.headers), await request.read()))
        if self.hangs:
            await self.closing.wait()
        return web.Response(status=self.status)


@asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    made = Receiver()
    app = web.Application()
    app.router.add_post("/{path:.*}", made.serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    try:
        yield made
    finally:
        made.closing.set()
        await runner.cleanup()


@asynccontextmanager
async def notifier(
    database: Database,
    *,
    allowed: tuple[str, ...] = ("127.0.0.1",),
    now: datetime | None = None,
    timeout_s: float = 20,
) -> AsyncIterator[NotifyStage]:
    """A notify stage whose matches are due at once."""
    async with Client(user_agent="test/1.0", allowed=AllowedNetworks.parse(allowed)) as client:
        clock = (lambda: now) if now else utc_now
        sender = Sender(client=client, timeout_s=timeout_s, apprise_schemes=("ntfy",), now=clock)
        yield NotifyStage(
            database=database,
            sender=sender,
            settle=timedelta(0),
            now=clock,
            describe_revision=describe_revision,
            describe_story=describe_story,
        )


async def add_hook(database: Database, url: str, name: str = "hook", **settings: Any) -> Channel:
    given = {"digest": None, "quiet": None, "limit": 20, "alerts": False, **settings}
    return await database.write(insert_channel, name, ChannelKind.WEBHOOK, url, SECRET, **given)


async def known_feed(database: Database, url: str = "https://example.com/feed", **columns: Any) -> Feed:
    """A feed that has been fetched before."""
    feed = await add_feed(database, url, **columns)
    await collect(database, feed, listed(f"{url}/old", title="Old news"), at=utc_now())
    return feed


async def publish(database: Database, feed: Feed, **titles: str) -> None:
    """Collect items with these titles, and index them as the worker does."""
    items = [listed(f"https://example.com/{name}", title=title) for name, title in titles.items()]
    await collect(database, feed, *items, at=utc_now())
    await SearchIndexer(database=database).run_once()
