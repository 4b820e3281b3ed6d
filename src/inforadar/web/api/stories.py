"""`/api/stories`: stories, page by page, and one story with its items, facts and timeline."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inforadar.app.stories import load_shown_stories, load_story_view
from inforadar.errors import UsageError
from inforadar.model.ids import StoryId
from inforadar.store.database import Database
from inforadar.store.stories.queries import StoryFilter
from inforadar.views.stories import story_document, view_document
from inforadar.web.api.answers import json_answer
from inforadar.web.http import parameters
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess

MAX_STORIES = 100


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
            before=parse_cursor(parameters.text(given, "cursor")),
            limit=parameters.limit(given, default=50, most=MAX_STORIES),
        )
        stories = await load_shown_stories(self.database, wanted)
        last = stories[-1] if len(stories) == wanted.limit else None
        return json_answer(
            {
                "stories": [story_document(story) for story in stories],
                "next": f"{last.last_at.isoformat()}~{last.id}" if last else None,
            }
        )

    async def show_story(self, request: Request) -> Response:
        """Show one story; the address of a merged one redirects to the story it is part of now."""
        asked = StoryId(UUID(str(request.path_params["id"])))
        view = await load_story_view(self.database, asked)
        if view.story.id != asked:
            root = request.scope.get("root_path", "")
            return RedirectResponse(f"{root}/api/stories/{view.story.id}", 308)
        return json_answer(view_document(view, with_text=request.scope[TEXT_SCOPE] is TextAccess.ALL))


def parse_cursor(text: str | None) -> tuple[datetime, StoryId] | None:
    """Read the `next` of a former answer."""
    if text is None:
        return None
    at, _, story = text.partition("~")
    try:
        # A plus sign in an address is a space.
        moment = datetime.fromisoformat(at.replace(" ", "+"))
        found = moment, StoryId(UUID(story))
    except ValueError:
        raise UsageError("cursor must be the `next` of a former answer.") from None
    if moment.tzinfo is None:
        raise UsageError("cursor must be the `next` of a former answer.")
    return found
