"""The feeds page: each feed with its health in words, its last month and its actions.

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
from inforadar.actions.edit import edit_live
from inforadar.actions.switch import switch_feed, sync_feed
from inforadar.config import FetcherSettings
from inforadar.errors import NotFoundError, UsageError
from inforadar.model.feed import ErrorPolicy, Feed
from inforadar.model.feed_options import Content
from inforadar.model.ids import FeedId
from inforadar.model.subscription import FeedChanges
from inforadar.store.database import Database
from inforadar.store.feeds.history import FeedDay, load_feed_days
from inforadar.store.feeds.pages import load_feed_page
from inforadar.store.feeds.queries import load_broken_count, load_feed, load_former_urls
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.views.feed_health import ON_PAGE, Health, HealthState, feed_health
from inforadar.views.rhythm import DAY_NAMES, polling_sentence, week_map
from inforadar.web.feeds.rss import PATH as RSS_PATH
from inforadar.web.feeds.rss_query import parse_content
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.routing import resource
from inforadar.web.pages.feed_query import parse_feed_query
from inforadar.web.pages.plots import Plot, sparkline
from inforadar.web.pages.templating import Pages

PAGE_FEEDS = 50
HISTORY_DAYS = 30
NOTICES = {
    "added": "Added. A running worker fetches it now.",
    "known": "You have this one already.",
    "synced": "Asked for. A running worker fetches it now.",
    "enabled": "Enabled.",
    "disabled": "Disabled. It is neither fetched nor shown.",
    "polls": "It is fetched again after each success.",
    "rests": "It is fetched only when asked for.",
    "saved": "Saved. A running worker fetches it now.",
    "moved": "Saved. Its headers and password were deleted, because they belong to the former site. "
    "A running worker fetches it now.",
    "deleted": "Deleted. Add it again to have it back.",
    "off": "It is disabled, so nobody would fetch it. Enable it first.",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRoutes:
    database: Database
    fetcher: FetcherSettings
    pages: Pages
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            resource("/feeds", get=self.show_list),
            resource("/feeds/{id:uuid}", get=self.show, post=self.edit),
            resource("/feeds/{id:uuid}/sync", post=self.sync),
            resource("/feeds/{id:uuid}/enabled", post=self.switch_enabled),
            resource("/feeds/{id:uuid}/polling", post=self.switch_polling),
            resource("/feeds/{id:uuid}/delete", get=self.ask_to_delete, post=self.delete),
        ]

    async def show_list(self, request: Request) -> Response:
        query = parse_feed_query(request.query_params)
        page = await self.database.read(load_feed_page, query.filter, limit=PAGE_FEEDS, before=query.before)
        return self.pages.render(
            request,
            "feeds.html",
            query=query,
            rows=await self._rows(page.feeds),
            older=replace(query, before=page.next).href if page.next else None,
            newest=replace(query, before=None).href if query.before else None,
            is_partial=page.is_partial,
            says=_notice(request),
            broken=await self.database.read(load_broken_count),
        )

    async def show(self, request: Request) -> Response:
        feed = await self._feed(request)
        (row,) = await self._rows([feed])
        rhythm, now = (await self.database.read(load_rhythms, [feed.id])).get(feed.id), self.now()
        return self.pages.render(
            request,
            "feed.html",
            row=row,
            timing=polling_sentence(feed, rhythm, now),
            week=list(zip(DAY_NAMES, week_map(rhythm, feed, now), strict=False)),
            former=await self.database.read(load_former_urls, feed.id),
            policies=list(ErrorPolicy),
            contents=list(Content),
            says=_notice(request, feed),
            broken=await self.database.read(load_broken_count),
        )

    async def edit(self, request: Request) -> Response:
        """Edit a feed, which enables it and its polling (B3). Empty: the feed's own title; UTC as the time zone."""
        feed, form = await self._feed(request), await read_form(request)
        policy = form.text("error_policy")
        if policy is not None and policy not in set(ErrorPolicy):
            raise UsageError(f"The error policy must be one of {', '.join(ErrorPolicy)}.")
        source, topic = form.word("source"), form.word("topic")
        if source is None or topic is None:
            raise UsageError("A feed needs a source and a topic.")
        url = form.text("url")
        changes = FeedChanges(
            url=url if url and url != feed.url else None,
            source=source,
            topic=topic,
            enforce_feed_domain=form.text("any_host") is None,
            error_policy=ErrorPolicy(policy) if policy else None,
            options={
                "title": form.word("title"),
                "timezone": form.word("timezone"),
                "content": parse_content(form.text("content") or ""),
            },
        )
        edited = await edit_live(self.database, self.fetcher, feed.id, changes)
        return redirect_to(
            request, f"/feeds/{feed.id}?says={'moved' if edited.dropped_credentials else 'saved'}"
        )

    async def sync(self, request: Request) -> Response:
        feed, form = await self._feed(request), await read_form(request)
        if not feed.enabled:
            return _redirect_back(request, form, feed, "off")
        await sync_feed(self.database, feed.id)
        return _redirect_back(request, form, feed, "synced")

    async def switch_enabled(self, request: Request) -> Response:
        feed, form = await self._feed(request), await read_form(request)
        on = _is_on(form)
        await switch_feed(self.database, feed.id, enabled=on)
        return _redirect_back(request, form, feed, "enabled" if on else "disabled")

    async def switch_polling(self, request: Request) -> Response:
        feed, form = await self._feed(request), await read_form(request)
        on = _is_on(form)
        await switch_feed(self.database, feed.id, polling=on)
        return _redirect_back(request, form, feed, "polls" if on else "rests")

    async def ask_to_delete(self, request: Request) -> Response:
        return self.pages.render(request, "feed_delete.html", feed=await self._feed(request), broken=0)

    async def delete(self, request: Request) -> Response:
        """Soft-delete a feed: adding it again restores it."""
        feed = await self._feed(request)
        await delete_feed(self.database, feed.id, self.now())
        return redirect_to(request, "/feeds?says=deleted")

    async def _rows(self, feeds: Sequence[Feed]) -> list[FeedRow]:
        now = self.now()
        today = now.astimezone(UTC).date()
        since = today - timedelta(days=HISTORY_DAYS - 1)
        days = await self.database.read(load_feed_days, [feed.id for feed in feeds], since)
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

    async def _feed(self, request: Request) -> Feed:
        feed = await self.database.read(load_feed, FeedId(UUID(str(request.path_params["id"]))))
        if feed.deleted_at is not None:
            raise NotFoundError(f"{feed.url} was deleted. Add it again to have it back.")
        return feed


def _notice(request: Request, feed: Feed | None = None) -> str | None:
    says = request.query_params.get("says", "")
    if says == "twin" and feed:
        return f"You already follow this as {feed.url}. Nothing was changed."
    return NOTICES.get(says)


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
