"""Lists of the Google Reader API: the person, subscriptions, tags, unread counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from inforadar.model.person import PersonId
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.text import one_line
from inforadar.store.database import Database
from inforadar.store.people.marks import load_label_names
from inforadar.store.people.queries import load_searches
from inforadar.store.people.reader_lists import (
    Subscription,
    load_subscriptions,
    load_unread_counts,
    read_subscriptions,
    read_unread_counts,
)
from inforadar.store.people.streams import load_visible_feeds
from inforadar.web.cache.bounded import BoundedCache
from inforadar.web.greader.answers import json_answer, tagged_answer
from inforadar.web.greader.auth import Caller
from inforadar.web.greader.request import Parameters
from inforadar.web.greader.streams import LABEL, STATE, topics_of

FIXED = {
    "preference/list": {"prefs": [{"id": "lhn-prefs", "value": '{"subscriptions":{"ssa":"true"}}'}]},
    "preference/stream/list": {"streamprefs": {}},
    "friend/list": {"friends": []},
}
"""Documents that some clients ask for and that are the same for everybody."""


MAX_KEPT_BYTES = 8 * 2**20
"""About six lists of a thousand feeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """An answer, and the text that it was made of."""

    text: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLists:
    database: Database
    _kept: BoundedCache[tuple[str, PersonId], _Kept] = field(
        default_factory=lambda: BoundedCache(MAX_KEPT_BYTES, lambda kept: len(kept.text) + len(kept.body))
    )

    async def user_info(self, caller: Caller, request: Request, given: Parameters) -> Response:
        person = caller.person
        return json_answer(
            {
                "userId": person.id.hex,
                "userName": person.name,
                "userProfileId": person.id.hex,
                "userEmail": "",
                "isBloggerUser": False,
                "signupTimeSec": int(person.created_at.timestamp()),
                "isMultiLoginEnabled": False,
            }
        )

    async def list_subscriptions(self, caller: Caller, request: Request, given: Parameters) -> Response:
        text = await self.database.read(load_subscriptions, caller.person.id)
        body = self._made("subscriptions", caller, text, _render_subscriptions)
        return tagged_answer(request, body)

    async def export_subscriptions(self, caller: Caller, request: Request, given: Parameters) -> Response:
        from inforadar.actions.opml import render_opml  # noqa: PLC0415 - imports lxml, which nothing else here needs

        feeds = await self.database.read(load_visible_feeds, caller.person.id)
        return Response(render_opml(feeds), media_type="text/x-opml")

    async def list_tags(self, caller: Caller, request: Request, given: Parameters) -> Response:
        person = caller.person
        topics = topics_of(await self.database.read(load_visible_feeds, person.id))
        searches = await self.database.read(load_searches, person.id)
        labels = await self.database.read(load_label_names, person.id)
        names = dict.fromkeys(topics, "folder") | {
            name: "tag" for name in (*searches, *labels) if name not in topics
        }
        tags: list[dict[str, str]] = [{"id": f"{STATE}starred"}]
        tags += [{"id": LABEL + name, "type": kind} for name, kind in names.items()]
        return tagged_answer(request, msgspec.json.encode({"tags": tags}))

    async def count_unread(self, caller: Caller, request: Request, given: Parameters) -> Response:
        """Count unread items by feed and topic, from counters: nothing is counted now."""
        text = await self.database.read(load_unread_counts, caller.person.id)
        return Response(
            self._made("unread", caller, text, _render_unread_counts), media_type="application/json"
        )

    def _made(self, name: str, caller: Caller, text: str, render: Callable[[str], bytes]) -> bytes:
        """Return the answer that was made of the same text before, or make it."""
        key = name, caller.person.id
        known = self._kept.get(key)
        if known is None or known.text != text:
            known = _Kept(text=text, body=render(text))
            self._kept.put(key, known)
        return known.body


def _render_subscriptions(text: str) -> bytes:
    return msgspec.json.encode({"subscriptions": [_subscription(feed) for feed in read_subscriptions(text)]})


def _render_unread_counts(text: str) -> bytes:
    unread = read_unread_counts(text)
    rows: dict[str, tuple[int, int]] = {}
    for feed in unread:
        newest = int(feed.newest_at.timestamp() * 1_000_000)
        for name in (f"feed/{feed.feed_id}", LABEL + feed.topic, f"{STATE}reading-list"):
            number, latest = rows.get(name, (0, 0))
            rows[name] = number + feed.unread, max(latest, newest)
    counts = [
        {"id": name, "count": number, "newestItemTimestampUsec": str(newest)}
        for name, (number, newest) in rows.items()
    ]
    return msgspec.json.encode({"max": sum(feed.unread for feed in unread), "unreadcounts": counts})


def _subscription(feed: Subscription) -> dict[str, Any]:
    return {
        "id": f"feed/{feed.id}",
        "title": one_line(feed.title),
        "categories": [{"id": LABEL + feed.topic, "label": feed.topic}] if feed.topic else [],
        "url": feed.url,
        "htmlUrl": web_address_or_none(feed.site_url) or feed.url,
        "iconUrl": web_address_or_none(feed.icon) or "",
        "firstitemmsec": str(int(feed.created_at.timestamp() * 1000)),
    }
