"""`/item/{id}/history`: what an outlet changed after publication, as a page that also opens as a side sheet."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.app.revisions import choose_diff, load_history
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId
from inforadar.model.revision import StoredRevision
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_broken_count, load_feed
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.published.contents import load_published_contents
from inforadar.translations import ENGLISH, speaking
from inforadar.translations import gettext as _
from inforadar.views.revision_markdown import diff_markdown
from inforadar.views.revisions import (
    ItemHistory,
    ShownDiff,
    changed_text,
    is_minor,
    kinds_text,
    noted_text,
    score_change,
)
from inforadar.web.http import parameters
from inforadar.web.http.readers import TEXT_SCOPE
from inforadar.web.pages.templating import Pages

MAX_VERSION = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRoutes:
    database: Database
    pages: Pages

    def routes(self) -> list[Route]:
        return [Route("/item/{id:uuid}/history", self.show)]

    async def show(self, request: Request) -> Response:
        """Show the last change, or the two versions of the query; `format=markdown` is the text to paste."""
        item_id = ItemId(UUID(str(request.path_params["id"])))
        item = await self.database.read(load_shown_item, item_id)
        feed = await self.database.read(load_feed, item.feed_id) if item else None
        if item is None or feed is None or feed.deleted_at or not feed.enabled:
            raise HTTPException(404, _("There is no such article, or its feed is disabled."))
        own = await self.database.read(load_published_contents, [feed.id])
        may_read = request.scope[TEXT_SCOPE].may_read(own.get(feed.id, Content.NONE))
        history = await load_history(self.database, item)
        diff, stored = self._choose(request, history)
        if request.query_params.get("format") == "markdown":
            if diff is None or not may_read:
                raise HTTPException(404, _("There is no change of this article to copy."))
            with speaking(ENGLISH):
                text = diff_markdown(history, diff, stored)
            return Response(text, media_type="text/markdown; charset=utf-8")
        return self.pages.render(
            request,
            "revisions.html",
            item_id=item_id,
            history=history,
            diff=diff,
            stored=stored,
            may_read=may_read,
            changed_text=changed_text,
            is_minor=is_minor,
            kinds_text=kinds_text,
            noted_text=noted_text,
            score_change=score_change,
            broken=await self.database.read(load_broken_count),
        )

    def _choose(
        self, request: Request, history: ItemHistory
    ) -> tuple[ShownDiff | None, StoredRevision | None]:
        if not history.versions:
            return None, None
        given = request.query_params
        old, new = (
            parameters.number(given, name, 0, MAX_VERSION, default=0) or None for name in ("old", "new")
        )
        return choose_diff(history, old, new)
