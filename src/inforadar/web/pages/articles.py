"""The article list `/`, and marks made in it. It works without JavaScript; changes are plain forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar
from urllib.parse import urlencode
from uuid import UUID

from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from inforadar.actions.mark import mark, mark_list, undo_mark_list
from inforadar.app.store import SAMPLE
from inforadar.app.stories import LISTED_TEXT_CHARS, show_told
from inforadar.errors import InfoRadarError, NotFoundError, UsageError
from inforadar.model.analysis import Score
from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item
from inforadar.model.person import Along, PersonId
from inforadar.stages.publish.text import one_line
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ListPlace
from inforadar.store.items.one_row import count_some, load_shown_item
from inforadar.store.people.marks import MARKS, NO_MARKS, Marks, load_marks
from inforadar.store.reading_pages import ListPage, load_list_page
from inforadar.store.stories.queries import StoryChip
from inforadar.urls import url_hash
from inforadar.views.highlight import Highlighter
from inforadar.views.item import read_item
from inforadar.views.reading_time import reading_minutes
from inforadar.views.sanitize import Images, thumbnail_html
from inforadar.views.settings import settings_of
from inforadar.views.stories import ShownStory, reach_text, spread_text
from inforadar.views.times import shown_time
from inforadar.web.cache.timed import TimedCache
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.identity import PERSON_SCOPE, person_id_of
from inforadar.web.http.parameters import uuid
from inforadar.web.pages.item_query import (
    PAGE_ITEMS,
    Query,
    band_choices,
    moment_text,
    parse_moment,
    parse_query,
    show_choices,
)
from inforadar.web.pages.list_view import remember_view, shows_stories
from inforadar.web.pages.picture_mode import PictureMode
from inforadar.web.pages.sidebar import SidebarLoader
from inforadar.web.pages.templating import Pages

MAX_COUNTED = 1000
MAX_NEWS = 100
SEEN_S = 60
"""How long a page that is made of the same is sent again. It tells up to which moment articles were seen, so that
`mark_list` leaves those that came later."""
MATCHES_TTL_S = 30.0
MATCHES_TIMEOUT_S = 0.05
"""How long a page waits for the number of matches; after that it shows none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _InList:
    """What every entry of the list has."""

    item_id: ItemId
    feed_id: FeedId
    url: str
    added_at: datetime
    age: str
    thumbnail: Markup
    set_marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(_InList):
    """All that the list shows of an item: equal ones are rendered once (`entry.html`)."""

    is_told: ClassVar[bool] = False
    title: str
    neutral_title: str | None
    summary: str
    sources: str
    published_at: datetime
    minutes: int | None
    chip: StoryChip | None
    overall: Score | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEntry(_InList):
    """An event in the list: all that tell of it, by one of its items."""

    is_told: ClassVar[bool] = True
    story: ShownStory


def _entry(item: Item, found: ListPage, images: Images, now: datetime) -> Entry:
    shown, preview = read_item(item), found.previews.get(item.id)
    its_marks = found.marks.get(item.hash, NO_MARKS)
    return Entry(
        item_id=item.id,
        feed_id=item.feed_id,
        url=item.url,
        title=shown.title,
        neutral_title=shown.neutral_title,
        summary=shown.summary,
        sources=one_line(item.all_sources),
        added_at=item.created_at,
        published_at=item.published_at,
        age=shown_time(item.published_at, now),
        minutes=reading_minutes(preview.text_len, item.language) if preview else None,
        chip=found.chips.get(item.id),
        overall=shown.analysis.overall if shown.analysis else None,
        thumbnail=_thumbnail(item, found, images),
        set_marks=_set_marks(its_marks, is_read=its_marks.read_at is not None),
    )


def _told_entry(
    item: Item, story: ShownStory, found: ListPage, images: Images, now: datetime, *, is_read: bool
) -> ToldEntry:
    return ToldEntry(
        item_id=item.id,
        feed_id=item.feed_id,
        url=item.url,
        added_at=item.created_at,
        story=story,
        age=shown_time(story.last_at, now),
        thumbnail=_thumbnail(item, found, images),
        set_marks=_set_marks(found.marks.get(item.hash, NO_MARKS), is_read=is_read),
    )


