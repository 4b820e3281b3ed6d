"""`/api/feeds`: list, add, discover, edit, switch, fetch and delete feeds; import and export them as OPML.

Each change calls the same function as the command of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.delete import delete_feed
from inforadar.actions.edit import edit_live
from inforadar.actions.subscribe import subscribe
from inforadar.actions.switch import fetch_soon
from inforadar.config import Settings
from inforadar.errors import DuplicateFeedError, InfoRadarError, NotFoundError, ParseError, UsageError
from inforadar.model.feed import ErrorPolicy, Feed, FeedKind
from inforadar.model.feed_options import Content, FeedOptions, RevisionMode
from inforadar.model.ids import FeedId
from inforadar.model.opml import MAX_OPML_BYTES
from inforadar.model.subscription import LIVE, FeedChanges, WantedFeed
from inforadar.store.database import Database
from inforadar.store.feeds.history import FeedDay, load_feed_days
from inforadar.store.feeds.lists import count_feeds, load_feeds_after
from inforadar.store.feeds.queries import (
    find_followed,
    load_feed,
    load_feeds,
    load_former_urls,
    load_root_domains,
)
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.store.push.queries import load_subscription
from inforadar.views.json import added_document, feed_document, found_document, imported_document
from inforadar.views.push import push_document
from inforadar.views.rhythm import polling_sentence, week_map
from inforadar.web.api.answers import json_answer, json_fault
from inforadar.web.http import parameters
from inforadar.web.http.bodies import read_body, read_json
from inforadar.web.http.routing import resource

HISTORY_DAYS = 30
"""How many days of a feed's history are shown."""
FEED_ORDERS = ("added", "-added")
FEEDS_PER_PAGE = parameters.MAX_LIMIT
"""Maximum feeds per response: a million would fill the memory of both server and client."""

Word = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"\S")]
ZoneName = Annotated[str, msgspec.Meta(max_length=200)]
Unset = msgspec.UnsetType
UNSET = msgspec.UNSET


