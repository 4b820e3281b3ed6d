"""The small picture of a feed, `/favicon/{id}`: the feed's own icon or its site's, fetched when it is first shown.

It comes through the guarded client and the cache of pictures. Where there is none, a letter is drawn, so a picture is
always answered and nothing is left open on the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape
from typing import Literal
from urllib.parse import urlsplit
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.errors import NotFoundError
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feed
from inforadar.web.pages.pictures import Picture

KEEP_S = 7 * 86_400
LETTER_S = 3600
"""A letter is asked for again sooner: the site may have been down."""
MAX_ICON_BYTES = 200_000
HUES = 12
_LETTER = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" '
    'fill="hsl({hue} 35% 42%)"/><text x="8" y="12" font-family="system-ui,sans-serif" font-size="11" font-weight="600" '
    'text-anchor="middle" fill="#fff">{letter}</text></svg>'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaviconRoutes:
    database: Database
    images: Literal["auto", "direct", "proxy", "click", "never"]
    load_picture: Callable[[str], Awaitable[Picture | None]]

    def routes(self) -> list[Route]:
        return [Route("/favicon/{id:uuid}", self.show)]

    async def show(self, request: Request) -> Response:
        feed = await self.database.read(load_feed, FeedId(UUID(str(request.path_params["id"]))))
        if feed.deleted_at:
            raise NotFoundError("There is no such feed.")
        for url in icon_urls(feed) if self.images not in {"click", "never"} else ():
            picture = await self.load_picture(url)
            if picture is not None and len(picture.body) <= MAX_ICON_BYTES:
                return _answer(picture.body, picture.media_type, KEEP_S)
        return _answer(letter_svg(feed.title or feed.source).encode(), "image/svg+xml", LETTER_S)


def icon_urls(feed: Feed) -> list[str]:
    """Where the icon may be, best first."""
    urls = [feed.icon] if feed.icon and feed.icon.startswith(("http://", "https://")) else []
    for page in (feed.site_url, feed.url):
        parts = urlsplit(page or "")
        if parts.scheme in {"http", "https"} and parts.netloc:
            urls.append(f"{parts.scheme}://{parts.netloc}/favicon.ico")
            break
    return urls


def letter_svg(name: str) -> str:
    """The first letter of a name on a ground whose colour is always the same for it."""
    letter = next((sign for sign in name if sign.isalnum()), "·").upper()[:1]
    hue = sum(name.encode("utf-8", "replace")) % HUES * (360 // HUES)
    return _LETTER.format(hue=hue, letter=escape(letter))


def _answer(body: bytes, media_type: str, keep_s: int) -> Response:
    return Response(
        body,
        headers={
            "Cache-Control": f"private, max-age={keep_s}",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "Cross-Origin-Resource-Policy": "same-origin",
        },
        media_type=media_type,
    )
