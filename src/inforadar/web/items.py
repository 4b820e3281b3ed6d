"""`/api/items`: what the list shows, page by page; `/api/marks`: read, starred, archived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.ids import FeedId
from inforadar.pipeline.documents import item_document
from inforadar.store.engine import Database
from inforadar.store.item_pages import load_item_page
from inforadar.store.items import ItemFilter
from inforadar.store.marks import MARKS, NO_MARKS, Marks, load_marks, save_marks
from inforadar.urls import normalize
from inforadar.web import parameters
from inforadar.web.answers import json_answer

MAX_BODY = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRoutes:
    database: Database
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            Route("/api/items", self.list_items),
            Route("/api/marks", self.put_marks, methods=["PUT"]),
        ]

    async def list_items(self, request: Request) -> Response:
        given = request.query_params
        feed_id = parameters.uuid(given, "feed")
        wanted = ItemFilter(
            sources=parameters.names(given, "source"),
            topics=parameters.names(given, "topic"),
            feed_id=FeedId(feed_id) if feed_id else None,
            max_score=parameters.max_score(given),
            unread=parameters.flag(given, "unread"),
            starred=parameters.flag(given, "starred"),
            archived=parameters.flag(given, "archived") if parameters.text(given, "archived") else None,
            query=parameters.text(given, "q"),
        )
        page = await self.database.read(
            load_item_page,
            wanted,
            limit=parameters.limit(given),
            cursor=parameters.text(given, "cursor"),
        )
        marks = await self.database.read(load_marks, [item.hash for item in page.items])
        documents = [
            item_document(item) | marks_document(marks.get(item.hash, NO_MARKS)) for item in page.items
        ]
        return json_answer({"items": documents, "next": page.next})

    async def put_marks(self, request: Request) -> Response:
        """`{"url": "https://…", "read": true, "starred": false}`; what is not named stays."""
        body = await read_json(request)
        try:
            url = normalize(body["url"])
            changes = {name: body[name] for name in MARKS if name in body}
        except (KeyError, TypeError, AttributeError, InvalidUrlError):
            raise UsageError('Say of which item: {"url": "https://…", "read": true}') from None
        strange = set(body) - {"url", *MARKS}
        if strange or not changes or not all(isinstance(value, bool) for value in changes.values()):
            raise UsageError(f"A mark is one of {', '.join(MARKS)}, and true or false.")
        marks = await self.database.write(save_marks, url, changes, self.now())
        return json_answer({"url": url} | marks_document(marks))


def marks_document(marks: Marks) -> dict[str, bool]:
    return {
        "read": marks.read_at is not None,
        "starred": marks.starred_at is not None,
        "archived": marks.archived_at is not None,
    }


async def read_json(request: Request) -> dict[str, Any]:
    """The request's body: a JSON object that is not too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise UsageError(f"That is more than {MAX_BODY // 1024} KB.")
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UsageError("The body is no JSON.") from None
    if not isinstance(decoded, dict):
        raise UsageError("The body is no JSON object.")
    return decoded
