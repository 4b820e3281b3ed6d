"""`/api/runs/{id}/events`: a run as it goes on, over server-sent events.

The run may be another process's; what it tells is stored, and this reads it. A browser that lost the
connection says which event it had last, and goes on from there. The stream ends with the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from inforadar.model.ids import RunId
from inforadar.model.progress import Progress
from inforadar.stages.publish.dates import rfc3339
from inforadar.store.database import Database
from inforadar.store.runs.queries import is_run_finished, load_events
from inforadar.web.feeds.response import CORS

EVENT_POLL_S = 0.5
"""How often is looked for more."""
ALIVE_S = 15.0
"""After so long without an event a comment is sent: else a proxy would think that nobody is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvents:
    database: Database

    async def stream(self, request: Request) -> Response:
        run_id = RunId(UUID(str(request.path_params["id"])))
        await self.database.read(is_run_finished, run_id)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        headers |= {name.decode(): value.decode() for name, value in CORS}
        return StreamingResponse(
            self._events(run_id, _last_seen(request)), headers=headers, media_type="text/event-stream"
        )

    async def _events(self, run_id: RunId, seen: int) -> AsyncIterator[bytes]:
        silent_s = 0.0
        while True:
            # Asked before the events: those that come in between are sent before the end is.
            finished = await self.database.read(is_run_finished, run_id)
            events = await self.database.read(load_events, run_id, after=seen)
            for number, event in events:
                seen = number
                yield _message(number, event)
            if events and finished:
                continue
            if finished:
                yield b"event: end\ndata: {}\n\n"
                return
            silent_s = 0.0 if events else silent_s + EVENT_POLL_S
            if silent_s >= ALIVE_S:
                silent_s = 0.0
                yield b": still running\n\n"
            await asyncio.sleep(EVENT_POLL_S)


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
    # JSON has no line ends of its own, so a text from the web cannot begin another message.
    return b"id: %d\nevent: progress\ndata: %b\n\n" % (number, msgspec.json.encode(document))


def _last_seen(request: Request) -> int:
    """A page that shows the first events already asks for those after them; a browser goes on by itself."""
    given = request.headers.get("last-event-id") or request.query_params.get("after", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else -1
