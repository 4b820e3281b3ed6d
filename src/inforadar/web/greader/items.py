"""Items of the Google Reader API: ids and contents of streams, page by page.

Long answers are written while their items are loaded: there may be very many, and they are never all in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from inforadar.model.item_number import added_us, id_range
from inforadar.model.person import Person
from inforadar.stages.publish.dates import rfc3339
from inforadar.stages.publish.text import one_line
from inforadar.store.database import Database
from inforadar.store.people.shown_items import ShownItem, load_shown_items
from inforadar.store.people.streams import Stream, load_stream_numbers, load_visible_feeds
from inforadar.web.greader.auth import Caller
from inforadar.web.greader.changes import parse_numbers
from inforadar.web.greader.documents import feed_title, item_document, render_atom
from inforadar.web.greader.request import Parameters
from inforadar.web.greader.streams import STATE, feed_of, find_stream, label_of, stream_name

DEFAULT_ITEMS, MAX_IDS, MAX_CONTENTS = 20, 200_000, 1000
IDS_PER_STEP, CONTENTS_PER_STEP = 5000, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderItems:
    database: Database
    base_url: str
    now: Callable[[], datetime]

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
        pages = self._pages(stream, after, limit + 1, newest_first=newest_first)
        # Asked before the answer begins: a database that is away is an error then, not an answer that breaks off.
        first: list[int] = await anext(pages, [])

        async def lines() -> AsyncIterator[bytes]:
            yield b'{"items":[],"itemRefs":['
            sent, last = 0, 0
            async for page in _after_first(first, pages):
                numbers = page[: limit - sent]
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
    ) -> AsyncIterator[list[int]]:
        """Load the numbers of a stream's items step by step."""
        left = limit
        while left > 0:
            step = min(left, IDS_PER_STEP)
            page = await self.database.read(
                load_stream_numbers, stream, after=after, newest_first=newest_first, limit=step
            )
            if not page:
                return
            yield page
            if len(page) < step:
                return
            left, after = left - len(page), _beyond(page[-1], newest_first=newest_first)

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
        numbers = await self.database.read(
            load_stream_numbers, stream, after=after, newest_first=newest_first, limit=limit + 1
        )
        head: dict[str, Any] = {
            "direction": "ltr",
            "id": stream_name(name),
            "title": await self._title(caller.person, stream_name(name)),
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
        numbers = await self.database.read(
            load_stream_numbers, stream, after=None, newest_first=True, limit=limit
        )
        shown = await self._numbered(caller.person, numbers)
        title = await self._title(caller.person, name)
        address = f"{self.base_url}/reader/atom/{name}"
        text = await asyncio.to_thread(render_atom, title, address, shown, caller.person, rfc3339(self.now()))
        return Response(text.encode("utf-8", "replace"), media_type="application/atom+xml")

    async def _title(self, person: Person, name: str) -> str:
        """The stream's title for people: the title of the feed, the label or search, the state."""
        if name.startswith("feed/"):
            return feed_title(feed_of(name, await self.database.read(load_visible_feeds, person.id)))
        return one_line(label_of(name) or name.removeprefix(STATE))

    async def _numbered(self, person: Person, numbers: Sequence[int]) -> list[ShownItem]:
        return await self.database.read(load_shown_items, person, numbers)


async def _after_first(first: list[int], pages: AsyncIterator[list[int]]) -> AsyncIterator[list[int]]:
    yield first
    async for page in pages:
        yield page


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


def _after(text: str, *, newest_first: bool) -> UUID | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20) or int(text) >= 2**63:
        raise HTTPException(400, "The continuation is not one of ours.")
    return _beyond(int(text), newest_first=newest_first)


def _beyond(number: int, *, newest_first: bool) -> UUID:
    """The id from which a page after this number starts."""
    low, high = id_range(number)
    return low if newest_first else high
