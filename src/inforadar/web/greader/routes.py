"""The addresses of the Google Reader API."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from inforadar.actions.opml import MAX_BYTES, render_opml
from inforadar.errors import InfoRadarError, UsageError
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.item import Item
from inforadar.model.item_number import added_us, id_range, item_number
from inforadar.model.person import Person
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.dates import rfc3339
from inforadar.store.database import Database
from inforadar.store.people.marks import NO_MARKS, load_label_names, load_marks
from inforadar.store.people.queries import load_searches
from inforadar.store.people.streams import Stream, load_numbered_items, load_stream_page, load_visible_feeds
from inforadar.store.people.unread import load_unread_feeds
from inforadar.store.published.contents import load_item_texts
from inforadar.web.greader.auth import Caller, find_caller, log_in
from inforadar.web.greader.changes import Changes, parse_numbers
from inforadar.web.greader.documents import ShownItem, feed_title, item_document, render_atom
from inforadar.web.greader.request import Parameters, read_parameters
from inforadar.web.greader.streams import LABEL, STATE, feed_of, find_stream, stream_name, topics_of
from inforadar.web.http.bodies import read_body
from inforadar.web.http.login_limit import LoginLimit

PREFIXES = ("/api/greader.php", "")
DEFAULT_ITEMS, MAX_IDS, MAX_CONTENTS = 20, 200_000, 1000
IDS_PER_STEP, CONTENTS_PER_STEP = 5000, 100
OK = PlainTextResponse("OK", headers={"Cache-Control": "no-store"})

Answer = Callable[[Caller, Request, Parameters], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRoutes:
    database: Database
    changes: Changes
    limit: LoginLimit
    base_url: str
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [route for prefix in PREFIXES for route in self._routes(prefix)]

    def _routes(self, prefix: str) -> list[Route]:
        api = f"{prefix}/reader/api/0"
        reads: dict[str, Answer] = {
            "user-info": self.user_info,
            "token": self.token,
            "subscription/list": self.list_subscriptions,
            "subscription/export": self.export_subscriptions,
            "tag/list": self.list_tags,
            "unread-count": self.count_unread,
            "stream/items/ids": self.list_ids,
            "stream/items/count": self.count_items,
            "stream/items/contents": self.show_items,
            "preference/list": self.list_preferences,
            "preference/stream/list": self.list_stream_preferences,
            "friend/list": self.list_friends,
            "stream/contents": self.show_stream,
            "stream/contents/{stream:path}": self.show_stream,
        }
        writes: dict[str, Answer] = {
            "edit-tag": self.edit_tag,
            "mark-all-as-read": self.mark_all_read,
            "subscription/edit": self.edit_subscription,
            "subscription/quickadd": self.quick_add,
            "subscription/import": self.import_subscriptions,
            "rename-tag": self.rename_tag,
            "disable-tag": self.disable_tag,
        }
        both = ["GET", "POST"]
        return [
            Route(f"{prefix}/accounts/ClientLogin", self.client_login, methods=both),
            *(Route(f"{api}/{path}", self._asked(answer), methods=both) for path, answer in reads.items()),
            *(
                Route(f"{api}/{path}", self._asked(answer, changes=True), methods=["POST"])
                for path, answer in writes.items()
            ),
            Route(f"{prefix}/reader/atom/{{stream:path}}", self._asked(self.show_atom)),
        ]

    def _asked(self, answer: Answer, *, changes: bool = False) -> Callable[[Request], Awaitable[Response]]:
        """Find out who asks, and check the token of a change where one is sent."""

        async def endpoint(request: Request) -> Response:
            is_import = request.url.path.endswith("/subscription/import")
            given = await read_parameters(request, b"" if is_import else None)
            caller = await self._caller(request, given)
            if caller is None:
                return _refusal(401, "Unauthorized")
            token = given.text("T")
            if changes and token and not caller.is_change_token(token, self.now()):
                return _refusal(401, "Bad token", {"X-Reader-Google-Bad-Token": "true"})
            try:
                response = await answer(caller, request, given)
            except HTTPException as fault:
                return _refusal(fault.status_code, fault.detail)
            except UsageError as fault:
                return _refusal(400, str(fault))
            if "cache-control" not in response.headers:
                response.headers["Cache-Control"] = "private, no-cache"
            return response

        return endpoint

    async def _caller(self, request: Request, given: Parameters) -> Caller | None:
        kind, _, value = request.headers.get("authorization", "").partition(" ")
        auth = value.strip()
        if kind.lower() == "googlelogin":
            auth = auth.partition("=")[2].strip() if auth.lower().startswith("auth=") else ""
        elif kind.lower() != "bearer":
            # Liferea sends the auth token as `T`, and no header.
            auth = given.text("T")
        return await find_caller(self.database, auth) if auth else None

    async def client_login(self, request: Request) -> Response:
        """Exchange a name and an app password for an auth token."""
        given = await read_parameters(request)
        name, address = given.text("Email"), request.client.host if request.client else ""
        # Before the limit: the right password is random, and always works.
        caller = await log_in(self.database, name, given.text("Passwd"))
        if caller is None:
            is_slowed = self.limit.wait_s(name, address) > 0
            self.limit.failed(name, address)
            if is_slowed:
                return _refusal(429, "Error=TooManyAttempts", {"Retry-After": "10"})
            return _refusal(401, "Error=BadAuthentication")
        headers = {"Cache-Control": "no-store"}
        if given.text("output") == "json":
            return _json({"SID": caller.auth, "LSID": caller.auth, "Auth": caller.auth}, headers)
        lines = f"SID={caller.auth}\nLSID={caller.auth}\nAuth={caller.auth}\n"
        return PlainTextResponse(lines, headers=headers)

    async def token(self, caller: Caller, request: Request, given: Parameters) -> Response:
        return PlainTextResponse(caller.change_token(self.now()), headers={"Cache-Control": "no-store"})

    async def user_info(self, caller: Caller, request: Request, given: Parameters) -> Response:
        person = caller.person
        return _json(
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
        return _tagged(request, {"subscriptions": [_subscription(feed) for feed in feeds]})

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
        return _tagged(request, {"tags": tags})

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
        return _json({"max": sum(feed.unread for feed in unread), "unreadcounts": counts})

    async def count_items(self, caller: Caller, request: Request, given: Parameters) -> Response:
        stream = await find_stream(self.database, caller.person, given, given.text("s"))
        number = 0
        async for page in self._pages(stream, None, MAX_IDS, newest_first=True):
            number += len(page)
        return PlainTextResponse(str(number))

    async def list_ids(self, caller: Caller, request: Request, given: Parameters) -> Response:
        """List item ids, newest first or with `r=o` oldest first. Streamed: there may be very many."""
        stream = await find_stream(self.database, caller.person, given, given.text("s", "it"))
        limit, newest_first = given.number("n", DEFAULT_ITEMS, MAX_IDS), given.text("r") != "o"
        after = _after(given.text("c"), newest_first=newest_first)

        async def lines() -> AsyncIterator[bytes]:
            yield b'{"items":[],"itemRefs":['
            sent, last = 0, 0
            async for page in self._pages(stream, after, limit + 1, newest_first=newest_first):
                numbers = [item_number(id_) for id_ in islice(page, limit - sent)]
                if not numbers:
                    yield b'],"continuation":"%d"}' % last
                    return
                refs = [
                    b'{"id":"%d","directStreamIds":[],"timestampUsec":"%d"}' % (number, added_us(number))
                    for number in numbers
                ]
                yield (b"," if sent else b"") + b",".join(refs)
                has_more = len(numbers) < len(page)
                sent, last = sent + len(numbers), numbers[-1]
                if has_more:
                    yield b'],"continuation":"%d"}' % last
                    return
            yield b"]}"

        return StreamingResponse(lines(), media_type="application/json")

    async def _pages(
        self, stream: Stream, after: UUID | None, limit: int, *, newest_first: bool
    ) -> AsyncIterator[list[Any]]:
        """Load the ids of a stream step by step."""
        left = limit
        while left > 0:
            step = min(left, IDS_PER_STEP)
            page = await self.database.read(
                load_stream_page, stream, after=after, newest_first=newest_first, limit=step
            )
            if not page:
                return
            yield page
            if len(page) < step:
                return
            left, after = left - len(page), page[-1]

    async def show_items(self, caller: Caller, request: Request, given: Parameters) -> Response:
        """Show the items with the given ids."""
        numbers = parse_numbers(given.all("i"))
        first = await self._numbered(caller.person, numbers[:CONTENTS_PER_STEP])
        if numbers and not first and len(numbers) <= CONTENTS_PER_STEP:
            raise HTTPException(404, "There are no such items.")
        head = {"id": f"{STATE}reading-list", "updated": int(self.now().timestamp())}

        async def items() -> AsyncIterator[list[ShownItem]]:
            yield first
            for start in range(CONTENTS_PER_STEP, len(numbers), CONTENTS_PER_STEP):
                yield await self._numbered(caller.person, numbers[start : start + CONTENTS_PER_STEP])

        return StreamingResponse(_document(head, items(), caller.person), media_type="application/json")

    async def show_stream(self, caller: Caller, request: Request, given: Parameters) -> Response:
        """Show the items of a stream, with everything."""
        name = request.path_params.get("stream") or given.text("s") or f"{STATE}reading-list"
        stream = await find_stream(self.database, caller.person, given, name)
        limit, newest_first = given.number("n", DEFAULT_ITEMS, MAX_CONTENTS), given.text("r") != "o"
        after = _after(given.text("c"), newest_first=newest_first)
        ids = await self.database.read(
            load_stream_page, stream, after=after, newest_first=newest_first, limit=limit + 1
        )
        numbers = [item_number(id_) for id_ in ids]
        head: dict[str, Any] = {
            "direction": "ltr",
            "id": stream_name(name),
            "title": stream_name(name),
            "updated": int(self.now().timestamp()),
        }
        if len(numbers) > limit:
            numbers = numbers[:limit]
            head["continuation"] = str(numbers[-1]) if numbers else "0"

        async def items() -> AsyncIterator[list[ShownItem]]:
            for start in range(0, len(numbers), CONTENTS_PER_STEP):
                yield await self._numbered(caller.person, numbers[start : start + CONTENTS_PER_STEP])

        return StreamingResponse(_document(head, items(), caller.person), media_type="application/json")

    async def show_atom(self, caller: Caller, request: Request, given: Parameters) -> Response:
        name = stream_name(request.path_params["stream"])
        stream = await find_stream(self.database, caller.person, given, name)
        limit = given.number("n", DEFAULT_ITEMS, MAX_CONTENTS)
        ids = await self.database.read(load_stream_page, stream, after=None, newest_first=True, limit=limit)
        shown = await self._numbered(caller.person, [item_number(id_) for id_ in ids])
        title = name.rpartition("/")[2]
        if name.startswith("feed/"):
            feeds = await self.database.read(load_visible_feeds, caller.person.id)
            title = feed_title(feed_of(name, feeds))
        address = f"{self.base_url}/reader/atom/{name}"
        text = await asyncio.to_thread(render_atom, title, address, shown, caller.person, rfc3339(self.now()))
        return Response(text.encode("utf-8", "replace"), media_type="application/atom+xml")

    async def _numbered(self, person: Person, numbers: Sequence[int]) -> list[ShownItem]:
        if not numbers:
            return []
        items = await self.database.read(load_numbered_items, person.id, numbers)
        return await self._shown(person, items)

    async def _shown(self, person: Person, items: Sequence[Item]) -> list[ShownItem]:
        texts = await self.database.read(load_item_texts, items)
        marks = await self.database.read(load_marks, person.id, [item.hash for item in items])
        feeds: dict[FeedId, Feed] = {
            feed.id: feed for feed in await self.database.read(load_visible_feeds, person.id)
        }
        return [
            ShownItem(
                item=item,
                text=texts.get(item.id),
                marks=marks.get(item.hash, NO_MARKS),
                feed=feeds.get(item.feed_id),
            )
            for item in items
        ]

    async def edit_tag(self, caller: Caller, request: Request, given: Parameters) -> Response:
        await self.changes.edit_tags(caller.person, given)
        return OK

    async def mark_all_read(self, caller: Caller, request: Request, given: Parameters) -> Response:
        await self.changes.mark_all_read(caller.person, given)
        return OK

    async def edit_subscription(self, caller: Caller, request: Request, given: Parameters) -> Response:
        await self.changes.edit_subscription(caller.person, given)
        return OK

    async def quick_add(self, caller: Caller, request: Request, given: Parameters) -> Response:
        url = given.text("quickadd")
        try:
            feed = await self.changes.quick_add(caller.person, url)
        except HTTPException as fault:
            if fault.status_code != 400:
                raise
            return _json({"numResults": 0, "query": url, "error": fault.detail})
        names = {"streamId": f"feed/{feed.id}", "streamName": feed_title(feed)}
        return _json({"numResults": 1, "query": url, **names})

    async def import_subscriptions(self, caller: Caller, request: Request, given: Parameters) -> Response:
        try:
            number = await self.changes.import_list(caller.person, await read_body(request, MAX_BYTES))
        except InfoRadarError as fault:
            raise HTTPException(400, str(fault)) from None
        return PlainTextResponse(f"OK: {number}")

    async def rename_tag(self, caller: Caller, request: Request, given: Parameters) -> Response:
        await self.changes.rename_tag(caller.person, given)
        return OK

    async def disable_tag(self, caller: Caller, request: Request, given: Parameters) -> Response:
        await self.changes.disable_tag(caller.person, given)
        return OK

    async def list_preferences(self, caller: Caller, request: Request, given: Parameters) -> Response:
        return _json({"prefs": [{"id": "lhn-prefs", "value": '{"subscriptions":{"ssa":"true"}}'}]})

    async def list_stream_preferences(self, caller: Caller, request: Request, given: Parameters) -> Response:
        return _json({"streamprefs": {}})

    async def list_friends(self, caller: Caller, request: Request, given: Parameters) -> Response:
        return _json({"friends": []})


async def _document(
    head: dict[str, Any], pages: AsyncIterator[list[ShownItem]], person: Person
) -> AsyncIterator[bytes]:
    """Write the document while its items are loaded: there may be very many, and they are never all in memory."""
    yield msgspec.json.encode(head)[:-1] + b',"items":['
    is_first = True
    async for shown in pages:
        # In a thread, because rendering texts takes a moment and other requests must not wait.
        lines = await asyncio.to_thread(
            lambda page: [msgspec.json.encode(item_document(one, person)) for one in page], shown
        )
        if lines:
            yield (b"" if is_first else b",") + b",".join(lines)
            is_first = False
    yield b"]}"


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


def _after(text: str, *, newest_first: bool) -> UUID | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20) or int(text) >= 2**63:
        raise HTTPException(400, "The continuation is not one of ours.")
    low, high = id_range(int(text))
    return low if newest_first else high


def _json(document: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(document), headers=headers, media_type="application/json")


def _tagged(request: Request, document: Any) -> Response:
    """A document with an ETag, and a 304 for a client that has it already."""
    body = msgspec.json.encode(document)
    etag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": etag}
    given = request.headers.get("if-none-match", "")
    if etag in [one.strip().removeprefix("W/") for one in given.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


def _refusal(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return PlainTextResponse(f"{text}\n", status, headers=kept)
