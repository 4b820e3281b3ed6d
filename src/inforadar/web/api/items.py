"""`/api/items`: the list of items, page by page, and one item in full; `/api/marks`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.mark import mark_all
from inforadar.errors import InvalidUrlError, NotFoundError, UsageError
from inforadar.model.feed_options import Content
from inforadar.model.ids import FeedId, ItemId, RunId, StoryId
from inforadar.model.person import Along, PersonId
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.listed import load_listed_items
from inforadar.store.items.lookup import load_items, load_listed_urls
from inforadar.store.items.one_row import with_all_feeds
from inforadar.store.items.order import ITEM_ORDERS, NEWEST_FIRST
from inforadar.store.items.queries import load_item_changes
from inforadar.store.people.marks import MARKS, NO_MARKS, Marks, load_marks
from inforadar.store.published.contents import load_published_contents
from inforadar.store.stories.queries import load_story_ids
from inforadar.urls import normalize, uid, url_hash
from inforadar.views.json import article_document, changes_document, item_document
from inforadar.views.reading import reading_of
from inforadar.web.api.answers import json_answer, json_document
from inforadar.web.cache.busy_ttl import BusyTtl
from inforadar.web.cache.timed import TimedCache
from inforadar.web.feeds.response import Prepared
from inforadar.web.http import parameters
from inforadar.web.http.bodies import read_json
from inforadar.web.http.identity import PERSON_SCOPE, person_id_of
from inforadar.web.http.readers import TEXT_SCOPE

TTL_S = 1.0
"""How long a list is cached; those of visitors longer while very many ask."""
MAX_LIST_BYTES = 8 * 2**20
MAX_MARKED_ITEMS = 500
"""Maximum items that one request may mark."""


_Labels = Annotated[list[str], msgspec.Meta(min_length=1)]


class MarksChange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`{"urls": ["https://…"], "read": true, "starred": false}`; marks that are not given stay unchanged."""

    urls: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MAX_MARKED_ITEMS)]
    read: bool | msgspec.UnsetType = msgspec.UNSET
    starred: bool | msgspec.UnsetType = msgspec.UNSET
    archived: bool | msgspec.UnsetType = msgspec.UNSET
    add_labels: _Labels | msgspec.UnsetType = msgspec.UNSET
    remove_labels: _Labels | msgspec.UnsetType = msgspec.UNSET
    story: bool = False
    """Also the other articles of their stories become read or unread."""
    note: str | msgspec.UnsetType = msgspec.UNSET
    """Replaces the note of each item; an empty one removes it."""


