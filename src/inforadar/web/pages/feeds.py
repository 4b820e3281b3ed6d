"""The feeds page: each feed with its health in words, its last month and its actions; and the list of deleted feeds.

Each change is a plain form and calls the same function as the command of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.delete import delete_feed
from inforadar.actions.restore import restore_feed
from inforadar.actions.switch import fetch_soon, switch_feed
from inforadar.errors import NotFoundError, UsageError
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.feeds.history import FeedDay, load_feed_days
from inforadar.store.feeds.pages import load_deleted_feeds, load_feed_page
from inforadar.store.feeds.queries import load_broken_count, load_feed
from inforadar.translations import gettext as _
from inforadar.translations import pgettext, term
from inforadar.views.feed_health import ON_PAGE, Health, HealthState, feed_health
from inforadar.web.feeds.rss import PATH as RSS_PATH
from inforadar.web.http import parameters
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.routing import resource
from inforadar.web.pages.feed_query import parse_feed_query
from inforadar.web.pages.plots import Plot, sparkline
from inforadar.web.pages.templating import Pages

PAGE_FEEDS = 50
HISTORY_DAYS = 30
NOTICES = {
    "added": term("notice", "Added. It is fetched now, and this page fills itself."),
    "known": term("notice", "You have this one already."),
    "synced": term("notice", "Asked for. A running worker fetches it now."),
    "just_synced": term("notice", "It was asked for a moment ago. It can be fetched again in half a minute."),
    "enabled": term("notice", "Enabled."),
    "disabled": term("notice", "Disabled. It is neither fetched nor shown."),
    "polls": term("notice", "It is fetched again after each success."),
    "rests": term("notice", "It is fetched only when asked for."),
    "saved": term("notice", "Saved. A running worker fetches it now."),
    "unchanged": term("notice", "Nothing was changed."),
    "moved": term(
        "notice",
        "Saved. Its headers and password were deleted, because they belong to the former site. "
        "A running worker fetches it now.",
    ),
    "restored": term("notice", "Restored, with its settings and its articles."),
    "restored_off": term(
        "notice",
        "Restored, with its settings and its articles. It is disabled: enable it to have it fetched.",
    ),
    "off": term("notice", "It is disabled, so nobody would fetch it. Enable it first."),
}
"""Notices at the top of a page, by the key in its URL: a link cannot inject any other text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRow:
    feed: Feed
    health: Health
    days: Sequence[FeedDay]
    spark: Plot
    rss: str
    """The URL of its RSS document."""

    @property
    def has_news(self) -> bool:
        """Whether the health sentence says more than the last and next fetch, which are shown beside it."""
        feed = self.feed
        is_calm = feed.locked_until is None and feed.requested_at is None and feed.duplicate_of is None
        return not (self.health.state is HealthState.SUCCESS and is_calm)


