"""Combined feeds: all items of a topic, a source or a search as one feed (X2).

    /feeds/topic/python        /feeds/topic/python.atom        /feeds/search?q=summit&format=json

The format is given by the ending or by `format=`; with `format=`, an ending is part of the name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.routing import Route

from inforadar.errors import NotFoundError
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId
from inforadar.model.item import Item, ItemText
from inforadar.stages.publish.entry import ChannelInfo
from inforadar.stages.publish.formats import FORMATS, RSS, Format
from inforadar.stages.publish.shape import Titles, shaped
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.pages_of_feeds import has_feeds
from inforadar.store.published.contents import load_item_texts, load_published_contents
from inforadar.views.published import entries_of
from inforadar.web.cache.timed import TimedCache
from inforadar.web.feeds.response import Prepared
from inforadar.web.feeds.rss_query import parse_content, parse_format, parse_titles
from inforadar.web.http import parameters
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess

DOCUMENT_TTL_S = 1.0
"""How long a rendered document is cached."""
MAX_DOCUMENT_BYTES = 16 * 2**20

_EMPTY_FEED_BUILT_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""The build date of a feed without items."""


_PARAMETERS = ("q", "format", "embedded", "content", "titles", "max_score")
"""The query parameters that are part of a document's own address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A reader's request for a combined feed, and how much of it the reader may read."""

    title: str
    format: Format
    address: str
    embedded: bool
    content: Content | None
    titles: Titles
    access: TextAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedRoutes:
    database: Database
    public_url: str
    last_n: int
    _documents: TimedCache[tuple[str, TextAccess], Prepared] = field(
        default_factory=lambda: TimedCache(
            DOCUMENT_TTL_S, max_bytes=MAX_DOCUMENT_BYTES, weigh=lambda document: document.weight
        )
    )

    def routes(self) -> list[Route]:
        searches = ["/feeds/search", *(f"/feeds/search.{name}" for name in FORMATS)]
        return [
            Route("/feeds/topic/{name:path}", self.topic),
            Route("/feeds/source/{name:path}", self.source),
            *(Route(path, self.search) for path in searches),
        ]

    async def topic(self, request: Request) -> Prepared:
        name, format_ = _name_and_format(request)
        wanted = ItemFilter(topics=(name,))
        if not await self.database.read(has_feeds, wanted):
            raise NotFoundError(f"There is no feed with the topic {name!r} here.")
        return await self._feed(request, wanted, f"Topic: {name}", format_)

    async def source(self, request: Request) -> Prepared:
        name, format_ = _name_and_format(request)
        wanted = ItemFilter(sources=(name,))
        if not await self.database.read(has_feeds, wanted):
            raise NotFoundError(f"There is no feed of the source {name!r} here.")
        return await self._feed(request, wanted, f"Source: {name}", format_)

    async def search(self, request: Request) -> Prepared:
        query = parameters.required(request.query_params, "q", "summit")
        _, _, ending = request.url.path.rpartition("/feeds/search")
        format_ = FORMATS[ending[1:]] if ending else parse_format(request.query_params.get("format") or "")
        return await self._feed(request, ItemFilter(query=query), f"Search: {query}", format_)

    async def _feed(self, request: Request, wanted: ItemFilter, title: str, format_: Format) -> Prepared:
        given = request.query_params
        wanted = replace(wanted, max_score=parameters.max_score(given))
        address = parameters.own_address(request, _PARAMETERS)
        asked = _Asked(
            title=title,
            format=format_,
            address=address,
            embedded=parameters.flag(given, "embedded"),
            content=parse_content(given.get("content") or ""),
            titles=parse_titles(given.get("titles") or ""),
            access=request.scope[TEXT_SCOPE],
        )
        return await self._documents.get((address, asked.access), lambda: self._render(wanted, asked))

    async def _render(self, wanted: ItemFilter, asked: _Asked) -> Prepared:
        items = await self._newest(wanted)
        own = await self.database.read(load_published_contents, {item.feed_id for item in items})
        contents = [asked.access.limit(asked.content, own.get(item.feed_id, Content.NONE)) for item in items]
        with_text = [item for item, content in zip(items, contents, strict=True) if content is Content.FULL]
        texts = await self.database.read(load_item_texts, with_text)
        # In a thread, because rendering texts takes a moment and other requests must not wait.
        return await asyncio.to_thread(self._rendered, items, contents, texts, asked)

    def _rendered(
        self,
        items: Sequence[Item],
        contents: Sequence[Content],
        texts: Mapping[ItemId, ItemText],
        asked: _Asked,
    ) -> Prepared:
        built_at = max((_changed_at(item) for item in items), default=_EMPTY_FEED_BUILT_AT)
        channel = ChannelInfo(
            title=f"{asked.title} · Info Radar",
            link=self.public_url + "/",
            description=f"{asked.title}, from all feeds here",
            self_url=self.public_url + asked.address,
            built_at=built_at,
        )
        entries = entries_of((item, texts.get(item.id)) for item in items)
        shown = [
            shaped(entry, content, asked.titles) for entry, content in zip(entries, contents, strict=True)
        ]
        document = asked.format.render(channel, shown, embedded=asked.embedded)
        return Prepared(document.encode(), asked.format.content_type, built_at, dated=False)

    async def _newest(self, wanted: ItemFilter) -> list[Item]:
        """Load the newest items, distinct by URL: an article listed by several feeds appears once."""
        found: dict[str, Item] = {}
        cursor = None
        while len(found) < self.last_n:
            page = await self.database.read(load_item_page, wanted, limit=self.last_n, cursor=cursor)
            for item in page.items:
                found.setdefault(item.url, item)
            cursor = page.next
            if cursor is None:
                break
        return list(found.values())[: self.last_n]


def _changed_at(item: Item) -> datetime:
    """When the item or its analysis last changed, in whole seconds as in feeds."""
    return max(item.updated_at, item.analyzed_at or item.updated_at).replace(microsecond=0)


def _name_and_format(request: Request) -> tuple[str, Format]:
    name = str(request.path_params["name"])
    if given := request.query_params.get("format"):
        return name, parse_format(given)
    stem, dot, ending = name.rpartition(".")
    if dot and stem and ending in FORMATS:
        return stem, FORMATS[ending]
    return name, RSS
