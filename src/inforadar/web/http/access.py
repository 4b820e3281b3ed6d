"""Access control, in front of all routes so that no route can forget it.

    the Host       must be one of ours: otherwise any web page could reach this server under its own name (DNS
                   rebinding). An IP address cannot be rebound and is always allowed.
    reading        open, or with the token (`web.reading`); whole texts, see `readers.py`
    a change       the token in the Authorization header; or a login cookie, and then the request must come from
                   our own page: shown by its Origin, and by the CSRF token that only our page knows

Programs send `Authorization: Bearer TOKEN`. Feed readers that support only passwords send the token as the password.
That is accepted for reading but not for changes, because browsers attach a saved password automatically.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import parse_qs, urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.config import WebSettings
from inforadar.web.api.answers import API, json_fault
from inforadar.web.http.forms import MAX_FIELDS, MAX_FORM_BYTES
from inforadar.web.http.multipart import FORM_DATA, first_field
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess, is_forwarded, stranger_access
from inforadar.web.http.security import HEADERS as SECURITY_HEADERS
from inforadar.web.http.sessions import Sessions

CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
CSRF_HEADER, CSRF_FIELD = b"x-csrf-token", "csrf"
CSRF_SCOPE = "inforadar.csrf"
"""The scope key of the session's CSRF token; absent if nobody is logged in."""
_URLENCODED = b"application/x-www-form-urlencoded"
_ALWAYS_OPEN = ("/health", "/login", "/static/")
"""Open whatever the setting: needed by probes and to log in."""
_READ_ONLY = "/rss"
"""A route that rejects other methods itself."""


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
        now: Callable[[], datetime],
        show_refusal: Callable[[Scope, int, str], Response],
    ) -> None:
        """`show_refusal` renders a refusal for a person in a browser."""
        self._app = app
        self._show_refusal = show_refusal
        self._sessions = sessions
        self._now = now
        self._is_open = settings.reading == "open"
        self._outer = settings.public_url
        self._stranger_access = stranger_access(settings)
        self._is_ours = lru_cache(maxsize=64)(_host_check(settings))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = _header(scope, b"host")
        if not self._is_ours(host):
            refusal: Refusal | None = Refusal(
                status=421,
                sentence=f"This server does not serve the host {host[:100].decode('latin-1')!r}. "
                "To allow it, add it to INFORADAR_ALLOWED_HOSTS.",
            )
        elif scope["method"] in CHANGES and scope["path"] not in {"/login", _READ_ONLY}:
            receive = await _buffered(scope, receive)
            refusal = self._change_refusal(scope, host)
        elif self._is_open or scope["path"].startswith(_ALWAYS_OPEN) or self._may_read(scope):
            refusal = None
        else:
            refusal = Refusal(status=401, sentence="Reading requires the admin token. Log in at /login.")
        if refusal is None:
            scope = {**scope, TEXT_SCOPE: self._text_access(scope)}
            if cookie := self._session(scope):
                scope[CSRF_SCOPE] = self._sessions.csrf_token(cookie)
            await self._app(scope, receive, send)
        else:
            await self._refuse(refusal, scope, receive, send)

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        is_person = b"text/html" in _header(scope, b"accept") and not scope["path"].startswith(API)
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
        access = self._stranger_access(client[0] if client else None, is_forwarded(scope["headers"]))
        return TextAccess.ALL if access is not TextAccess.ALL and self._may_read(scope) else access

    def stranger_access(self, client: str, *, is_forwarded: bool) -> TextAccess:
        """The access that somebody at this address has without credentials."""
        return self._stranger_access(client, is_forwarded)

    def may_read_from(self, host: str | None) -> bool:
        """Whether anyone may read through this host without credentials."""
        return self._is_open and host is not None and self._is_ours(host.encode("latin-1", "replace"))

    def _may_read(self, scope: Scope) -> bool:
        kind, given = _credentials(scope)
        if kind == "basic":
            try:
                _, _, given = base64.b64decode(given, validate=True).decode("utf-8", "replace").partition(":")
            except (binascii.Error, ValueError):
                return False
        if kind in {"bearer", "basic"}:
            return self._sessions.is_token(given)
        return self._session(scope) is not None

    def _change_refusal(self, scope: Scope, host: bytes) -> Refusal | None:
        kind, given = _credentials(scope)
        if kind == "bearer" and self._sessions.is_token(given):
            return None
        cookie = self._session(scope) if kind != "bearer" else None
        if cookie is None:
            return Refusal(status=401, sentence="Making changes requires the admin token. Log in at /login.")
        if not is_same_origin(_header(scope, b"origin"), host, self._outer):
            return Refusal(status=403, sentence="This request comes from another site's page.")
        token = _header(scope, CSRF_HEADER).decode("latin-1") or _form_field(scope)
        if not self._sessions.is_csrf_token(cookie, token):
            return Refusal(status=403, sentence="The page is outdated. Reload it and try again.")
        return None

    def _session(self, scope: Scope) -> str | None:
        """Return the session cookie if it is still valid."""
        return self._sessions.find_valid(scope["headers"], self._now())


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


def _credentials(scope: Scope) -> tuple[str, str]:
    kind, _, given = _header(scope, b"authorization").decode("latin-1").partition(" ")
    return kind.lower(), given.strip()


def _header(scope: Scope, name: bytes) -> bytes:
    """Return the header's value; empty if it is missing, or ambiguous because it is given twice."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0] if len(found) == 1 else b""


async def _buffered(scope: Scope, receive: Receive) -> Receive:
    """Read the beginning of a form ahead for its CSRF token; the route still receives the whole form."""
    if not _header(scope, b"content-type").startswith((_URLENCODED, FORM_DATA)):
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
    content_type = _header(scope, b"content-type")
    if content_type.startswith(FORM_DATA):
        # The token is the first field, because the file after it may be long.
        return first_field(form, content_type, CSRF_FIELD)
    try:
        return parse_qs(form.decode("utf-8", "replace"), max_num_fields=MAX_FIELDS).get(CSRF_FIELD, [""])[0]
    except ValueError:
        return ""
