"""`/palette`: the feeds, topics and saved searches that the palette (Ctrl-K) finds, on every page."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from inforadar.web.http.identity import person_id_of
from inforadar.web.pages.item_query import Query
from inforadar.web.pages.sidebar import SidebarLoader


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteRoutes:
    sidebar: SidebarLoader

    def routes(self) -> list[Route]:
        return [Route("/palette", self.show)]

    async def show(self, request: Request) -> Response:
        """Return the choices with their addresses below the root, and whether there are more feeds than these."""
        side = await self.sidebar.load(person_id_of(request.scope), Query())
        searches = [_choice("saved", one.name, one.href) for one in side.searches]
        topics = [_choice("topic", one.name, one.href) for one in side.topics]
        feeds = [_choice("feed", one.title, one.href) for topic in side.topics for one in topic.feeds]
        choices = [*searches, *topics, *feeds]
        return JSONResponse(
            {"choices": choices, "more": side.has_more}, headers={"Cache-Control": "private, no-cache"}
        )


def _choice(kind: str, name: str, href: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "href": href}
