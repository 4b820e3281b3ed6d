"""`/api/events`: items, changes, stories, alerts and matches as server-sent events, resumable by number.

Events have numbers without gaps, given after their commit, so a program that passes the last one it saw as `since=`, or
as `Last-Event-ID` when it reconnects, misses nothing that is still kept (a week). If more than that is missing, the
stream begins with a `reset` event.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from inforadar.errors import UsageError
from inforadar.model.person import PersonId
from inforadar.model.rule import EventKind
from inforadar.stages.publish.dates import rfc3339
from inforadar.store.database import Database
from inforadar.store.items.lookup import load_items
from inforadar.store.rules.event_log import (
    LoggedEvent,
    load_events_after,
    load_first_number,
    load_last_number,
)
from inforadar.views.json import item_document
from inforadar.web.cache.timed import TimedCache
from inforadar.web.http.identity import person_id_of

EVENT_POLL_S = 1.0
KEEPALIVE_S = 15.0
"""Send a comment after this long without an event, or a proxy may close the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRoutes:
    database: Database
    _last: TimedCache[None, int] = field(default_factory=lambda: TimedCache(EVENT_POLL_S / 2))
    """The newest number. All streams together ask for it; only a stream that is behind asks for events."""

    def routes(self) -> list[Route]:
        return [Route("/api/events", self.stream)]

    async def stream(self, request: Request) -> Response:
        kinds = _kinds(request.query_params.get("kinds", ""))
        since = _since(request)
        person_id = person_id_of(request.scope)
        if since is None:
            since = await self.database.read(load_last_number)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        body = () if request.method == "HEAD" else self._events(since, kinds, person_id)
        return StreamingResponse(body, headers=headers, media_type="text/event-stream")

    async def _events(
        self, seen: int, kinds: frozenset[EventKind], person_id: PersonId | None
    ) -> AsyncIterator[bytes]:
        first, last = await self.database.read(load_first_number), await self.database.read(load_last_number)
        if seen > last or (first is not None and seen + 1 < first):
            # Either is another database's number, or too much is gone: the program must load everything again.
            seen = last if seen > last else first - 1 if first else 0
            yield b"id: %d\nevent: reset\ndata: {}\n\n" % seen
        yield b": connected\n\n"
        silent_s = 0.0
        while True:
            if await self._last.get(None, partial(self.database.read, load_last_number)) > seen:
                found, upto = await self.database.read(
                    load_events_after, seen, kinds=kinds, person_id=person_id
                )
                for message in await self._messages(found):
                    yield message
                if upto > seen:
                    seen, silent_s = upto, 0.0
                    continue
            silent_s += EVENT_POLL_S
            if silent_s >= KEEPALIVE_S:
                silent_s = 0.0
                yield b": still here\n\n"
            await asyncio.sleep(EVENT_POLL_S)

    async def _messages(self, found: Sequence[LoggedEvent]) -> list[bytes]:
        ids = [event.item_id for event in found if event.item_id]
        items = await self.database.read(load_items, ids) if ids else {}
        messages = []
        for event in found:
            document: dict[str, Any] = {
                "id": event.number,
                "kind": event.kind,
                "at": rfc3339(event.at),
                "story_id": event.story_id,
                "feed_id": event.feed_id,
                **event.payload,
            }
            if event.item_id:
                item = items.get(event.item_id)
                if item is None:
                    # Deleted since, or its feed is disabled.
                    continue
                document["item"] = item_document(item)
            data = msgspec.json.encode(document)
            messages.append(b"id: %d\nevent: %b\ndata: %b\n\n" % (event.number, event.kind.encode(), data))
        return messages


def _kinds(given: str) -> frozenset[EventKind]:
    names = {name.strip() for name in given.split(",") if name.strip()}
    if unknown := names - set(EventKind):
        raise UsageError(f"kinds: {sorted(unknown)[0]!r} is not one of {', '.join(EventKind)}.")
    return frozenset(map(EventKind, names)) or frozenset(EventKind)


def _since(request: Request) -> int | None:
    given = request.headers.get("last-event-id") or request.query_params.get("since", "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise UsageError("since: takes the number of an event.")
    return int(given)
