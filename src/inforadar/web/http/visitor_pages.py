"""Pages as visitors saw them a moment ago.

Who reads without an account sees what everybody else without one sees: a list or an article is made for the first of
them and kept for the others, for two seconds (longer while very many read: `BusyTtl`) or until this server changes
anything. A reader with an account has marks, settings and forms of their own, so their pages are made each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from http import HTTPStatus

from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.store.database import Database
from inforadar.web.cache.busy_ttl import BusyTtl
from inforadar.web.cache.timed import TimedCache
from inforadar.web.http.encodings import choose_encoding
from inforadar.web.http.identity import PERSON_SCOPE, header
from inforadar.web.http.readers import TEXT_SCOPE

LEAST_TTL_S = 2.0
AGES_S = 60
"""Ages are shown in minutes."""
MAX_BYTES = 6 * 2**20
MAX_KEY_BYTES = 2_000
_KEY_HEADERS = (b"host", b"cookie", b"accept-language")

_Key = tuple[object, ...]


class VisitorPages:
    """Keeps the answers of routes for visitors."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._now = now
        self._ttl = BusyTtl(LEAST_TTL_S)
        self._answers: TimedCache[_Key, tuple[Message, ...]] = TimedCache(
            self._ttl.seconds,
            max_entries=2_000,
            max_bytes=MAX_BYTES,
            weigh=_weigh,
            version=lambda: database.writes,
        )

    def kept(self, routes: Iterable[Route]) -> list[Route]:
        """The same routes; what they answer to a visitor's GET is kept."""
        kept = list(routes)
        for route in kept:
            if route.methods and "GET" in route.methods:
                route.app = _Kept(route.app, self)
        return kept

    async def answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        key = self._key(scope)
        if key is None:
            await app(scope, receive, send)
            return
        self._ttl.count()

        async def make() -> tuple[Message, ...]:
            sent: list[Message] = []

            async def take(message: Message) -> None:
                sent.append(message)

            await app(scope, receive, take)
            if sent[0]["status"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise _FailedError(sent)
            return tuple(sent)

        try:
            answer = await self._answers.get(key, make)
        except _FailedError as failed:
            answer = tuple(failed.sent)
        for message in answer:
            # Whoever sends it on may add headers to this answer.
            await send({**message, "headers": [*message["headers"]]} if "headers" in message else message)

    def _key(self, scope: Scope) -> _Key | None:
        """All that the answer depends on; None if it is made for this request alone."""
        if scope["method"] != "GET" or scope.get(PERSON_SCOPE) is not None:
            return None
        given = [header(scope, name) for name in _KEY_HEADERS]
        if sum(map(len, given)) + len(scope["query_string"]) > MAX_KEY_BYTES:
            return None
        return (
            scope["path"],
            scope["query_string"],
            scope["scheme"],
            scope.get("root_path"),
            scope.get(TEXT_SCOPE),
            choose_encoding(header(scope, b"accept-encoding")),
            int(self._now().timestamp() // AGES_S),
            *given,
        )


class _FailedError(Exception):
    """Not kept: the next request may succeed."""

    def __init__(self, sent: list[Message]) -> None:
        super().__init__()
        self.sent = sent


class _Kept:
    def __init__(self, app: ASGIApp, pages: VisitorPages) -> None:
        self._app = app
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._pages.answer(self._app, scope, receive, send)


def _weigh(answer: tuple[Message, ...]) -> int:
    return sum(len(message.get("body", b"")) for message in answer) + MAX_KEY_BYTES
