"""`/stories` and `/stories/{id}`: one event as its outlets tell it. Both work without JavaScript; changes are forms."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import urlencode
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inforadar.actions.mark import mark
from inforadar.actions.story import merge, split
from inforadar.app.stories import load_story_page, load_story_view, parse_story_cursor
from inforadar.errors import UsageError
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId, StoryId
from inforadar.model.person import Along, PersonId
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label, load_labels
from inforadar.store.feeds.queries import load_broken_count
from inforadar.store.published.contents import load_published_contents
from inforadar.store.stories.queries import StoryCursor, StoryFilter
from inforadar.translations import pgettext, term
from inforadar.views.stories import ShownStory, StoryView, Told, reach_text, spread_text
from inforadar.views.story_compare import Comparison, compare
from inforadar.views.story_facts import Kind
from inforadar.views.story_table import shown_table
from inforadar.web.cache.timed import STRETCH_OVER_FEEDS, TimedCache
from inforadar.web.http import parameters
from inforadar.web.http.access import CSRF_SCOPE
from inforadar.web.http.forms import read_form, redirect_to
from inforadar.web.http.identity import PERSON_SCOPE
from inforadar.web.http.readers import TEXT_SCOPE
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

PAGE_STORIES = 30
MAX_OFFERED = 40
"""How many stories are offered to merge with."""
NEAR = timedelta(days=3)
LABELS_TTL_S = 2.0
ORDERS = {"newest": term("order", "Newest"), "size": term("order", "Most told")}
NOTICES = {
    "split": term("notice", "Split off. It is a story of its own now, and grouping leaves it there."),
    "merged": term("notice", "Merged. The other story's address leads here."),
}
"""Notices at the top of a page, by the key in its URL: a link cannot inject any other text."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LABELS_KEY: Literal["labels"] = "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryQuery:
    """The list's filters, as given by the URL."""

    topic: str | None = None
    order: str = "newest"
    cursor: str | None = None

    def href(self, **changes: str | None) -> str:
        """The address of this list with some filters changed; always its first page unless a cursor is given."""
        wanted = {"topic": self.topic, "order": self.order, "cursor": None} | changes
        if wanted["order"] == "newest":
            wanted["order"] = None
        query = urlencode({name: value for name, value in wanted.items() if value})
        return f"/stories?{query}" if query else "/stories"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two tellings that the reader chose, and what they share."""

    one: Told
    other: Told
    words: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRoutes:
    database: Database
    pages: Pages
    now: Callable[[], datetime]
    on_marked: Callable[[], None]
    _labels: TimedCache[str, list[Label]] = field(
        default_factory=lambda: TimedCache(LABELS_TTL_S, stretch=STRETCH_OVER_FEEDS)
    )

    def routes(self) -> list[Route]:
        return [
            resource("/stories", get=self.show_list),
            resource("/stories/{id:uuid}", get=self.show),
            resource("/stories/{id:uuid}/split", post=self.split),
            resource("/stories/{id:uuid}/merge", post=self.merge),
        ]

    async def show_list(self, request: Request) -> Response:
        given = request.query_params
        query = StoryQuery(
            topic=parameters.text(given, "topic"),
            order=parameters.text(given, "order") or "newest",
            cursor=parameters.text(given, "cursor"),
        )
        if query.order not in ORDERS:
            raise UsageError(f"order must be one of {', '.join(ORDERS)}.")
        wanted = StoryFilter(
            topic=query.topic,
            most_told=query.order == "size",
            before=parse_story_cursor(query.cursor),
            limit=PAGE_STORIES,
        )
        page = await load_story_page(self.database, wanted)
        labels = await self._labels.get(_LABELS_KEY, lambda: self.database.read(load_labels))
        topics = sorted({label.topic.casefold(): label.topic for label in labels}.values(), key=str.casefold)
        return self.pages.render(
            request,
            "stories.html",
            query=query,
            orders=ORDERS,
            topics=topics,
            stories=page.stories,
            reach=reach_text,
            spread=spread_text,
            older=query.href(cursor=page.next) if page.next else None,
            broken=await self.database.read(load_broken_count),
        )

    async def show(self, request: Request) -> Response:
        """Show one story; the address of a merged one redirects to the story it is part of now."""
        asked = _story_id(request)
        view = await load_story_view(self.database, asked)
        if view.story.id != asked:
            root = request.scope.get("root_path", "")
            return RedirectResponse(f"{root}/stories/{view.story.id}", 308)
        readable = await self._readable(request, view)
        # Sentences stand in the table only of texts that this reader may read; quotations are sentences.
        facts = [
            fact
            for fact in view.facts
            if fact.kind is not Kind.QUOTATION or len(readable) == len(view.story.told)
        ]
        person = request.scope.get(PERSON_SCOPE)
        if person and request.scope.get(CSRF_SCOPE) and Along.of(person.settings) is Along.STORY:
            await self._mark_read(person.id, view.story)
        may_change = bool(person and person.is_admin)
        return self.pages.render(
            request,
            "story.html",
            story=view.story,
            reach=reach_text(view.story),
            reach_of=reach_text,
            spread=spread_text(view.story),
            table=shown_table(facts),
            timeline=view.timeline,
            readable=readable,
            compared=await _compared(request, view, readable),
            may_change=may_change,
            offered=await self._near(view.story) if may_change else (),
            says=_notice(request),
            broken=await self.database.read(load_broken_count),
        )

    async def _readable(self, request: Request, view: StoryView) -> frozenset[ItemId]:
        """The items whose texts this reader may read."""
        told = view.story.told
        own = await self.database.read(load_published_contents, {one.feed_id for one in told})
        access = request.scope[TEXT_SCOPE]
        return frozenset(one.item_id for one in told if access.may_read(own.get(one.feed_id, Content.NONE)))

    async def _mark_read(self, person_id: PersonId, story: ShownStory) -> None:
        """Opening a story marks all its articles as read, for someone who chose so."""
        read = {"read": True}
        await mark(self.database, person_id, story.told[0].url, read, self.now(), along=Along.STORY)
        self.on_marked()

    async def _near(self, story: ShownStory) -> Sequence[ShownStory]:
        """Stories of about the same time, to merge with."""
        end = StoryCursor(last_at=story.last_at + NEAR, id=story.id, sources=0, items=0)
        wanted = StoryFilter(min_sources=1, since=story.began_at - NEAR, before=end, limit=MAX_OFFERED)
        page = await load_story_page(self.database, wanted)
        return [other for other in page.stories if other.id != story.id]

    async def split(self, request: Request) -> Response:
        """Split off the items of the form, and return to the story."""
        form = await read_form(request)
        ids = [ItemId(_parse_id(text)) for text in form.texts("item")]
        if not ids:
            raise UsageError("Choose an item to split off.")
        await split(self.database, ids)
        return redirect_to(request, f"/stories/{_story_id(request)}?says=split")

    async def merge(self, request: Request) -> Response:
        """Merge the story that the form names by id or address into this one."""
        form = await read_form(request)
        other = StoryId(_parse_id(form.text("other") or ""))
        kept = await merge(self.database, _story_id(request), other)
        return redirect_to(request, f"/stories/{kept}?says=merged")


def _story_id(request: Request) -> StoryId:
    return StoryId(UUID(str(request.path_params["id"])))


def _parse_id(text: str) -> UUID:
    found = _UUID.search(text)
    if found is None:
        raise UsageError("Paste the address of a story, or its id.")
    return UUID(found.group())


async def _compared(request: Request, view: StoryView, readable: frozenset[ItemId]) -> Compared | None:
    """Compare the two tellings that the query names; None if it names none."""
    given = request.query_params
    one_id, other_id = parameters.uuid(given, "one"), parameters.uuid(given, "other")
    if one_id is None or other_id is None:
        return None
    told: Mapping[UUID, Told] = {one.item_id: one for one in view.story.told}
    one, other = told.get(one_id), told.get(other_id)
    if one is None or other is None:
        raise UsageError("Both articles must belong to this story.")
    # In a thread, because comparing two long texts takes a moment and other requests must not wait.
    words = await asyncio.to_thread(compare, _said(view, one, readable), _said(view, other, readable))
    return Compared(one=one, other=other, words=words)


def _said(view: StoryView, told: Told, readable: frozenset[ItemId]) -> str:
    return view.texts[told.item_id] if told.item_id in readable else told.title


def _notice(request: Request) -> str | None:
    notice = NOTICES.get(request.query_params.get("says", ""))
    return pgettext("notice", notice) if notice else None
