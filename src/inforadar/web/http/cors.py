"""CORS: which answers a page of another site may read (Fetch standard).

Published feeds and the two lookups of the browser extension are for everybody who reaches the server. The rest of the
API tells what is subscribed to and starred, so only the origins of the setting `INFORADAR_CORS_ORIGINS` may read it. A
page of another site never writes: no method but GET and HEAD is granted.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.web.http.security import HEADERS as SECURITY_HEADERS

_PREFLIGHT = [
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"Authorization, If-Modified-Since, If-None-Match, Last-Event-ID"),
    (b"access-control-max-age", b"86400"),
    (b"vary", b"Origin"),
    *SECURITY_HEADERS,
]
_LOOKUPS = frozenset({"/api/item", "/api/site"})
_FEEDS = ("/rss", "/feeds/")
"""Their answers carry the header for everybody already."""
_ORIGIN = b"access-control-allow-origin"
_EXPOSED = (b"access-control-expose-headers", b"ETag, Last-Modified")


class CrossOrigin:
    """Answers preflights, and tells browsers which answers of `app` another site's page may read."""

    def __init__(self, app: ASGIApp, *, origins: Collection[str]) -> None:
        self._app = app
        self._origins = frozenset(origin.encode() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        granted = self._granted_origin(scope)
        if granted and scope["method"] == "OPTIONS" and _header(scope, b"access-control-request-method"):
            headers = [(_ORIGIN, granted), *_PREFLIGHT]
            await send({"type": "http.response.start", "status": 204, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        if not granted or scope["path"].startswith(_FEEDS):
            await self._app(scope, receive, send)
            return
        added = [(_ORIGIN, granted), _EXPOSED, *([] if granted == b"*" else [(b"vary", b"Origin")])]

        async def send_granted(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, send_granted)

    def _granted_origin(self, scope: Scope) -> bytes | None:
        path: str = scope["path"]
        if path in _LOOKUPS or path.startswith(_FEEDS):
            return b"*"
        origin = _header(scope, b"origin")
        return origin if origin in self._origins and path.startswith("/api/") else None


def _header(scope: Scope, wanted: bytes) -> bytes | None:
    return next((value for name, value in scope["headers"] if name == wanted), None)