async def load_rows(database: Database, feeds: Sequence[Feed], now: datetime) -> list[FeedRow]:
    """Load what the pages show of each feed."""
    today = now.astimezone(UTC).date()
    since = today - timedelta(days=HISTORY_DAYS - 1)
    days = await database.read(load_feed_days, [feed.id for feed in feeds], since)
    return [
        FeedRow(
            feed=feed,
            health=feed_health(feed, now, ON_PAGE),
            days=days[feed.id],
            spark=sparkline(days[feed.id], today, HISTORY_DAYS),
            rss=f"{RSS_PATH}?{urlencode({'url': feed.url})}",
        )
        for feed in feeds
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRoutes:
    database: Database
    pages: Pages
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            resource("/feeds", get=self.show_list),
            resource("/feeds/deleted", get=self.show_deleted),
            resource("/feeds/{id:uuid}/sync", post=self.sync),
            resource("/feeds/{id:uuid}/enabled", post=self.switch_enabled),
            resource("/feeds/{id:uuid}/polling", post=self.switch_polling),
            resource("/feeds/{id:uuid}/delete", post=self.delete),
            resource("/feeds/{id:uuid}/restore", post=self.restore),
        ]

    async def show_list(self, request: Request) -> Response:
        query = parse_feed_query(request.query_params)
        page = await self.database.read(load_feed_page, query.filter, limit=PAGE_FEEDS, before=query.before)
        return self.pages.render(
            request,
            "feeds.html",
            query=query,
            rows=await load_rows(self.database, page.feeds, self.now()),
            older=replace(query, before=page.next).href if page.next else None,
            newest=replace(query, before=None).href if query.before else None,
            is_partial=page.is_partial,
            says=notice_of(request),
            deleted=await self._just_deleted(request),
            broken=await self.database.read(load_broken_count),
        )

    async def _just_deleted(self, request: Request) -> Feed | None:
        """The feed that was deleted a moment ago, for the Undo button."""
        feed_id = parameters.uuid(request.query_params, "deleted")
        if feed_id is None:
            return None
        feed = await self.database.read(load_feed, FeedId(feed_id))
        return feed if feed.deleted_at else None

    async def show_deleted(self, request: Request) -> Response:
        """List the deleted feeds, those deleted last first."""
        before = parameters.uuid(request.query_params, "before")
        page = await self.database.read(
            load_deleted_feeds, limit=PAGE_FEEDS, before=FeedId(before) if before else None
        )
        return self.pages.render(
            request,
            "feeds_deleted.html",
            feeds=page.feeds,
            older=page.next,
            is_first=before is None,
            says=notice_of(request),
            broken=await self.database.read(load_broken_count),
        )

    async def sync(self, request: Request) -> Response:
        feed, form = await load_live_feed(self.database, request), await read_form(request)
        if not feed.enabled:
            return _redirect_back(request, form, feed, "off")
        is_requested = await fetch_soon(self.database, feed.id)
        return _redirect_back(request, form, feed, "synced" if is_requested else "just_synced")

    async def switch_enabled(self, request: Request) -> Response:
        feed, form = await load_live_feed(self.database, request), await read_form(request)
        on = _is_on(form)
        await switch_feed(self.database, feed.id, enabled=on)
        return _redirect_back(request, form, feed, "enabled" if on else "disabled")

    async def switch_polling(self, request: Request) -> Response:
        feed, form = await load_live_feed(self.database, request), await read_form(request)
        on = _is_on(form)
        await switch_feed(self.database, feed.id, polling=on)
        return _redirect_back(request, form, feed, "polls" if on else "rests")

    async def delete(self, request: Request) -> Response:
        """Soft-delete a feed, and lead to a list that offers Undo."""
        feed, form = await load_live_feed(self.database, request), await read_form(request)
        await delete_feed(self.database, feed.id, self.now())
        href = parse_feed_query(QueryParams(form.text("back") or "")).href
        return redirect_to(request, f"{href}{'&' if '?' in href else '?'}deleted={feed.id}")

    async def restore(self, request: Request) -> Response:
        """Bring a deleted feed back exactly as it was, of whatever kind."""
        feed = await restore_feed(self.database, feed_id_of(request))
        return redirect_to(request, f"/feeds/{feed.id}?says={'restored' if feed.enabled else 'restored_off'}")


async def load_live_feed(database: Database, request: Request) -> Feed:
    """Load the feed that the URL names; raise `NotFoundError` if it was deleted."""
    feed = await database.read(load_feed, feed_id_of(request))
    if feed.deleted_at is not None:
        raise NotFoundError(
            _("%(url)s was deleted. Restore it from the list of deleted feeds.", url=feed.url)
        )
    return feed


def feed_id_of(request: Request) -> FeedId:
    return FeedId(UUID(str(request.path_params["id"])))


def notice_of(request: Request, feed: Feed | None = None) -> str | None:
    says = request.query_params.get("says", "")
    if says == "twin" and feed:
        return _("You already follow this as %(url)s. Nothing was changed.", url=feed.url)
    return pgettext("notice", NOTICES[says]) if says in NOTICES else None


def _is_on(form: Form) -> bool:
    value = form.text("to")
    if value not in {"on", "off"}:
        raise UsageError("A switch must be on or off.")
    return value == "on"


def _redirect_back(request: Request, form: Form, feed: Feed, says: str) -> Response:
    """Redirect to where the button was: the list as it was shown, or the feed."""
    if "back" not in form.fields:
        return redirect_to(request, f"/feeds/{feed.id}?says={says}")
    href = parse_feed_query(QueryParams(form.text("back") or "")).href
    return redirect_to(request, f"{href}{'&' if '?' in href else '?'}says={says}")
