"""The page of feeds: each with its health in words, when it runs next and what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.feed import Feed
from inforadar.pipeline.health import Health, HealthState, feed_health
from inforadar.store.engine import Database
from inforadar.store.feeds import load_feeds
from inforadar.web.rss import PATH as RSS_PATH
from inforadar.web.templating import Pages


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRow:
    feed: Feed
    health: Health
    rss: str
    """Where its document is served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRoutes:
    database: Database
    pages: Pages
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [Route("/feeds", self.show_list)]

    async def show_list(self, request: Request) -> Response:
        now = self.now()
        rows = [
            FeedRow(
                feed=feed,
                health=feed_health(feed, now),
                rss=f"{RSS_PATH}?{urlencode({'url': feed.url})}",
            )
            for feed in await self.database.read(load_feeds)
        ]
        broken = sum(row.health.state is HealthState.SUSPENDED for row in rows)
        return self.pages.render(request, "feeds.html", rows=rows, broken=broken)
