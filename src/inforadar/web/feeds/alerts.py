"""`/feeds/alerts`: feeds that need attention, as a feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import escape
from starlette.requests import Request
from starlette.routing import Route

from inforadar.model.alert import Alert
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.formats import FORMATS, RSS
from inforadar.store.database import Database
from inforadar.store.rules.alerts import load_alerts
from inforadar.urls import url_hash
from inforadar.web.feeds.response import Prepared
from inforadar.web.feeds.rss_query import parse_format

MAX_ENTRIES = 100
_EMPTY_BUILT_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFeedRoutes:
    database: Database
    public_url: str

    def routes(self) -> list[Route]:
        return [
            Route(f"/feeds/alerts{ending}", self.feed) for ending in ["", *(f".{name}" for name in FORMATS)]
        ]

    async def feed(self, request: Request) -> Prepared:
        ending = request.url.path.rpartition("/feeds/alerts")[2]
        given = request.query_params.get("format")
        format_ = FORMATS[ending[1:]] if ending else parse_format(given) if given else RSS
        alerts = await self.database.read(load_alerts, only_open=False, limit=MAX_ENTRIES)
        built_at = max(
            ((one.ended_at or one.began_at).replace(microsecond=0) for one in alerts), default=_EMPTY_BUILT_AT
        )
        channel = ChannelInfo(
            title="Alerts · Info Radar",
            link=f"{self.public_url}/alerts",
            description="Feeds that are broken, silent, losing entries, moved or gone",
            self_url=f"{self.public_url}/feeds/alerts{ending}",
            built_at=built_at,
        )
        document = format_.render(channel, [self._entry(alert) for alert in alerts])
        return Prepared(document.encode(), format_.content_type, built_at, dated=False)

    def _entry(self, alert: Alert) -> Entry:
        url = f"{self.public_url}/feeds/{alert.feed_id}#alert-{alert.id}"
        over = " This is over." if alert.ended_at else ""
        return Entry(
            url=url,
            hash=url_hash(url),
            title=alert.title,
            snippet=f"{alert.message}{over}",
            published_at=alert.began_at,
            updated_at=alert.ended_at,
            content_html=f"<p>{escape(alert.message)}{over}</p>",
            tags=(alert.kind.value,),
        )
