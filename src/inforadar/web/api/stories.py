"""`/api/stories`: stories, page by page, and one story with its items, facts and timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inforadar.app.stories import load_story_page, load_story_view, parse_story_cursor
from inforadar.model.ids import StoryId
from inforadar.store.database import Database
from inforadar.store.stories.queries import StoryFilter, count_stories
from inforadar.views.story_json import story_document, view_document
from inforadar.web.api.answers import json_answer
from inforadar.web.http import parameters
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess

MAX_STORIES = 100
STORY_ORDERS = ("-date", "-sources")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryApi:
    database: Database

    def routes(self) -> list[Route]:
        return [
            Route("/api/stories", self.list_stories),
            Route("/api/stories/{id:uuid}", self.show_story),
        ]

    async def list_stories(self, request: Request) -> Response:
        given = request.query_params
        wanted = StoryFilter(
            min_sources=parameters.number(given, "min_sources", 1, 1000, default=2),
            topic=parameters.text(given, "topic"),
            since=parameters.moment(given, "since"),
            until=parameters.moment(given, "until"),
            most_told=parameters.order(given, STORY_ORDERS, STORY_ORDERS[0]) == "-sources",
            before=parse_story_cursor(parameters.text(given, "cursor")),
            limit=parameters.limit(given, default=50, most=MAX_STORIES),
        )
        page = await load_story_page(self.database, wanted)
        document: dict[str, Any] = {
            "stories": [story_document(story) for story in page.stories],
            "next": page.next,
        }
        if parameters.flag(given, "total"):
            document["total"] = await self.database.read(count_stories, wanted)
        return json_answer(document)

    async def show_story(self, request: Request) -> Response:
        """Show one story; the address of a merged one redirects to the story it is part of now."""
        asked = StoryId(UUID(str(request.path_params["id"])))
        view = await load_story_view(self.database, asked)
        if view.story.id != asked:
            root = request.scope.get("root_path", "")
            return RedirectResponse(f"{root}/api/stories/{view.story.id}", 308)
        return json_answer(view_document(view, with_text=request.scope[TEXT_SCOPE] is TextAccess.ALL))
