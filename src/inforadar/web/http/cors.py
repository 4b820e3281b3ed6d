"""CORS preflights: a browser asks whether another site's page may send a request with custom headers (Fetch standard).

Reading is allowed, because feed readers in a browser send If-None-Match. Writing is not: no other method is granted.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.web.http.security import HEADERS as SECURITY_HEADERS

_GRANTED = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"Authorization, If-Modified-Since, If-None-Match, Last-Event-ID"),
    (b"access-control-max-age", b"86400"),
    *SECURITY_HEADERS,
]
_READABLE = ("/rss", "/api/", "/feeds/")


class Preflights:
    """Answers preflights; passes everything else on to `app`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "OPTIONS" and _is_preflight(scope):
            await send({"type": "http.response.start", "status": 204, "headers": _GRANTED})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)


def _is_preflight(scope: Scope) -> bool:
    asks = any(name == b"access-control-request-method" for name, _ in scope["headers"])
    return asks and scope["path"].startswith(_READABLE)
