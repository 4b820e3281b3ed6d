"""The language that a page speaks: the person's choice, else the browser's.

    settings     stored with the person
    cookie       of readers without an account; also on the page for logging in
    header       `Accept-Language`

Feeds and the API speak English: programs read them, and they are cached for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import cookie_parser
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.translations import Language, choose_language, find_language, speaking
from inforadar.views.settings import settings_of
from inforadar.web.http.identity import PERSON_SCOPE, header

LANGUAGE_COOKIE = "language"


def reader_language(scope: Scope) -> Language:
    """The language of whoever asks."""
    chosen = settings_of(scope.get(PERSON_SCOPE)).language
    cookie = cookie_parser(header(scope, b"cookie").decode("latin-1")).get(LANGUAGE_COOKIE)
    return (
        find_language(chosen)
        or find_language(cookie)
        or choose_language(header(scope, b"accept-language").decode("latin-1"))
    )


def in_readers_language(routes: Iterable[Route]) -> list[Route]:
    """The same routes, answered in the reader's language."""
    spoken = list(routes)
    for route in spoken:
        route.app = _Spoken(route.app)
    return spoken


class _Spoken:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with speaking(reader_language(scope)):
            await self._app(scope, receive, send)
