"""`/api/items/{id}/revisions`: how an item changed, its listing and its text."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.app.revisions import load_history
from inforadar.errors import NotFoundError
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId
from inforadar.store.database import Database
from inforadar.store.items.lookup import load_items
from inforadar.store.items.one_row import with_all_feeds
from inforadar.store.published.contents import load_published_contents
from inforadar.views.revisions import history_document
from inforadar.web.api.answers import json_answer
from inforadar.web.http.readers import TEXT_SCOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionApi:
    database: Database

    def routes(self) -> list[Route]:
        return [Route("/api/items/{id:uuid}/revisions", self.show)]

    async def show(self, request: Request) -> Response:
        """Show versions, revisions and one history of both; texts only to those who may read them."""
        item_id = ItemId(UUID(str(request.path_params["id"])))
        item = (await self.database.read(load_items, [item_id])).get(item_id)
        if item is None:
            raise NotFoundError("There is no such item, or its feed is disabled.")
        (item,) = await self.database.read(with_all_feeds, [item])
        own = await self.database.read(load_published_contents, [item.feed_id])
        may_read = request.scope[TEXT_SCOPE].may_read(own.get(item.feed_id, Content.NONE))
        history = await load_history(self.database, item)
        return json_answer({"id": str(item_id)} | history_document(history, with_text=may_read))