class NewFeed(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    url: str
    kind: FeedKind | None = None
    source: Word | None = None
    topic: Word | None = None
    title: Word | None = None
    timezone: ZoneName | None = None
    content: Content | None = None


class Address(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    url: str


class FeedChange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Fields that are not given stay unchanged."""

    url: str | Unset = UNSET
    kind: FeedKind | Unset = UNSET
    source: Word | Unset = UNSET
    topic: Word | Unset = UNSET
    title: Word | Unset = UNSET
    timezone: ZoneName | Unset | None = UNSET
    content: Content | Unset | None = UNSET
    revisions: RevisionMode | Unset | None = UNSET
    enforce_feed_domain: bool | Unset = UNSET
    error_policy: ErrorPolicy | Unset | None = UNSET
    enabled: bool | Unset = UNSET
    polling: bool | Unset = UNSET
    root_domain: Word | Unset | None = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionRoutes:
    database: Database
    settings: Settings
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            resource("/api/feeds", get=self.list_feeds, post=self.add),
            resource("/api/feeds/{id:uuid}", get=self.show, patch=self.edit, delete=self.delete),
            resource("/api/feeds/{id:uuid}/sync", post=self.sync),
            resource("/api/discover", post=self.discover),
            resource("/api/root-domains", get=self.list_root_domains),
            resource("/api/opml", get=self.export_opml, post=self.import_opml),
        ]

    async def list_feeds(self, request: Request) -> Response:
        """List feeds, the oldest first by default; with `days`, include each feed's last days for a sparkline."""
        given = request.query_params
        limit, after = parameters.limit(given, default=FEEDS_PER_PAGE), parameters.cursor_id(given, "after")
        sources, topics = parameters.names(given, "source"), parameters.names(given, "topic")
        found = await self.database.read(
            load_feeds_after,
            FeedId(after) if after else None,
            sources=sources,
            topics=topics,
            limit=limit + 1,
            newest_first=parameters.order(given, FEED_ORDERS, FEED_ORDERS[0]) == "-added",
        )
        feeds, now = found[:limit], self.now()
        documents = [feed_document(feed, now) for feed in feeds]
        if number := parameters.number(given, "days", 0, HISTORY_DAYS, default=0):
            days = await self.database.read(load_feed_days, [feed.id for feed in feeds], _since(now, number))
            for feed, document in zip(feeds, documents, strict=True):
                document["days"] = _days_document(days[feed.id])
        answer: dict[str, Any] = {
            "feeds": documents,
            "next": str(feeds[-1].id) if len(found) > limit else None,
        }
        if parameters.flag(given, "total"):
            answer["total"] = await self.database.read(count_feeds, sources, topics)
        return json_answer(answer)

    async def show(self, request: Request) -> Response:
        feed, now = await self._feed(request), self.now()
        days = await self.database.read(load_feed_days, [feed.id], _since(now, HISTORY_DAYS))
        former = await self.database.read(load_former_urls, feed.id)
        rhythm = (await self.database.read(load_rhythms, [feed.id])).get(feed.id)
        more = {
            "polling_sentence": polling_sentence(feed, rhythm, now),
            "week": week_map(rhythm, feed, now),
            "push": push_document(await self.database.read(load_subscription, feed.id), now),
            "site_url": feed.site_url,
            "icon": feed.icon,
            "description": feed.description,
            "error_policy": feed.error_policy,
            "etag": feed.validators.etag,
            "last_modified": feed.validators.last_modified,
            "former_urls": [
                {"url": url, "left_at": left_at.isoformat().replace("+00:00", "Z")} for url, left_at in former
            ],
            "days": _days_document(days[feed.id]),
        }
        return json_answer(self._document(feed) | more)

    async def add(self, request: Request) -> Response:
        """Add a feed: enabled, polling and fetched now. A feed that already exists stays as it is."""
        new = await read_json(request, NewFeed)
        wanted = WantedFeed(
            url=new.url,
            kind=new.kind,
            source=new.source,
            topic=new.topic,
            title=new.title,
            options=FeedOptions(timezone=new.timezone, content=new.content),
        )
        added = await subscribe(self.database, self.settings.fetcher, wanted, LIVE)
        return json_answer(added_document(added, self.now()), 201 if added.is_new else 200)

    async def edit(self, request: Request) -> Response:
        """Edit a feed. Any change other than `enabled` and `polling` also fetches it now."""
        feed = await self._feed(request)
        changes = _changes(await read_json(request, FeedChange))
        if not changes:
            raise UsageError(
                f"Nothing to change. Give at least one of: {', '.join(FeedChange.__struct_fields__)}."
            )
        try:
            edited = await edit_live(self.database, self.settings.fetcher, feed.id, changes)
        except DuplicateFeedError as fault:
            return json_fault(409, str(fault))
        more = {} if changes.url is None else {"credentials_deleted": edited.dropped_credentials}
        return json_answer(self._document(edited.feed) | more)

    async def delete(self, request: Request) -> Response:
        """Soft-delete a feed: adding it again restores it."""
        feed = await self._feed(request)
        await delete_feed(self.database, feed.id, self.now())
        return Response(status_code=204)

    async def sync(self, request: Request) -> Response:
        """Fetch a feed now, but not twice within 30 seconds; a suspended one is revived."""
        feed = await self._feed(request)
        if not feed.enabled:
            return json_fault(409, f"{feed.url} is disabled. Enable it first.")
        is_requested = await fetch_soon(self.database, feed.id)
        # The feed as it is now: requested, or just fetched.
        return json_answer(self._document(await self._feed(request)), 202 if is_requested else 200)

    async def discover(self, request: Request) -> Response:
        """Find the feeds of a site with at most three requests to it."""
        from inforadar.app.lookups import open_discovery  # noqa: PLC0415 - slow

        address = await read_json(request, Address)
        try:
            async with open_discovery(self.settings, self.database) as discovery:
                found = await discovery.discover(address.url)
        except UsageError:
            raise
        except InfoRadarError as fault:
            return json_fault(422, str(fault))
        known = [await self.database.read(find_followed, one.url) for one in found]
        documents = [found_document(one, feed) for one, feed in zip(found, known, strict=True)]
        return json_answer({"found": documents})

    async def list_root_domains(self, request: Request) -> Response:
        return json_answer({"root_domains": await self.database.read(load_root_domains)})

    async def export_opml(self, request: Request) -> Response:
        from inforadar.actions.opml import render_opml  # noqa: PLC0415 - imports lxml, which nothing else here needs

        document = render_opml(await self.database.read(load_feeds), public_url=self.settings.web.public_url)
        headers = {
            "Cache-Control": "no-cache",
            "Content-Disposition": 'attachment; filename="info-radar.opml"',
        }
        return Response(document, headers=headers, media_type="text/x-opml; charset=utf-8")

    async def import_opml(self, request: Request) -> Response:
        from inforadar.actions.opml_import import import_opml  # noqa: PLC0415 - imports lxml, which little needs

        data = await read_body(request, MAX_OPML_BYTES)
        try:
            imported = await import_opml(self.database, self.settings.fetcher, data)
        except ParseError as fault:
            raise UsageError(str(fault)) from None
        return json_answer(imported_document(imported, self.now()))

    async def _feed(self, request: Request) -> Feed:
        feed = await self.database.read(load_feed, FeedId(UUID(str(request.path_params["id"]))))
        if feed.deleted_at is not None:
            raise NotFoundError(f"{feed.url} was deleted. Add it again to have it back.")
        return feed

    def _document(self, feed: Feed) -> dict[str, Any]:
        return feed_document(feed, self.now())


def _changes(body: FeedChange) -> FeedChanges:
    given = {name: getattr(body, name) for name in FeedChange.__struct_fields__}
    named = {name: value for name, value in given.items() if value is not UNSET}
    options: dict[str, Any] = {
        name: named.pop(name) for name in ("title", "timezone", "content", "revisions") if name in named
    }
    return FeedChanges(**named, options=options)


def _since(now: datetime, days: int) -> date:
    return now.astimezone(UTC).date() - timedelta(days=days - 1)


def _days_document(days: list[FeedDay]) -> list[dict[str, Any]]:
    return [
        {"day": day.day.isoformat(), "fetches": day.fetches, "failures": day.failures, "added": day.added}
        for day in days
    ]
