"""The article list `/` and the reading view `/item/{id}`. Both work without JavaScript; changes are plain forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Literal
from urllib.parse import parse_qs
from uuid import UUID

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inforadar.actions.mark import mark
from inforadar.actions.request_article import request_article
from inforadar.app.store import SAMPLE
from inforadar.errors import UsageError
from inforadar.model.article import Article
from inforadar.model.feed import Feed
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId
from inforadar.model.item import Item, shares_its_page
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.store.articles.queries import load_article, load_lead_images
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label, has_only, load_labels
from inforadar.store.feeds.queries import load_broken_count, load_feed
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import load_item_changes
from inforadar.store.people.marks import MARKS, NO_MARKS, load_marks
from inforadar.store.people.queries import load_people
from inforadar.store.published.contents import load_published_contents
from inforadar.urls import uid
from inforadar.views.item import (
    BARS,
    ReadItem,
    byline,
    field_changes,
    page_html,
    read_item,
    shown_counters,
    shown_details,
    shown_files,
    why_no_text,
)
from inforadar.views.reading import Reading, TextOrigin, reading_of
from inforadar.views.sanitize import (
    IN_TEXTS,
    Images,
    lead_html,
    listing_html,
    marker_for,
    thumbnail_html,
)
from inforadar.web.cache.timed import STRETCH_OVER_FEEDS, TimedCache
from inforadar.web.http.access import CSRF_SCOPE
from inforadar.web.http.bodies import read_body
from inforadar.web.http.identity import PERSON_SCOPE, person_id_of
from inforadar.web.http.readers import TEXT_SCOPE
from inforadar.web.pages.item_query import PAGE_ITEMS, choices, parse_query
from inforadar.web.pages.templating import Pages
from inforadar.web.pages.unread import UnreadCounts

LABELS_TTL_S = 2.0
MAX_FORM_BYTES = 4096
ASKED, UNREAD = "asked", "unread"
"""The query of an article's URL after a change."""
_LABELS_KEY: Literal["labels"] = "labels"
_PEOPLE_KEY: Literal["people"] = "people"


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Sanitized texts with the words marked that the analysis is based on; empty if there is no text."""

    title: Markup
    article: Markup
    lead: Markup
    """The lead image, if the text does not have it."""
    listed: Markup
    """The content from the feed, if the text is not that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRoutes:
    database: Database
    pages: Pages
    unread: UnreadCounts
    images: Literal["auto", "direct", "proxy", "click", "never"]
    picture_address: Callable[[str], str]
    now: Callable[[], datetime]
    _labels: TimedCache[str, list[Label]] = field(
        default_factory=lambda: TimedCache(LABELS_TTL_S, stretch=STRETCH_OVER_FEEDS)
    )
    _people: TimedCache[str, Literal["direct", "proxy"]] = field(
        default_factory=lambda: TimedCache(LABELS_TTL_S)
    )

    def routes(self) -> list[Route]:
        return [
            Route("/", self.show_list),
            Route("/item/{id:uuid}", self.show_item),
            Route("/item/{id:uuid}/marks", self.mark, methods=["POST"]),
            Route("/item/{id:uuid}/article", self.get_article, methods=["POST"]),
        ]

    async def show_list(self, request: Request) -> Response:
        query, person_id = parse_query(request.query_params), person_id_of(request.scope)
        wanted = replace(query.filter, person_id=person_id)
        page = await self.database.read(load_item_page, wanted, limit=PAGE_ITEMS, cursor=query.after)
        labels = await self._labels.get(_LABELS_KEY, lambda: self.database.read(load_labels))
        marks = await self.database.read(load_marks, person_id, [item.hash for item in page.items])
        leads = await self.database.read(load_lead_images, [uid(item.url) for item in page.items])
        images = await self._images(request)
        return self.pages.render(
            request,
            "articles.html",
            query=query,
            choices=choices(query, labels, await self.unread.load(person_id)),
            rows=[
                (
                    read_item(item),
                    marks.get(item.hash, NO_MARKS),
                    thumbnail_html(leads.get(uid(item.url)) or item.image, images),
                )
                for item in page.items
            ],
            older=replace(query, after=page.next).href if page.next else None,
            newest=replace(query, after=None).href if query.after else None,
            is_sample=not query.text and await self.database.read(has_only, SAMPLE),
            broken=await self.database.read(load_broken_count),
        )

    async def show_item(self, request: Request) -> Response:
        item, feed = await self._find(request)
        article = await self.database.read(load_article, uid(item.url))
        history = await self.database.read(load_item_changes, item.id)
        person_id = person_id_of(request.scope)
        marks = (await self.database.read(load_marks, person_id, [item.hash])).get(item.hash, NO_MARKS)
        asked = request.query_params
        if person_id and request.scope.get(CSRF_SCOPE) and marks.read_at is None and UNREAD not in asked:
            # Opening an article marks it as read only for someone logged in, not for any visitor.
            marks = await mark(self.database, person_id, item.url, {"read": True}, self.now())
            self.unread.forget()
        read = read_item(item)
        own = await self.database.read(load_published_contents, [feed.id])
        may_read = request.scope[TEXT_SCOPE].may_read(own.get(feed.id, Content.NONE))
        # In a thread, because sanitizing a long text takes a moment and other requests must not wait.
        reading = reading_of(item, article)
        make = partial(self._texts, read, article, reading, await self._images(request), may_read=may_read)
        texts = await asyncio.to_thread(make)
        response = self.pages.render(
            request,
            "item.html",
            read=read,
            feed=feed,
            marks=marks,
            bars=BARS,
            article=article,
            texts=texts,
            reading=reading,
            is_asked_for=ASKED in asked,
            may_read=may_read,
            has_article=not shares_its_page(item.url),
            why_no_text=why_no_text(article, item),
            byline=byline(item, article),
            files=shown_files(item),
            changes=field_changes(history),
            counters=shown_counters(item),
            details=shown_details(item),
            broken=await self.database.read(load_broken_count),
        )
        if (original := web_address_or_none(item.address)) is not None:
            response.headers["Link"] = f'<{original}>; rel="canonical"'
        return response

    async def _images(self, request: Request) -> Images:
        images = self.images
        if images == "auto":
            images = await self._people.get(_PEOPLE_KEY, self._images_for_people)
        if images != "proxy":
            return images
        root = request.scope.get("root_path", "")
        return lambda url: f"{root}{self.picture_address(url)}"

    async def _images_for_people(self) -> Literal["direct", "proxy"]:
        """Return how pictures come: with several people, no site shall see which of them reads what."""
        return "proxy" if len(await self.database.read(load_people)) > 1 else "direct"

    def _texts(
        self, read: ReadItem, article: Article | None, reading: Reading, images: Images, *, may_read: bool
    ) -> Texts:
        in_title, in_text = marker_for(read.analysis), marker_for(read.analysis, IN_TEXTS)
        title = in_title.text(read.title)
        if not may_read:
            return Texts(title=title, article=Markup(), lead=Markup(), listed=Markup())
        item, extracted = read.item, article.extracted if article else None
        listed = (listing_html(item.content, images, item.address) if item.content else None) or Markup()
        if reading.origin is TextOrigin.FEED:
            text, listed = listed, Markup()
        else:
            text = page_html(article, images)
        lead = lead_html((extracted.image if extracted else None) or item.image, text, images)
        return Texts(
            title=title,
            article=in_text.html(text),
            lead=lead if text else Markup(),
            listed=in_text.html(listed),
        )

    async def mark(self, request: Request) -> Response:
        """Handle a one-button form, `read=on` or `read=off`, and return to the article."""
        item, _ = await self._find(request)
        given = parse_qs((await read_body(request, MAX_FORM_BYTES)).decode("utf-8", "replace"))
        changes = {name: given[name][0] == "on" for name in MARKS if name in given}
        if not changes:
            raise UsageError(f"The mark must be one of {', '.join(MARKS)}.")
        await mark(self.database, request.scope[PERSON_SCOPE].id, item.url, changes, self.now())
        self.unread.forget()
        # Without this, opening the article would mark it as read again.
        return self._back(request, item.id, f"?{UNREAD}" if changes.get("read") is False else "")

    async def get_article(self, request: Request) -> Response:
        """Request the full text through the database: the worker may be on another machine."""
        item, feed = await self._find(request)
        if shares_its_page(item.url):
            raise UsageError("The page is not this entry's alone, so its text is the feed's own.")
        await request_article(self.database, item.url, feed.topic)
        return self._back(request, item.id, f"?{ASKED}")

    def _back(self, request: Request, item_id: ItemId, query: str = "") -> Response:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/item/{item_id}{query}", 303)

    async def _find(self, request: Request) -> tuple[Item, Feed]:
        item_id = ItemId(UUID(str(request.path_params["id"])))
        item = await self.database.read(load_shown_item, item_id)
        feed = await self.database.read(load_feed, item.feed_id) if item else None
        if item is None or feed is None or feed.deleted_at or not feed.enabled:
            raise HTTPException(404, "There is no such article, or its feed is disabled.")
        return item, feed
