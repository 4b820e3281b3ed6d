"""The article list `/` and the reading view `/item/{id}`. They work without JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.ids import ItemId
from inforadar.pipeline.reading import BARS, field_changes, paragraphs, read_item, why_no_text
from inforadar.store.articles import load_article
from inforadar.store.engine import Database
from inforadar.store.feeds import load_broken_count, load_feed
from inforadar.store.items import count_items, list_items, load_item, load_item_changes
from inforadar.store.labels import load_labels
from inforadar.urls import uid
from inforadar.web.listing import PAGE_ITEMS, choices, pager, pages_of, parse_query
from inforadar.web.templating import Pages


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRoutes:
    database: Database
    pages: Pages

    def routes(self) -> list[Route]:
        return [Route("/", self.show_list), Route("/item/{id:uuid}", self.show_item)]

    async def show_list(self, request: Request) -> Response:
        query = parse_query(request.query_params)
        total = await self.database.read(count_items, query.filter) if query else 0
        if query is None or query.page > pages_of(total):
            raise HTTPException(404, f"There is no page {request.query_params['page'][:20]} of articles.")
        items = await self.database.read(list_items, query.filter, limit=PAGE_ITEMS, offset=query.offset)
        labels = await self.database.read(load_labels)
        return self.pages.render(
            "articles.html",
            query=query,
            choices=choices(query, labels),
            rows=[read_item(item) for item in items],
            pager=pager(query, total),
            broken=await self.database.read(load_broken_count),
        )

    async def show_item(self, request: Request) -> Response:
        item_id = ItemId(UUID(str(request.path_params["id"])))
        item = await self.database.read(load_item, item_id)
        feed = await self.database.read(load_feed, item.feed_id) if item else None
        if item is None or feed is None or feed.deleted_at or not feed.enabled:
            raise HTTPException(404, "There is no such article, or its feed is switched off.")
        article = await self.database.read(load_article, uid(item.url))
        history = await self.database.read(load_item_changes, item_id)
        return self.pages.render(
            "item.html",
            read=read_item(item),
            bars=BARS,
            article=article,
            paragraphs=paragraphs(article),
            why_no_text=why_no_text(article),
            changes=field_changes(history),
        )
