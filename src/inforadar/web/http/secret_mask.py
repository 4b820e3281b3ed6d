"""Mask the secrets in feeds' URLs wherever somebody without an account gets to see them.

A feed's URL may hold a token or a password. It appears in many places: lists, pages, OPML, JSON, error messages, event
streams. So nothing is masked where it is made, which could be forgotten; the secrets of all feeds are known, and are
replaced in every text that leaves for a stranger, in each form in which they may be written. Other URLs, such as those
of articles, are left alone. `/rss` is not masked: who asks for a feed there has named its URL.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol
from urllib.parse import quote, unquote

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.errors import StoreError
from inforadar.masks import MASK, secrets_of
from inforadar.store.database import Database
from inforadar.store.feeds.secret_urls import load_urls_with_parameters
from inforadar.web.cache.timed import STRETCH_OVER_FEEDS, TimedCache
from inforadar.web.http.encodings import MIN_ENCODED_BYTES, choose_encoding, encode
from inforadar.web.http.identity import PERSON_SCOPE

MIN_ALONE_CHARS = 8
"""A shorter secret is masked only behind the name of its parameter: alone it may be an ordinary word."""
FORMS_PER_PATTERN = 1000
_SAME_FOR_ALL = ("/static/", "/health", "/favicon/", "/picture/")
_TEXT_TYPES = (b"text/", b"json", b"xml")
_EVENTS = b"text/event-stream"


class _Pattern(Protocol):
    def sub(self, replacement: bytes, text: bytes) -> bytes: ...


class Mask:
    """Replaces known secrets in bytes."""

    def __init__(self, urls: Iterable[str]) -> None:
        forms = sorted({form for url in urls for form in _forms(url)}, key=len, reverse=True)
        self._longest = max(map(len, forms), default=0)
        self._patterns = [
            _compiled(forms[at : at + FORMS_PER_PATTERN]) for at in range(0, len(forms), FORMS_PER_PATTERN)
        ]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    @property
    def held_back(self) -> int:
        """How many bytes at the end of a part may be the beginning of a secret."""
        return max(0, self._longest - 1)

    def apply(self, text: bytes) -> bytes:
        for pattern in self._patterns:
            text = pattern.sub(MASK.encode(), text)
        return text


class SecretMask:
    """Masks what `app` answers to somebody without an account."""

    def __init__(self, app: ASGIApp, database: Database) -> None:
        self._app = app
        self._database = database
        # Known at once where this API writes; of other processes' feeds after some milliseconds, or as long as it takes
        # to keep this question to a fiftieth of a core.
        self._masks: TimedCache[None, Mask] = TimedCache(
            0.0, stretch=STRETCH_OVER_FEEDS, version=lambda: database.writes
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_masked = scope["type"] == "http" and PERSON_SCOPE not in scope
        if is_masked and not scope["path"].startswith(_SAME_FOR_ALL) and (mask := await self._mask()):
            sender = _MaskedSender(mask, _accepted(scope["headers"]), send, is_head=scope["method"] == "HEAD")
            others = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            await self._app({**scope, "headers": others}, receive, sender.send)
            return
        await self._app(scope, receive, send)

    async def _mask(self) -> Mask | None:
        try:
            return await self._masks.get(None, self._load)
        except StoreError:
            # The application says so itself; what it has in memory is masked as before.
            return self._masks.last(None)

    async def _load(self) -> Mask:
        return Mask(await self._database.read(load_urls_with_parameters))


class _MaskedSender:
    def __init__(self, mask: Mask, accepted: bytes, send: Send, *, is_head: bool) -> None:
        self._mask = mask
        self._accepted = accepted
        self._send = send
        self._is_head = is_head
        self._start: Message | None = None
        self._is_text = self._is_stream = False
        self._rest = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = next((value for name, value in message["headers"] if name == b"content-type"), b"")
            self._is_text = any(word in kind for word in _TEXT_TYPES)
            self._is_stream = kind.startswith(_EVENTS)
            self._start = message
            if not self._is_text or self._is_head:
                # What a HEAD announces would be the length of another body.
                await self._begin(without=b"content-length" if self._is_text else b"")
            return
        if not self._is_text or self._is_head:
            await self._send(message)
            return
        body, has_more = message.get("body", b""), bool(message.get("more_body"))
        if self._start is not None and not has_more:
            await self._send_whole(body)
            return
        await self._begin(without=b"content-length")
        await self._send({**message, "body": self._masked_part(body, is_last=not has_more)})

    async def _send_whole(self, body: bytes) -> None:
        masked = self._mask.apply(body)
        encoding = choose_encoding(self._accepted) if len(masked) >= MIN_ENCODED_BYTES else ""
        encoded = encode(masked, encoding)
        added = [(b"content-length", str(len(encoded)).encode())]
        if encoding:
            added.append((b"content-encoding", encoding.encode()))
        # The date and tag are those of the text as people see it.
        is_same = masked == body and not encoding
        without = (b"content-length",) if is_same else (b"content-length", b"etag", b"last-modified")
        await self._begin(*added, without=without)
        await self._send({"type": "http.response.body", "body": encoded})

    def _masked_part(self, body: bytes, *, is_last: bool) -> bytes:
        """Mask a part of a stream. A secret may begin at its end, except in events, of which each is a part."""
        if self._is_stream:
            return self._mask.apply(body)
        text = self._mask.apply(self._rest + body)
        keep = 0 if is_last else self._mask.held_back
        self._rest = text[max(0, len(text) - keep) :] if keep else b""
        return text[: len(text) - len(self._rest)]

    async def _begin(self, *added: tuple[bytes, bytes], without: bytes | Sequence[bytes]) -> None:
        if self._start is None:
            return
        dropped = (without,) if isinstance(without, bytes) else without
        kept = [pair for pair in self._start["headers"] if pair[0].lower() not in dropped]
        await self._send({**self._start, "headers": [*kept, *added]})
        self._start = None


def _forms(url: str) -> Iterator[bytes]:
    """The ways in which the secrets of a URL may be written in a document."""
    for name, raw in secrets_of(url):
        parts = {raw, unquote(raw)}
        if not name:
            # A user name and a password.
            parts |= {unquote(raw.partition(":")[2])}
        for secret in parts - {""}:
            if len(secret) >= MIN_ALONE_CHARS:
                yield from _written(secret)
            elif name:
                yield from _written(f"{name}{secret}")
            else:
                yield from _written(f"{secret}@")


def _written(text: str) -> set[bytes]:
    escaped = html.escape(text)
    return {
        form.encode("utf-8", "replace")
        for form in (
            text,
            escaped,
            escaped.replace("&#x27;", "&#39;"),
            quote(text, safe=""),
            quote(text),
            msgspec.json.encode(text).decode()[1:-1],
        )
    }


def _compiled(forms: Sequence[bytes]) -> _Pattern:
    import re2  # noqa: PLC0415 - few have feeds with a secret

    options: Any = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 64 * 2**20
    compiled: _Pattern = re2.compile(b"|".join(re2.escape(form) for form in forms), options)
    return compiled


def _accepted(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b", ".join(value for name, value in headers if name == b"accept-encoding")
