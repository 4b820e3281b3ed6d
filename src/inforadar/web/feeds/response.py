"""Documents made ready to be sent: bytes and headers in each encoding.

What is the same for every reader is done once: the hash, the headers, the compression. An encoding is made
when the first reader asks for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from starlette.types import Receive, Scope, Send

from inforadar.stages.publish.dates import rfc822
from inforadar.web.http.conditional import encoded_etag, is_not_modified, strong_etag
from inforadar.web.http.encodings import SMALLEST, choose_encoding, encode
from inforadar.web.http.rsgi import Ready, text_headers
from inforadar.web.http.security import HEADERS as SECURITY_HEADERS

Headers = list[tuple[bytes, bytes]]

CORS = (
    # Anyone's page may read: what is served is public to whoever reaches the server, and no cookie is sent along.
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"ETag, Last-Modified"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variant:
    body: bytes
    headers: Headers
    unchanged: Headers
    """Those of a 304."""
    texts: list[tuple[str, str]]
    unchanged_texts: list[tuple[str, str]]
    """The same two, as RSGI takes them."""


class Prepared:
    """One document, whole and in its encodings."""

    __slots__ = ("_body", "_content_type", "_dated", "_variants", "etag", "modified_at")

    def __init__(
        self, body: bytes, content_type: str, modified_at: datetime | None, *, dated: bool = True
    ) -> None:
        """`dated`: whether its date alone says that it is unchanged."""
        self._body = body
        self._content_type = content_type
        self.modified_at = modified_at
        self._dated = dated
        self._variants: dict[str, _Variant] = {}
        self.etag = strong_etag(body)

    @property
    def weight(self) -> int:
        """Bytes that it can come to take: as if no encoding made it any smaller."""
        return 3 * len(self._body)

    async def send(self, scope: Scope, send: Send) -> None:
        accepted = none_match = since = None
        for name, value in scope["headers"]:
            if name == b"accept-encoding":
                accepted = value if accepted is None else accepted + b", " + value
            elif name == b"if-none-match":
                none_match = value if none_match is None else none_match + b", " + value
            elif name == b"if-modified-since":
                since = value
        encoding = choose_encoding(accepted) if accepted and len(self._body) >= SMALLEST else ""
        variant = self._variants.get(encoding) or await self._make(encoding)
        if (none_match or since) and self._is_known(none_match, since):
            await send({"type": "http.response.start", "status": 304, "headers": variant.unchanged})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.start", "status": 200, "headers": variant.headers})
        body = b"" if scope["method"] == "HEAD" else variant.body
        await send({"type": "http.response.body", "body": body})

    def ready(self, accepted: str | None, none_match: str | None, since: str | None) -> Ready | None:
        """The answer, if it can be given at once; `None`: an encoding is to be made first."""
        encoding = choose_encoding(accepted.encode()) if accepted and len(self._body) >= SMALLEST else ""
        variant = self._variants.get(encoding)
        if variant is None:
            return None
        if (none_match or since) and is_not_modified(
            etag=self.etag,
            modified_at=self.modified_at if self._dated else None,
            if_none_match=none_match,
            if_modified_since=since,
        ):
            return 304, variant.unchanged_texts, b""
        return 200, variant.texts, variant.body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As an ASGI application, for the router."""
        await self.send(scope, send)

    def _is_known(self, none_match: bytes | None, since: bytes | None) -> bool:
        return is_not_modified(
            etag=self.etag,
            modified_at=self.modified_at if self._dated else None,
            if_none_match=None if none_match is None else none_match.decode("latin-1"),
            if_modified_since=None if since is None else since.decode("latin-1"),
        )

    async def _make(self, encoding: str) -> _Variant:
        body = await asyncio.to_thread(encode, self._body, encoding) if encoding else self._body
        unchanged = [
            (b"etag", encoded_etag(self.etag, encoding).encode()),
            # Kept by whoever likes, but asked for each time: a build is served from the next request on.
            (b"cache-control", b"no-cache"),
            (b"vary", b"Accept-Encoding"),
            *CORS,
            *SECURITY_HEADERS,
        ]
        if self.modified_at is not None:
            unchanged.append((b"last-modified", rfc822(self.modified_at).encode()))
        headers = [
            *unchanged,
            (b"content-type", self._content_type.encode()),
            (b"content-length", str(len(body)).encode()),
        ]
        if encoding:
            headers.append((b"content-encoding", encoding.encode()))
        variant = self._variants[encoding] = _Variant(
            body=body,
            headers=headers,
            unchanged=unchanged,
            texts=text_headers(headers),
            unchanged_texts=text_headers(unchanged),
        )
        return variant
