"""`/api/runs/{id}/events`: the progress of a run as server-sent events.

The run may belong to another process: events are read from the database. A browser that lost the connection sends the
id of its last event and continues from there. The stream ends with the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from inforadar.model.ids import RunId
from inforadar.model.progress import Progress
from inforadar.stages.publish.dates import rfc3339
from inforadar.store.database import Database
from inforadar.store.runs.queries import is_run_told, load_events
from inforadar.web.cache.timed import TimedCache

_Found = tuple[bool, list[tuple[int, Progress]]]
"""Whether the run has told everything, and its events."""
EVENT_POLL_S = 0.5
"""How often the database is asked for new events."""
KEEPALIVE_S = 15.0
"""Send a comment after this long without an event, or a proxy may close the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvents:
    database: Database
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _found: TimedCache[tuple[RunId, int], _Found] = field(
        default_factory=lambda: TimedCache(EVENT_POLL_S / 2)
    )
    """The events after a given one. Streams of one run are mostly at the same event, so they share the queries."""

    async def stream(self, request: Request) -> Response:
        run_id = RunId(UUID(str(request.path_params["id"])))
        await self.database.read(is_run_told, run_id)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        events = () if request.method == "HEAD" else self._events(run_id, _last_seen(request))
        return StreamingResponse(events, headers=headers, media_type="text/event-stream")

    async def _events(self, run_id: RunId, seen: int) -> AsyncIterator[bytes]:
        silent_s = 0.0
        while True:
            is_told, events = await self._found.get((run_id, seen), partial(self._load, run_id, seen))
            for number, event in events:
                seen = number
                yield _message(number, event)
            if events and is_told:
                continue
            if is_told:
                yield b"event: end\ndata: {}\n\n"
                return
            silent_s = 0.0 if events else silent_s + EVENT_POLL_S
            if silent_s >= KEEPALIVE_S:
                silent_s = 0.0
                yield b": still running\n\n"
            await self.sleep(EVENT_POLL_S)

    async def _load(self, run_id: RunId, seen: int) -> _Found:
        # Check this before loading events, so that late events are still sent before the end.
        is_told = await self.database.read(is_run_told, run_id)
        return is_told, await self.database.read(load_events, run_id, after=seen)


def _message(number: int, event: Progress) -> bytes:
    document = {
        "seq": number,
        "at": rfc3339(event.at),
        "kind": event.kind,
        "feed_id": event.feed_id,
        "label": event.label,
        "text": event.text,
        "found": event.found,
        "done": event.done,
        "pages": event.pages,
    }
    # Encoded JSON has no line breaks, so text from the web cannot start another message.
    return b"id: %d\nevent: progress\ndata: %b\n\n" % (number, msgspec.json.encode(document))


def _last_seen(request: Request) -> int:
    """Return the last event the client has: from `Last-Event-ID` on a reconnect, or `after` on the first request."""
    given = request.headers.get("last-event-id") or request.query_params.get("after", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else -1