class Lists:
    """Lists as they were a moment ago, for each person and for all visitors."""

    def __init__(self) -> None:
        self._ttl = BusyTtl(TTL_S)
        self.of_visitors = self._make(self._ttl.seconds)
        self.of_people = self._make(TTL_S)

    async def get(
        self, person_id: PersonId | None, key: tuple[bytes, int], load: Callable[[], Awaitable[Prepared]]
    ) -> Prepared:
        if person_id is not None:
            return await self.of_people.get((person_id, *key), load)
        self._ttl.count()
        return await self.of_visitors.get((None, *key), load)

    @staticmethod
    def _make(
        ttl_s: float | Callable[[], float],
    ) -> TimedCache[tuple[PersonId | None, bytes, int], Prepared]:
        return TimedCache(ttl_s, max_bytes=MAX_LIST_BYTES, weigh=lambda document: document.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRoutes:
    database: Database
    now: Callable[[], datetime]
    on_marked: Callable[[], None] = lambda: None
    _lists: Lists = field(default_factory=Lists)

    def routes(self) -> list[Route]:
        return [
            Route("/api/items", self.list_items),
            Route("/api/items/{id:uuid}", self.show_item),
            Route("/api/marks", self.put_marks, methods=["PUT"]),
        ]

    async def list_items(self, request: Request) -> Prepared:
        # Marks changed through the API show at once; changes by other programs after the TTL.
        person_id = person_id_of(request.scope)
        key = (request.scope["query_string"], self.database.writes)
        return await self._lists.get(person_id, key, lambda: self._list(request.query_params, person_id))

    async def _list(self, given: QueryParams, person_id: PersonId | None) -> Prepared:
        feed_id, run_id = parameters.uuid(given, "feed"), parameters.uuid(given, "run")
        wanted = ItemFilter(
            sources=parameters.names(given, "source"),
            topics=parameters.names(given, "topic"),
            feed_id=FeedId(feed_id) if feed_id else None,
            run_id=RunId(run_id) if run_id else None,
            max_score=parameters.score(given, "max_score"),
            min_score=parameters.score(given, "min_score"),
            person_id=person_id,
            unread=parameters.flag(given, "unread"),
            starred=parameters.flag(given, "starred"),
            archived=parameters.flag(given, "archived") if parameters.text(given, "archived") else None,
            query=parameters.text(given, "q"),
            since=parameters.moment(given, "since"),
            until=parameters.moment(given, "until"),
        )
        order = parameters.order(given, ITEM_ORDERS, NEWEST_FIRST)
        listed = await self.database.read(
            load_listed_items,
            wanted,
            order,
            limit=parameters.limit(given),
            cursor=parameters.text(given, "cursor"),
            with_total=parameters.flag(given, "total"),
        )
        documents = [
            item_document(item)
            | marks_document(listed.marks.get(item.hash, NO_MARKS))
            | story_reference(listed.stories.get(item.id))
            for item in listed.page.items
        ]
        total = {} if listed.total is None else {"total": listed.total}
        return json_document({"items": documents, "next": listed.page.next, **total})

    async def show_item(self, request: Request) -> Response:
        """Show one item: metadata, marks, analysis, changes, and the texts to those who may read them."""
        item_id = ItemId(UUID(str(request.path_params["id"])))
        item = (await self.database.read(load_items, [item_id])).get(item_id)
        if item is None:
            raise NotFoundError("There is no such item, or its feed is disabled.")
        (item,) = await self.database.read(with_all_feeds, [item])
        article = await self.database.read(load_article, uid(item.url))
        marks = await self.database.read(load_marks, person_id_of(request.scope), [item.hash])
        own = await self.database.read(load_published_contents, [item.feed_id])
        may_read = request.scope[TEXT_SCOPE].may_read(own.get(item.feed_id, Content.NONE))
        history = await self.database.read(load_item_changes, item_id)
        stories = await self.database.read(load_story_ids, [item_id])
        return json_answer(
            item_document(item)
            | story_reference(stories.get(item_id))
            | marks_document(marks.get(item.hash, NO_MARKS))
            | {
                "content": item.content if may_read else "",
                "text_from": reading_of(item, article).origin,
                "article": article_document(article, with_text=may_read) if article else None,
                "changes": changes_document(history),
            }
        )

    async def put_marks(self, request: Request) -> Response:
        body = await read_json(request, MarksChange)
        given = {name: getattr(body, name) for name in MARKS}
        changes = {name: value for name, value in given.items() if value is not msgspec.UNSET}
        added, removed = body.add_labels or [], body.remove_labels or []
        note = None if body.note is msgspec.UNSET else body.note
        if not (changes or added or removed or note is not None):
            raise UsageError(
                f"No mark is given. Give at least one of: {', '.join(MARKS)}, each true or false; "
                "add_labels, remove_labels, note."
            )
        try:
            urls = [normalize(url) for url in body.urls]
        except InvalidUrlError as fault:
            raise UsageError(str(fault)) from None
        known = await self.database.read(load_listed_urls, urls)
        marks = await mark_all(
            self.database,
            request.scope[PERSON_SCOPE].id,
            [url for url in urls if url in known],
            changes,
            self.now(),
            labels_added=added,
            labels_removed=removed,
            note=note,
            along=Along.STORY if body.story else None,
        )
        self.on_marked()
        documents = [
            {"url": url} | marks_document(marks.get(url_hash(url), NO_MARKS))
            for url in dict.fromkeys(urls)
            if url in known
        ]
        unknown = [url for url in dict.fromkeys(urls) if url not in known]
        return json_answer({"items": documents, "unknown": unknown})


def story_reference(story: StoryId | None) -> dict[str, str | None]:
    """The story that an item is part of; None until it is grouped."""
    return {"story_id": str(story) if story else None}


def marks_document(marks: Marks) -> dict[str, bool | str | list[str]]:
    return {
        "read": marks.read_at is not None,
        "starred": marks.starred_at is not None,
        "archived": marks.archived_at is not None,
        "labels": list(marks.labels),
        "note": marks.note,
    }
