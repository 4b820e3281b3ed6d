"""Lists of the Google Reader API: the person, subscriptions, tags, unread counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from inforadar.actions.opml import render_opml
from inforadar.model.feed import Feed
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.store.database import Database
from inforadar.store.people.marks import load_label_names
from inforadar.store.people.queries import load_searches
from inforadar.store.people.streams import load_visible_feeds
from inforadar.store.people.unread import load_unread_feeds
from inforadar.web.greader.answers import json_answer, tagged_answer
from inforadar.web.greader.auth import Caller
from inforadar.web.greader.documents import feed_title
from inforadar.web.greader.request import Parameters
from inforadar.web.greader.streams import LABEL, STATE, topics_of

FIXED = {
    "preference/list": {"prefs": [{"id": "lhn-prefs", "value": '{"subscriptions":{"ssa":"true"}}'}]},
    "preference/stream/list": {"streamprefs": {}},
    "friend/list": {"friends": []},
}
"""Documents that some clients ask for and that are the same for everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLists:
    database: Database

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
        feeds = await self.database.read(load_visible_feeds, caller.person.id)
        return tagged_answer(request, {"subscriptions": [_subscription(feed) for feed in feeds]})

    async def export_subscriptions(self, caller: Caller, request: Request, given: Parameters) -> Response:
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
        return tagged_answer(request, {"tags": tags})

    async def count_unread(self, caller: Caller, request: Request, given: Parameters) -> Response:
        """Count unread items by feed and topic, from counters: nothing is counted now."""
        unread = await self.database.read(load_unread_feeds, caller.person.id)
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
        return json_answer({"max": sum(feed.unread for feed in unread), "unreadcounts": counts})


def _subscription(feed: Feed) -> dict[str, Any]:
    return {
        "id": f"feed/{feed.id}",
        "title": feed_title(feed),
        "categories": [{"id": LABEL + feed.topic, "label": feed.topic}] if feed.topic else [],
        "url": feed.url,
        "htmlUrl": web_address_or_none(feed.site_url) or feed.url,
        "iconUrl": web_address_or_none(feed.icon) or "",
        "firstitemmsec": str(int(feed.created_at.timestamp() * 1000)),
    }