def _thumbnail(item: Item, found: ListPage, images: Images) -> Markup:
    preview = found.previews.get(item.id)
    return thumbnail_html((preview.image if preview else None) or item.image, images)


def _set_marks(marks: Marks, *, is_read: bool) -> tuple[str, ...]:
    """The marks that an entry shows as set."""
    shown = (("read", is_read), ("starred", marks.starred_at), ("archived", marks.archived_at))
    return tuple(name for name, is_set in shown if is_set)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRoutes:
    database: Database
    pages: Pages
    sidebar: SidebarLoader
    pictures: PictureMode
    now: Callable[[], datetime]
    _matches: TimedCache[tuple[str, PersonId | None], int] = field(
        default_factory=lambda: TimedCache(MATCHES_TTL_S)
    )

    def routes(self) -> list[Route]:
        return [
            Route("/", self.show_list),
            Route("/news", self.count_news),
            Route("/marks", self.mark_one, methods=["POST"]),
            Route("/marks/list", self.mark_list, methods=["POST"]),
            Route("/marks/undo", self.undo_list, methods=["POST"]),
        ]

    async def show_list(self, request: Request) -> Response:
        settings = settings_of(request.scope.get(PERSON_SCOPE))
        if not request.url.query and settings.start != "all":
            return redirect_to(request, f"/?show={settings.start}")
        query, person_id = parse_query(request.query_params), person_id_of(request.scope)
        if request.scope.get(PERSON_SCOPE) is None and (answer := remember_view(request, query)) is not None:
            return answer
        now = self.now()
        asked, query = query, query.held(now)
        by_story, is_held = shows_stories(request, query), query is not asked
        wanted = replace(query.filter, person_id=person_id, by_story=by_story)
        found = await self.database.read(
            load_list_page,
            wanted,
            limit=PAGE_ITEMS,
            cursor=query.after,
            text_chars=LISTED_TEXT_CHARS,
            only_origin=None if query.text else SAMPLE,
        )
        page, images = found.page, await self.pictures.of(request)
        stories = show_told(found.told) if found.told else {}
        read = await self._read_urls(person_id, stories.values()) if stories else set()
        entries: list[Entry | ToldEntry] = []
        for item in page.items:
            if story := stories.get(item.id):
                is_read = all(one.url in read for one in story.told)
                entries.append(_told_entry(item, story, found, images, now, is_read=is_read))
            else:
                entries.append(_entry(item, found, images, now))
        first = page.items[0].id if page.items else None
        side = await self.sidebar.load(person_id, query)
        matches = await self._count(query, person_id, by_story=by_story) if query.is_filtered else None
        marked = _marked(request.query_params)
        # All that may change without anybody asking for another list. It is asked for each time, because the worker,
        # other processes and reader apps change it. What else the template gets follows from it.
        made_of = (query, by_story, entries, page.next, replace(side, topics=()), matches, marked)
        around = (found.is_hidden, found.has_only_origin, found.broken_feeds)
        return self.pages.render(
            request,
            "articles.html",
            made_of=None if is_held else (*made_of, *around, int(now.timestamp()) // SEEN_S),
            query=query,
            side=side,
            shows=show_choices(query),
            bands=band_choices(query),
            entries=entries,
            found=Highlighter(query.words),
            by_story=by_story,
            is_hidden=found.is_hidden,
            reach=reach_text,
            spread=spread_text,
            matches=matches,
            max_counted=MAX_COUNTED,
            older=replace(query, after=page.next).href if page.next else None,
            newest=query.first.href if query.after else None,
            first=first,
            seen=moment_text(now),
            newest_id=max((item.id for item in page.items), default=None) if not query.after else None,
            marked=marked,
            is_sample=found.has_only_origin,
            broken=found.broken_feeds,
        )

    async def _read_urls(self, person_id: PersonId | None, stories: Iterable[ShownStory]) -> set[str]:
        """The articles of these stories that the person has read."""
        urls = {one.url for story in stories for one in story.told}
        marks = await self.database.read(load_marks, person_id, [url_hash(url) for url in urls])
        return {url for url in urls if marks.get(url_hash(url), NO_MARKS).read_at}

    async def _count(self, query: Query, person_id: PersonId | None, *, by_story: bool) -> int | None:
        """How many entries the filters match; None if that takes too long."""
        wanted = replace(query.filter, person_id=person_id, by_story=by_story)
        key = (f"{query.first.text} {by_story}", person_id)
        with suppress(InfoRadarError, TimeoutError):
            async with asyncio.timeout(MATCHES_TIMEOUT_S):
                return await self._matches.get(
                    key, lambda: self.database.read(count_some, wanted, MAX_COUNTED + 1)
                )
        return None

    async def count_news(self, request: Request) -> Response:
        """How many items were added to the list after the given one."""
        query, after = parse_query(request.query_params), uuid(request.query_params, "newest")
        if after is None:
            raise UsageError("The parameter newest is missing: the id of an item.")
        wanted = replace(query.first.filter, person_id=person_id_of(request.scope))
        number = await self.database.read(count_some, wanted, MAX_NEWS, after=ItemId(after))
        return JSONResponse({"new": number}, headers={"Cache-Control": "no-store"})

    async def mark_one(self, request: Request) -> Response:
        """Handle a button of an entry, `starred-on=ID`, and return to the list."""
        form = await read_form(request)
        for name in MARKS:
            for word in ("on", "off"):
                if (given := form.text(f"{name}-{word}")) is not None:
                    return await self._mark_one(request, form, given, {name: word == "on"})
        raise UsageError(f"The mark must be one of {', '.join(MARKS)}.")

    async def _mark_one(self, request: Request, form: Form, given: str, changes: dict[str, bool]) -> Response:
        item = await self.database.read(load_shown_item, ItemId(_id(given)))
        if item is None:
            raise NotFoundError("There is no such article any more.")
        # An entry of the list stands for all that tell of the same event.
        along = Along.STORY if shows_stories(request, _list_of(form)) else None
        person_id = request.scope[PERSON_SCOPE].id
        await mark(self.database, person_id, item.url, changes, self.now(), along=along)
        self.sidebar.forget()
        return redirect_to(request, f"{_list_of(form).href}#e-{item.id}")

    async def mark_list(self, request: Request) -> Response:
        """Mark what is shown and older as read, and say so with a way back."""
        form, person_id = await read_form(request), request.scope[PERSON_SCOPE].id
        query, at = _list_of(form), self.now()
        first = await self.database.read(load_shown_item, ItemId(_id(form.text("first") or "")))
        if first is None:
            raise NotFoundError("There is no such article any more. Load the list again.")
        number = await mark_list(
            self.database,
            replace(query.filter, person_id=person_id, by_story=shows_stories(request, query)),
            ListPlace(published_at=first.published_at, item_id=first.id),
            parse_moment(form.text("seen") or ""),
            at,
        )
        self.sidebar.forget()
        told = urlencode({"marked": number, "marked_at": moment_text(at)})
        return redirect_to(request, f"{_with(query.first.href, told)}")

    async def undo_list(self, request: Request) -> Response:
        form = await read_form(request)
        at = parse_moment(form.text("at") or "")
        await undo_mark_list(self.database, request.scope[PERSON_SCOPE].id, at)
        self.sidebar.forget()
        return redirect_to(request, _list_of(form).first.href)


def _list_of(form: Form) -> Query:
    """The list that a form was sent from: its field `list` is the query of its address."""
    return parse_query(QueryParams(form.text("list") or ""))


def _with(href: str, query: str) -> str:
    return f"{href}&{query}" if "?" in href else f"{href}?{query}"


def _marked(given: QueryParams) -> tuple[int, str] | None:
    """Return what was just marked: how many items, and when."""
    number, at = given.get("marked", ""), given.get("marked_at", "")
    if not (number.isascii() and number.isdigit() and len(number) < 10 and at):
        return None
    return int(number), moment_text(parse_moment(at))


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise UsageError("There is no such article.") from None
