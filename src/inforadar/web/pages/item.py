"""The reading view `/item/{id}`: one article, and the way to the next. It works without JavaScript."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.mark import mark, mark_all
from inforadar.actions.request_article import request_article
from inforadar.errors import UsageError
from inforadar.model.feed import Feed
from inforadar.model.ids import ItemId
from inforadar.model.item import Item, shares_its_page
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feed
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.people.marks import MARKS, NO_MARKS, load_marks
from inforadar.store.reading_pages import load_article_page
from inforadar.translations import gettext as _
from inforadar.views.highlight import Highlighter
from inforadar.views.item import (
    BARS,
    byline,
    field_changes,
    read_item,
    shown_counters,
    shown_details,
    shown_files,
    why_no_text,
)
from inforadar.views.marks import legend_for
from inforadar.views.reading import reading_of
from inforadar.views.reading_time import reading_minutes
from inforadar.views.settings import settings_of
from inforadar.web.http.access import CSRF_SCOPE
from inforadar.web.http.forms import read_form, redirect_to
from inforadar.web.http.identity import PERSON_SCOPE, person_id_of
from inforadar.web.http.readers import TEXT_SCOPE
from inforadar.web.pages.item_query import parse_query
from inforadar.web.pages.item_texts import ItemTexts, with_found
from inforadar.web.pages.list_view import shows_stories
from inforadar.web.pages.picture_mode import PictureMode
from inforadar.web.pages.sidebar import SidebarLoader
from inforadar.web.pages.templating import Pages

ASKED, UNREAD = "asked", "unread"
"""Parts of an article's URL after a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPageRoutes:
    database: Database
    pages: Pages
    sidebar: SidebarLoader
    pictures: PictureMode
    now: Callable[[], datetime]
    _texts: ItemTexts = field(default_factory=ItemTexts)

    def routes(self) -> list[Route]:
        return [
            Route("/item/{id:uuid}", self.show),
            Route("/item/{id:uuid}/marks", self.mark, methods=["POST"]),
            Route("/item/{id:uuid}/notes", self.save_notes, methods=["POST"]),
            Route("/item/{id:uuid}/article", self.get_article, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        asked, item_id = request.query_params, ItemId(UUID(str(request.path_params["id"])))
        query, person_id = parse_query(asked), person_id_of(request.scope)
        wanted = replace(query.filter, person_id=person_id, by_story=shows_stories(request, query))
        page = await self.database.read(load_article_page, item_id, wanted)
        if page is None:
            raise _no_such_article()
        item, feed, article, marks = page.item, page.feed, page.article, page.marks
        if person_id and request.scope.get(CSRF_SCOPE) and marks.read_at is None and UNREAD not in asked:
            # Opening an article marks it as read only for someone logged in, not for any visitor.
            read_marks = await mark(self.database, person_id, item.url, {"read": True}, self.now())
            marks = replace(marks, read_at=read_marks.read_at)
            self.sidebar.forget()
        read = read_item(item)
        may_read = request.scope[TEXT_SCOPE].may_read(page.published)
        reading = reading_of(item, article)
        where = settings_of(request.scope.get(PERSON_SCOPE)).marks
        images = await self.pictures.of(request)
        texts = await self._texts.make(read, article, reading, images, where, may_read=may_read)
        if (found := Highlighter(query.words)).has_words:
            texts = await asyncio.to_thread(with_found, texts, found)
        extracted = article.extracted if article else None
        response = self.pages.render(
            request,
            "item.html",
            query=query,
            side=await self.sidebar.load(person_id, query),
            list_href=replace(query, after=None).href,
            previous=query.item_href(page.neighbours.previous) if page.neighbours.previous else None,
            following=query.item_href(page.neighbours.next) if page.neighbours.next else None,
            read=read,
            feed=feed,
            marks=marks,
            labels=page.labels,
            bars=BARS,
            legend=legend_for(read.analysis),
            story=page.story,
            article=article,
            texts=texts,
            reading=reading,
            minutes=reading_minutes(extracted.text_len, item.language) if extracted else None,
            is_asked_for=ASKED in asked,
            may_read=may_read,
            has_article=not shares_its_page(item.url),
            why_no_text=why_no_text(article, item),
            byline=byline(item, article),
            files=shown_files(item),
            changes=field_changes(page.history),
            revision_count=page.revisions,
            counters=shown_counters(item),
            details=shown_details(item),
            broken=page.broken_feeds,
        )
        if (original := web_address_or_none(item.address)) is not None:
            response.headers["Link"] = f'<{original}>; rel="canonical"'
        return response

    async def mark(self, request: Request) -> Response:
        """Handle a one-button form, `read=on` or `read=off`, and return to the article."""
        item, _feed = await self._find(request)
        form = await read_form(request)
        changes = {name: form.text(name) == "on" for name in MARKS if form.text(name)}
        if not changes:
            raise UsageError(f"The mark must be one of {', '.join(MARKS)}.")
        await mark(self.database, request.scope[PERSON_SCOPE].id, item.url, changes, self.now())
        self.sidebar.forget()
        # Without this, opening the article would mark it as read again.
        return self._back(request, item.id, UNREAD if changes.get("read") is False else "")

    async def save_notes(self, request: Request) -> Response:
        """Handle the form of labels, separated by commas, and of the note."""
        item, _feed = await self._find(request)
        form, person_id = await read_form(request), request.scope[PERSON_SCOPE].id
        given = [" ".join(one.split()) for one in (form.text("labels") or "").split(",")]
        wanted = list(dict.fromkeys(label for label in given if label))
        old = (await self.database.read(load_marks, person_id, [item.hash])).get(item.hash, NO_MARKS)
        await mark_all(
            self.database,
            person_id,
            [item.url],
            {},
            self.now(),
            labels_added=[label for label in wanted if label not in old.labels],
            labels_removed=[label for label in old.labels if label not in wanted],
            note=form.text("note") or "",
        )
        return self._back(request, item.id, "", "#notes")

    async def get_article(self, request: Request) -> Response:
        """Request the full text through the database: the worker may be on another machine."""
        item, feed = await self._find(request)
        if shares_its_page(item.url):
            raise UsageError(_("The page is not this entry's alone, so its text is the feed's own."))
        await request_article(self.database, item.url, feed.topic)
        return self._back(request, item.id, ASKED)

    def _back(self, request: Request, item_id: ItemId, word: str = "", place: str = "") -> Response:
        """Return to the article, in the list that it is read in."""
        href = parse_query(request.query_params).item_href(item_id)
        if word:
            href += f"&{word}" if "?" in href else f"?{word}"
        return redirect_to(request, f"{href}{place}")

    async def _find(self, request: Request) -> tuple[Item, Feed]:
        item_id = ItemId(UUID(str(request.path_params["id"])))
        item = await self.database.read(load_shown_item, item_id)
        feed = await self.database.read(load_feed, item.feed_id) if item else None
        if item is None or feed is None or feed.deleted_at or not feed.enabled:
            raise _no_such_article()
        return item, feed


def _no_such_article() -> HTTPException:
    return HTTPException(404, _("There is no such article, or its feed is disabled."))
