"""`/login`: exchange the admin token for a session cookie. Failed attempts are rate-limited.

The link in the terminal contains the token but only fills in the form: a GET never logs anybody in.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import parse_qs

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inforadar.config import WebSettings
from inforadar.texts import counted
from inforadar.web.http.access import is_same_origin
from inforadar.web.http.routing import resource
from inforadar.web.http.sessions import COOKIE, SESSION_LIFETIME, Sessions
from inforadar.web.pages.templating import Pages

MAX_FAILURES_PER_ADDRESS = 5
MAX_FAILURES = 50
FAILURE_WINDOW = timedelta(minutes=1)
IPV6_PREFIX_BITS = 64
"""The size of the network that a customer gets at least."""
MAX_FORM_BYTES = 4096


@dataclass(slots=True)
class LoginLimit:
    """Limits failed logins per minute: a few for each address, more for all addresses together."""

    now: Callable[[], datetime]
    _failures: dict[str, list[datetime]] = field(default_factory=dict)
    _all_failures: list[datetime] = field(default_factory=list)

    def wait_s(self, address: str) -> int | None:
        """Return the seconds this address must wait; `None` if it may try now."""
        since = self.now() - FAILURE_WINDOW
        self._all_failures = [at for at in self._all_failures if at > since]
        own = [at for at in self._failures.get(_network(address), []) if at > since]
        full = own[-MAX_FAILURES_PER_ADDRESS] if len(own) >= MAX_FAILURES_PER_ADDRESS else None
        if full is None and len(self._all_failures) >= MAX_FAILURES:
            full = self._all_failures[-MAX_FAILURES]
        return max(1, int((full - since).total_seconds()) + 1) if full else None

    def failed(self, address: str) -> None:
        now, network = self.now(), _network(address)
        # Without the addresses whose time is over; so there are never more than `MAX_FAILURES`.
        recent = {key: ats for key, ats in self._failures.items() if ats[-1] > now - FAILURE_WINDOW}
        self._failures = {**recent, network: [*recent.get(network, []), now]}
        self._all_failures.append(now)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginRoutes:
    pages: Pages
    sessions: Sessions
    settings: WebSettings
    limit: LoginLimit
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            resource("/login", get=self.show, post=self.log_in),
            resource("/logout", post=self.log_out),
            resource("/api/session", get=self.session),
        ]

    async def show(self, request: Request) -> Response:
        return self._form(request, token=request.query_params.get("token", ""))

    async def log_in(self, request: Request) -> Response:
        address = request.client.host if request.client else ""
        # Read before the limit is checked: from there on nobody else has a turn until the attempt is counted.
        body = await _small_body(request)
        wait_s = self.limit.wait_s(address)
        if wait_s is not None:
            return self._form(
                request, 429, f"Too many attempts. Try again in {counted(wait_s, 'second')}.", wait_s=wait_s
            )
        origin = request.headers.get("origin")
        host = request.headers.get("host", "")
        if origin is not None and not is_same_origin(
            origin.encode(), host.encode(), self.settings.public_url
        ):
            return self._form(request, 403, "This request comes from another site's page.")
        form = parse_qs(body.decode("utf-8", "replace"))
        if not self.sessions.is_token(form.get("token", [""])[0].strip()):
            self.limit.failed(address)
            return self._form(request, 401, "That is not the token. `inforadar up` prints a link with it.")
        response = RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)
        response.set_cookie(
            COOKIE,
            self.sessions.begin(self.now()),
            max_age=int(SESSION_LIFETIME.total_seconds()),
            path="/",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https" or self.settings.public_url.startswith("https://"),
        )
        return response

    async def log_out(self, request: Request) -> Response:
        response = RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response

    async def session(self, request: Request) -> Response:
        """Return whether the client is logged in, and the CSRF token for its changes. For our own pages only."""
        cookie = self.sessions.find_valid(request.headers.raw, self.now())
        document = {"admin": cookie is not None, "csrf": self.sessions.csrf_token(cookie) if cookie else None}
        return Response(
            msgspec.json.encode(document),
            headers={"Cache-Control": "no-store"},
            media_type="application/json",
        )

    def _form(
        self, request: Request, status: int = 200, sentence: str = "", *, token: str = "", wait_s: int = 0
    ) -> Response:
        response = self.pages.render(request, "login.html", status, sentence=sentence, token=token)
        response.headers["Cache-Control"] = "no-store"
        if wait_s:
            response.headers["Retry-After"] = str(wait_s)
        return response


def _network(address: str) -> str:
    """The part of an address that its owner cannot change: of IPv6 the network, since each has many addresses."""
    try:
        given = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(given if given.version == 4 else ipaddress.ip_network((given, IPV6_PREFIX_BITS), strict=False))


async def _small_body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            return b""
    return body
