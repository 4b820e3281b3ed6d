"""Documents prepared for sending: bytes and headers in each encoding.

The hash, the headers and the compression are the same for every reader and computed once. An encoding is computed
when the first reader asks for it. Nearly all readers take one, so the document itself, which is four times as long, is
kept only for those who do not.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from starlette.types import Receive, Scope, Send

from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.dates import rfc822
from inforadar.web.http.conditional import encoded_etag, is_not_modified, strong_etag
from inforadar.web.http.encodings import MIN_ENCODED_BYTES, choose_encoding, decode, encode
from inforadar.web.http.rsgi import Ready, text_headers
from inforadar.web.http.security import HEADERS as SECURITY_HEADERS

Headers = list[tuple[bytes, bytes]]

CORS = (
    # Any site's page may read a feed: it is for everybody who can reach the server, and no cookie is sent.
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"ETag, Last-Modified"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variant:
    body: bytes
    headers: Headers
    not_modified: Headers
    """The headers of a 304."""
    texts: list[tuple[str, str]]
    not_modified_texts: list[tuple[str, str]]
    """The same headers as text, for RSGI."""


class Prepared:
    """One document with its encodings."""

    __slots__ = (
        "_body",
        "_canonical",
        "_content_type",
        "_cors",
        "_dated",
        "_plain_bytes",
        "_variants",
        "etag",
        "modified_at",
    )

    def __init__(
        self,
        body: bytes,
        content_type: str,
        modified_at: datetime | None,
        *,
        dated: bool = True,
        canonical: str | None = None,
        is_feed: bool = True,
    ) -> None:
        """`dated`: whether If-Modified-Since alone is enough to answer with a 304; `canonical`: the original's URL;
        `is_feed`: whether a page of any site may read it.
        """
        self._cors = CORS if is_feed else ()
        self._canonical = web_address_or_none(canonical)
        self._body: bytes | None = body
        """None once an encoding was made of it; it can be made of that again."""
        self._plain_bytes = len(body)
        self._content_type = content_type
        self.modified_at = modified_at
        self._dated = dated
        self._variants: dict[str, _Variant] = {}
        self.etag = strong_etag(body)

    @property
    def weight(self) -> int:
        """Upper bound of the bytes it can occupy: the body and two encodings, each as large as the body."""
        return 3 * self._plain_bytes

    async def send(self, scope: Scope, send: Send) -> None:
        accepted = none_match = since = None
        for name, value in scope["headers"]:
            if name == b"accept-encoding":
                accepted = value if accepted is None else accepted + b", " + value
            elif name == b"if-none-match":
                none_match = value if none_match is None else none_match + b", " + value
            elif name == b"if-modified-since":
                since = value
        encoding = choose_encoding(accepted) if accepted and self._plain_bytes >= MIN_ENCODED_BYTES else ""
        variant = self._variants.get(encoding) or await self._encode(encoding)
        if (none_match or since) and self._is_not_modified(none_match, since):
            await send({"type": "http.response.start", "status": 304, "headers": variant.not_modified})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.start", "status": 200, "headers": variant.headers})
        body = b"" if scope["method"] == "HEAD" else variant.body
        await send({"type": "http.response.body", "body": body})

    def ready(self, accepted: str | None, none_match: str | None, since: str | None) -> Ready | None:
        """Return the response if it is ready; `None` if an encoding must be computed first."""
        encoding = (
            choose_encoding(accepted.encode()) if accepted and self._plain_bytes >= MIN_ENCODED_BYTES else ""
        )
        variant = self._variants.get(encoding)
        if variant is None:
            return None
        if (none_match or since) and is_not_modified(
            etag=self.etag,
            modified_at=self.modified_at if self._dated else None,
            if_none_match=none_match,
            if_modified_since=since,
        ):
            return 304, variant.not_modified_texts, b""
        return 200, variant.texts, variant.body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond as an ASGI application, for the router."""
        await self.send(scope, send)

    def _is_not_modified(self, none_match: bytes | None, since: bytes | None) -> bool:
        return is_not_modified(
            etag=self.etag,
            modified_at=self.modified_at if self._dated else None,
            if_none_match=None if none_match is None else none_match.decode("latin-1"),
            if_modified_since=None if since is None else since.decode("latin-1"),
        )

    async def _encode(self, encoding: str) -> _Variant:
        body = self._body if self._body is not None else await self._decode()
        if encoding:
            body = await asyncio.to_thread(encode, body, encoding)
        not_modified = [
            (b"etag", encoded_etag(self.etag, encoding).encode()),
            # Caches may store it but must revalidate: a new build is served from the next request on.
            (b"cache-control", b"no-cache"),
            (b"vary", b"Accept-Encoding"),
            *self._cors,
            *SECURITY_HEADERS,
        ]
        if self.modified_at is not None:
            not_modified.append((b"last-modified", rfc822(self.modified_at).encode()))
        if self._canonical is not None:
            not_modified.append((b"link", f'<{self._canonical}>; rel="canonical"'.encode()))
        headers = [
            *not_modified,
            (b"content-type", self._content_type.encode()),
            (b"content-length", str(len(body)).encode()),
        ]
        if encoding:
            headers.append((b"content-encoding", encoding.encode()))
        variant = self._variants[encoding] = _Variant(
            body=body,
            headers=headers,
            not_modified=not_modified,
            texts=text_headers(headers),
            not_modified_texts=text_headers(not_modified),
        )
        if encoding and "" not in self._variants:
            self._body = None
        return variant

    async def _decode(self) -> bytes:
        encoding, variant = next(iter(self._variants.items()))
        return await asyncio.to_thread(decode, variant.body, encoding)
