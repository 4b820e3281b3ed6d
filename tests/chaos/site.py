"""Feeds that number their articles and grow while they are read.

Article n of a feed is in its document from version n on, and the ETag of a version is its number. So an ETag
in the database says exactly which articles must stand beside it, and an ETag in a request says what the worker
believes to have stored. A document shows the last few articles only: one that is skipped is gone for good.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from sqlalchemy import Connection, select, update

from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import db_now
from tests.support.site import Answer, Exchange, Fault, Site, SiteRequest
from tests.support.site.answers import bomb, endless, resets
from tests.support.site.documents import entries, rss
from tests.support.site.server import render

_ask = update(feed_schedules).values(requested_at=db_now())
SHOWN = 12
"""Articles in a document."""


@functools.cache
def _hostile() -> tuple[Answer | Fault, ...]:
    """Return answers that harm a reader; made once, because a bomb takes a second."""
    return bomb(200 * 2**20), endless(), resets(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n<rss")


MAX_NEW = 3
"""By so many a feed grows at most after each answer."""


@dataclass(slots=True)
class NumberedFeed:
    """One feed of the site."""

    url: str
    articles: str
    """What the URLs of its articles begin with."""
    version: int = 1
    confirmed: int = 0
    """The newest version that some request said to have."""

    def article_urls(self) -> set[str]:
        """Everything that was ever in its document, and may be by now."""
        return {f"{self.articles}/{number}" for number in range(1, self.version + 1)}

    def document(self) -> Answer:
        first = max(self.version - SHOWN + 1, 1)
        shown = entries(self.version - first + 1, self.articles, first)
        headers = {"Content-Type": "application/rss+xml", "ETag": f'"{self.version}"'}
        return Answer(body=rss(shown).encode(), headers=headers)


class Held:
    """Answers that are kept back."""

    def __init__(self, requests: int) -> None:
        self._missing = requests
        self._all_asked = asyncio.Event()
        self._let_go = asyncio.Event()

    def late(self, answer: Answer) -> Fault:
        self._missing -= 1
        if self._missing <= 0:
            self._all_asked.set()

        async def run(exchange: Exchange) -> None:
            await self._let_go.wait()
            await exchange.send(render(answer))

        return Fault(run)

    async def all_asked(self) -> None:
        """Until all of the requests are out."""
        await asyncio.wait_for(self._all_asked.wait(), 60)

    def let_go(self) -> None:
        self._let_go.set()


class NumberedSite:
    """Numbered feeds on the hosts of a `Site`."""

    def __init__(self, site: Site, feeds: int, random: Random, *, hostile: int = 0) -> None:
        self._random = random
        self.on_request: Callable[[str], None] | None = None
        """Told the User-Agent of each request."""
        self.on_growth: Callable[[NumberedFeed], None] | None = None
        """Told of a feed that has grown."""
        self.is_growing = True
        self._held: dict[str, Held] = {}
        self.feeds = [self._add(site, number) for number in range(feeds)]
        self.hostile_urls = [
            site.respond(f"/hostile/{number}", harm, host=site.hosts[number % len(site.hosts)])
            for number, harm in zip(range(hostile), itertools.cycle(_hostile()))
        ]

    def _add(self, site: Site, number: int) -> NumberedFeed:
        host = site.hosts[number % len(site.hosts)]
        feed = NumberedFeed(
            url=site.url(f"/{number}/feed.xml", host), articles=site.url(f"/{number}/articles", host)
        )
        site.respond(f"/{number}/feed.xml", lambda request: self._answer(feed, request), host=host)
        return feed

    def _answer(self, feed: NumberedFeed, request: SiteRequest) -> Answer | Fault:
        if self.on_request:
            self.on_request(request.headers["user-agent"])
        known = int(request.headers.get("if-none-match", "0").strip('"'))
        feed.confirmed = max(feed.confirmed, known)
        answer = Answer(status=304) if known == feed.version else feed.document()
        held = self._held.get(request.headers["user-agent"])
        # It grows once the answer is settled, and never by more than a document shows beyond what is confirmed.
        room = feed.confirmed + SHOWN - feed.version
        if self.is_growing:
            feed.version += self._random.randint(0, max(min(MAX_NEW, room), 0))
            if self.on_growth:
                self.on_growth(feed)
        return held.late(answer) if held else answer

    def ask_for_hostile(self, connection: Connection) -> None:
        """Someone wants the hostile feeds again and again, whatever came of them."""
        wanted = select(feeds.c.id).where(feeds.c.url.in_(self.hostile_urls))
        connection.execute(_ask.where(feed_schedules.c.id.in_(wanted)))

    def ask_for_all(self, connection: Connection) -> None:
        """Also for those that wait a minute because the disk was full."""
        connection.execute(_ask)

    def hold(self, agent: str, requests: int = 1) -> Held:
        """From now on this agent gets its answers only when it is let go; they are as old as its requests."""
        self._held[agent] = Held(requests)
        return self._held[agent]
