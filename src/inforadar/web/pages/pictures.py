"""Pictures of articles through this server (`INFORADAR_IMAGES=proxy`), so that their sites do not see who reads.

    /picture/SIGNATURE?url=…   signed? ─► in memory? ─► guarded client ─► a raster picture? ─► kept, answered

Only addresses that we signed are fetched, so nobody can use the server to fetch anything else. What comes back is
told by its first bytes, whatever the site calls it: a script or SVG never becomes part of our origin. A site is not
paced: a reader waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.http import Fetched
from inforadar.model.http import Request as WebRequest
from inforadar.web.cache.bounded import BoundedCache
from inforadar.web.cache.single_flight import SingleFlight
from inforadar.web.http.sessions import Sessions

if TYPE_CHECKING:
    from inforadar.fetch.client import Client

PATH = "/picture"
MAX_PICTURE_BYTES = 10 * 2**20
MAX_KEPT_BYTES = 16 * 2**20
MAX_FAILURES_KEPT = 2_000
MAX_AT_ONCE = 16
TIMEOUT_S = 15.0
FAILURE_LIFETIME_S = 60.0
"""A picture that could not be fetched is not asked for again before this."""
_ACCEPT = "image/avif,image/webp,image/png,image/jpeg,image/gif;q=0.9,*/*;q=0.1"
_KEEP_S = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Picture:
    media_type: str
    body: bytes


def picture_type(body: bytes) -> str | None:
    """The type of a raster picture by its first bytes; None for anything else."""
    for start, media_type in _STARTS:
        if body.startswith(start):
            return media_type
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:8] == b"ftyp" and body[8:12] in (b"avif", b"avis"):
        return "image/avif"
    return None


_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)


@dataclass(kw_only=True)
class PictureRoutes:
    sessions: Sessions
    make_client: Callable[[], Awaitable[Client]]
    clock: Callable[[], float]
    """Seconds that only grow."""
    _kept: BoundedCache[str, Picture] = field(
        default_factory=lambda: BoundedCache(MAX_KEPT_BYTES, lambda picture: len(picture.body))
    )
    _failed_at: BoundedCache[str, float] = field(default_factory=lambda: BoundedCache(MAX_FAILURES_KEPT))
    _loads: SingleFlight[str, Picture | None] = field(default_factory=SingleFlight)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _client: Client | None = None

    def routes(self) -> list[Route]:
        return [Route(f"{PATH}/{{signature}}", self.show)]

    def address(self, url: str) -> str:
        """The address under which we serve the picture at `url`."""
        return f"{PATH}/{self.sessions.picture_signature(url)}?url={quote(url, safe='')}"

    async def show(self, request: Request) -> Response:
        url, signature = request.query_params.get("url", ""), request.path_params["signature"]
        if not self.sessions.is_picture_signature(url, signature):
            raise HTTPException(404, "There is no such picture.")
        # The address names the picture, so what a browser has under it is still right.
        etag = f'"{signature}"'
        headers = {"Cache-Control": f"private, max-age={_KEEP_S}, immutable", "ETag": etag}
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        picture = await self.load(url)
        if picture is None:
            return Response(
                "The picture could not be fetched.",
                502,
                headers={"Cache-Control": f"private, max-age={FAILURE_LIFETIME_S:.0f}"},
                media_type="text/plain",
            )
        headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return Response(picture.body, headers=headers, media_type=picture.media_type)

    async def load(self, url: str) -> Picture | None:
        """The picture at this address, from memory or fetched; None if it could not be, or is none."""
        if (kept := self._kept.get(url)) is not None:
            return kept
        failed_at = self._failed_at.get(url)
        if failed_at is not None and self.clock() - failed_at < FAILURE_LIFETIME_S:
            return None
        return await self._loads.ask(url, lambda: self._fetch(url))

    async def _fetch(self, url: str) -> Picture | None:
        client = await self._open_client()
        async with self._slots:
            result = await client.fetch(
                WebRequest(url=url, accept=_ACCEPT, max_bytes=MAX_PICTURE_BYTES, timeout_s=TIMEOUT_S)
            )
        media_type = picture_type(result.body) if isinstance(result, Fetched) else None
        if not isinstance(result, Fetched) or media_type is None:
            self._failed_at.put(url, self.clock())
            return None
        picture = Picture(media_type, result.body)
        self._kept.put(url, picture)
        return picture

    async def _open_client(self) -> Client:
        async with self._opening:
            if self._client is None:
                self._client = await self._stack.enter_async_context(await self.make_client())
            return self._client

    async def close(self) -> None:
        await self._stack.aclose()
