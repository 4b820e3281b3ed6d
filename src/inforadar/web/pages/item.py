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
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId
from inforadar.model.item import Item, shares_its_page
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_broken_count, load_feed
from inforadar.store.items.neighbours import load_neighbours
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.items.queries import load_item_changes
from inforadar.store.people.marks import MARKS, NO_MARKS, load_label_names, load_marks
from inforadar.store.published.contents import load_published_contents
from inforadar.store.revisions.queries import count_revisions
from inforadar.store.stories.queries import load_story_chips
from inforadar.translations import gettext as _
from inforadar.urls import uid
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
from inforadar.views.reading import reading_of
from inforadar.views.reading_time import reading_minutes
from inforadar.views.sanitize import legend_for
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
        item, feed = await self._find(request)
        asked = request.query_params
        query, person_id = parse_query(asked), person_id_of(request.scope)
        key = uid(item.url)
        article = await self.database.read(load_article, key)
        history = await self.database.read(load_item_changes, item.id)
        wanted = replace(query.filter, person_id=person_id, by_story=shows_stories(request, query))
        neighbours = await self.database.read(load_neighbours, wanted, item)
        marks = (await self.database.read(load_marks, person_id, [item.hash])).get(item.hash, NO_MARKS)
        if person_id and request.scope.get(CSRF_SCOPE) and marks.read_at is None and UNREAD not in asked:
            # Opening an article marks it as read only for someone logged in, not for any visitor.
            read_marks = await mark(self.database, person_id, item.url, {"read": True}, self.now())
            marks = replace(marks, read_at=read_marks.read_at)
            self.sidebar.forget()
        read = read_item(item)
        own = await self.database.read(load_published_contents, [feed.id])
        may_read = request.scope[TEXT_SCOPE].may_read(own.get(feed.id, Content.NONE))
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
            previous=query.item_href(neighbours.previous) if neighbours.previous else None,
            following=query.item_href(neighbours.next) if neighbours.next else None,
            read=read,
            feed=feed,
            marks=marks,
            labels=await self.database.read(load_label_names, person_id) if person_id else [],
            bars=BARS,
            legend=legend_for(read.analysis),
            story=(await self.database.read(load_story_chips, [item.id])).get(item.id),
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
            changes=field_changes(history),
            revision_count=(await self.database.read(count_revisions, [key])).get(key, 0),
            counters=shown_counters(item),
            details=shown_details(item),
            broken=await self.database.read(load_broken_count),
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
            raise HTTPException(404, _("There is no such article, or its feed is disabled."))
        return item, feed
