"""Access control, in front of all routes so that no route can forget it.

    the Host       must be one of ours: otherwise any web page could reach this server under its own name (DNS
                   rebinding). An IP address cannot be rebound and is always allowed.
    reading        open, or for people only (`web.reading`); whole texts, see `readers.py`
    a change       by a person (see `identity.py`). If the browser sent the credentials by itself, as it does with a
                   cookie, the request must come from our own page: shown by its Origin, and by the CSRF token that
                   only our page knows. A reader changes only what is their own; the rest is for admins

A password by Basic authentication is accepted for reading but not for changes, because browsers attach a saved password
automatically. The paths of the Google Reader API have credentials of their own (`greader/`).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.config import WebSettings
from inforadar.errors import StoreError
from inforadar.short_cache import short_cache
from inforadar.web.api.answers import API, json_fault
from inforadar.web.http.forms import MAX_FIELDS, MAX_FORM_BYTES
from inforadar.web.http.identity import (
    IDENTITY_SCOPE,
    PERSON_SCOPE,
    Identities,
    Identity,
    Way,
    header,
)
from inforadar.web.http.multipart import FORM_DATA, first_field
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess, is_forwarded, stranger_access
from inforadar.web.http.security import HEADERS as SECURITY_HEADERS
from inforadar.web.http.sessions import Sessions

CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
CSRF_HEADER, CSRF_FIELD = b"x-csrf-token", "csrf"
CSRF_SCOPE = "inforadar.csrf"
"""The scope key of the session's CSRF token; absent if nobody is logged in."""
_URLENCODED = b"application/x-www-form-urlencoded"
LOGIN_PATHS = frozenset({"/login", "/login/link"})
OWN_AUTH_PATHS = ("/api/greader.php/", "/accounts/", "/reader/", "/push/")
"""The Google Reader API, and the addresses for hubs: they check their own credentials."""
_ALWAYS_OPEN = ("/health", "/login", "/static/")
"""Open whatever the setting: needed by probes and to log in."""
_FOR_ANYBODY = ("/health", "/static/")
"""The same for everybody, so nobody is looked up: probes must see whether the database answers."""
LANGUAGE_PATH = "/language"
"""Sets a cookie that only chooses the language, so anybody may."""
_READ_ONLY = frozenset({"/rss", "/api/items/lookup"})
"""A route that rejects other methods itself."""
_READER_CHANGES = re.compile(
    r"/logout|/account(/.*)?|/rules|/settings|/searches|/api/marks|/marks(/list|/undo)?"
    r"|/item/[^/]+/(marks|notes|article)"
)
"""The paths on which a reader may make changes: their own marks, settings and account, and asking for an article."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    status: int
    sentence: str


class Access:
    """Passes a request on to `app`, or refuses it with a reason."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: WebSettings,
        sessions: Sessions,
        identities: Identities,
        show_refusal: Callable[[Scope, int, str], Response],
    ) -> None:
        """`show_refusal` renders a refusal for a person in a browser."""
        self._app = app
        self._show_refusal = show_refusal
        self._sessions = sessions
        self._identities = identities
        self._is_open = settings.reading == "open"
        self._outer = settings.public_url
        self._stranger_access = stranger_access(settings)
        self._is_ours = short_cache(64, max_length=300)(_host_check(settings))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = header(scope, b"host")
        if not self._is_ours(host):
            sentence = (
                f"This server does not serve the host {host[:100].decode('latin-1')!r}. "
                "To allow it, add it to INFORADAR_ALLOWED_HOSTS."
            )
            await self._refuse(Refusal(status=421, sentence=sentence), scope, receive, send)
            return
        if scope["path"].startswith(OWN_AUTH_PATHS):
            await self._app(scope, receive, send)
            return
        who, refusal = await self._identify(scope)
        if refusal is not None:
            await self._refuse(refusal, scope, receive, send)
            return
        is_for_anybody = scope["path"].startswith(_FOR_ANYBODY)
        if (
            scope["method"] in CHANGES
            and not is_for_anybody
            and scope["path"] not in {*LOGIN_PATHS, *_READ_ONLY, LANGUAGE_PATH}
        ):
            receive = await _buffered(scope, receive)
            refusal = self._change_refusal(scope, host, who)
        elif not (self._is_open or who or scope["path"].startswith(_ALWAYS_OPEN)):
            refusal = Refusal(status=401, sentence="Reading requires an account. Log in at /login.")
        if refusal is not None:
            await self._refuse(refusal, scope, receive, send)
            return
        scope = {**scope, TEXT_SCOPE: TextAccess.ALL if who else self._text_access(scope)}
        if who is not None:
            scope |= {PERSON_SCOPE: who.person, IDENTITY_SCOPE: who}
            send = _private(send)
            if who.csrf_source is not None:
                scope[CSRF_SCOPE] = self._sessions.csrf_token(who.csrf_source)
        await self._app(scope, receive, send)

    async def _identify(self, scope: Scope) -> tuple[Identity | None, Refusal | None]:
        if scope["path"].startswith(_FOR_ANYBODY):
            return None, None
        try:
            return await self._identities.find(scope), None
        except StoreError:
            return None, Refusal(status=503, sentence="The database does not answer. Try again in a minute.")

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        is_person = b"text/html" in header(scope, b"accept") and not scope["path"].startswith(API)
        if is_person and refusal.status != 421:
            # No `WWW-Authenticate`: with it, the browser would ask for a password and never show the page.
            answer = self._show_refusal(scope, refusal.status, refusal.sentence)
        else:
            answer = json_fault(refusal.status, refusal.sentence)
            if refusal.status == 401:
                answer.raw_headers.append((b"www-authenticate", b'Basic realm="Info Radar", charset="UTF-8"'))
                answer.raw_headers.append((b"www-authenticate", b'Bearer realm="Info Radar"'))
        answer.raw_headers.extend(SECURITY_HEADERS)
        await answer(scope, receive, send)

    def _text_access(self, scope: Scope) -> TextAccess:
        client = scope.get("client")
        return self._stranger_access(client[0] if client else None, is_forwarded(scope["headers"]))

    def stranger_access(self, client: str, *, is_forwarded: bool) -> TextAccess:
        """The access that somebody at this address has without credentials."""
        return self._stranger_access(client, is_forwarded)

    def may_read_from(self, host: str | None) -> bool:
        """Whether anyone may read through this host without credentials."""
        return self._is_open and host is not None and self._is_ours(host.encode("latin-1", "replace"))

    def _change_refusal(self, scope: Scope, host: bytes, who: Identity | None) -> Refusal | None:
        if who is None or who.way in {Way.BASIC, Way.FEED}:
            return Refusal(status=401, sentence="Making changes requires an account. Log in at /login.")
        if who.csrf_source is not None:
            if not is_same_origin(header(scope, b"origin"), host, self._outer):
                return Refusal(status=403, sentence="This request comes from another site's page.")
            token = header(scope, CSRF_HEADER).decode("latin-1") or _form_field(scope)
            if not self._sessions.is_csrf_token(who.csrf_source, token):
                return Refusal(status=403, sentence="The page is outdated. Reload it and try again.")
        if not who.person.is_admin and not _READER_CHANGES.fullmatch(scope["path"]):
            return Refusal(status=403, sentence="Only an admin can change this.")
        return None


