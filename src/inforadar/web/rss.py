"""`GET /rss?url=`: the feed as it was built, by its own URL or one it had before (C7).

Plain ASGI, beside the router: this is what readers poll all day, and a framework's request and response
objects would cost more than the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qs

import structlog
from starlette.types import Receive, Scope, Send

from inforadar.errors import InvalidUrlError, StoreError
from inforadar.stages.publish.dates import rfc822
from inforadar.store.engine import Database
from inforadar.store.feeds import feed_key
from inforadar.store.served import load_served_feed
from inforadar.web.conditional import is_not_modified, strong_etag

PATH = "/rss"
MEDIA_TYPE = "application/rss+xml; charset=utf-8"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = field(default=())


def _sentence(status: int, text: str, *headers: tuple[str, str]) -> _Answer:
    return _Answer(
        status=status, content_type="text/plain; charset=utf-8", body=f"{text}\n".encode(), headers=headers
    )


class RssEndpoint:
    """An ASGI application for one path."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope)
        headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers]
        if answer.status != 304:
            headers.append((b"content-type", answer.content_type.encode()))
            headers.append((b"content-length", str(len(answer.body)).encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        bodiless = scope["method"] == "HEAD" or answer.status == 304
        await send({"type": "http.response.body", "body": b"" if bodiless else answer.body})

    async def _answer(self, scope: Scope) -> _Answer:
        if scope["method"] not in {"GET", "HEAD"}:
            return _sentence(405, "Feeds are read with GET.", ("allow", "GET, HEAD"))
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("url", [""])[0]
        if not asked.strip():
            return _sentence(400, "Say which feed: /rss?url=https%3A%2F%2Fexample.com%2Ffeed")
        try:
            url, key = feed_key(asked)
        except InvalidUrlError as fault:
            return _sentence(400, f"{fault} If it has a query of its own, percent-encode it.")
        try:
            return await self._document(url, key, scope)
        except StoreError as fault:
            log.error("rss.unavailable", url=url, error=str(fault))
            return _sentence(
                503, "The database does not answer. Try again in a minute.", ("retry-after", "60")
            )

    async def _document(self, url: str, key: str, scope: Scope) -> _Answer:
        feed = await self._database.read(load_served_feed, key)
        if feed is None or feed.deleted:
            return _sentence(404, f"There is no feed {url} here. Add it with `inforadar feed add`.")
        if not feed.enabled:
            return _sentence(403, f"{url} is disabled. Enable it with `inforadar feed enable`.")
        if feed.xml_content is None or feed.updated_at is None:
            return _sentence(404, f"{url} has not been built yet. Fetch it with `inforadar feed sync`.")
        body = feed.xml_content.encode()
        etag = strong_etag(body)
        headers = (
            ("etag", etag),
            ("last-modified", rfc822(feed.updated_at)),
            # Kept by whoever likes, but asked for each time: a build is served from the next request on.
            ("cache-control", "no-cache"),
        )
        unchanged = is_not_modified(
            etag=etag,
            modified_at=feed.updated_at,
            if_none_match=_header(scope, b"if-none-match"),
            if_modified_since=_header(scope, b"if-modified-since"),
        )
        return _Answer(status=304 if unchanged else 200, content_type=MEDIA_TYPE, body=body, headers=headers)


def _header(scope: Scope, name: bytes) -> str | None:
    """A header given on several lines is one list."""
    lines = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return ", ".join(lines) if lines else None