def _private(send: Send) -> Send:
    """Keep what a person gets out of shared caches: it may be theirs alone, and its address may hold a token."""

    async def send_private(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message["headers"] if pair[0].lower() != b"cache-control"]
            given = [value for name, value in message["headers"] if name.lower() == b"cache-control"]
            value = given[0] if given else b"no-cache"
            is_marked = b"no-store" in value or b"private" in value
            private = value if is_marked else b"private, " + value.replace(b"public, ", b"")
            message = {**message, "headers": [*kept, (b"cache-control", private)]}
        await send(message)

    return send_private


def is_same_origin(origin: bytes, host: bytes, outer_url: str) -> bool:
    """Whether one of our pages sent the request. Browsers send the origin with every change."""
    try:
        given = urlsplit(origin.decode("latin-1"))
    except ValueError:  # `http://[`
        return False
    if given.scheme not in {"http", "https"} or not given.netloc:
        return False
    outer = urlsplit(outer_url)
    is_outer = bool(outer_url) and (given.scheme, given.netloc) == (outer.scheme, outer.netloc)
    return is_outer or given.netloc.lower() == host.decode("latin-1").lower()


def _host_check(settings: WebSettings) -> Callable[[bytes], bool]:
    names = {"localhost", settings.host.lower(), *(name.lower() for name in settings.allowed_hosts)}
    if outer := urlsplit(settings.public_url).hostname:
        names.add(outer)

    def is_ours(host: bytes) -> bool:
        try:
            name = urlsplit(f"//{host.decode('ascii')}").hostname or ""
        except ValueError:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.rstrip(".") in names
        return True

    return is_ours


async def _buffered(scope: Scope, receive: Receive) -> Receive:
    """Read the beginning of a form ahead for its CSRF token; the route still receives the whole form."""
    if not header(scope, b"content-type").startswith((_URLENCODED, FORM_DATA)):
        return receive
    messages: list[Message] = []
    size, more = 0, True
    while more and size <= MAX_FORM_BYTES:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        more = bool(message.get("more_body"))
    waiting = iter(messages)

    async def replay() -> Message:
        return next(waiting, None) or await receive()

    scope["inforadar.form"] = b"".join(message.get("body", b"") for message in messages)
    return replay


def _form_field(scope: Scope) -> str:
    form: bytes = scope.get("inforadar.form", b"")
    content_type = header(scope, b"content-type")
    if content_type.startswith(FORM_DATA):
        # The token is the first field, because the file after it may be long.
        return first_field(form, content_type, CSRF_FIELD)
    try:
        return parse_qs(form.decode("utf-8", "replace"), max_num_fields=MAX_FIELDS).get(CSRF_FIELD, [""])[0]
    except ValueError:
        return ""
