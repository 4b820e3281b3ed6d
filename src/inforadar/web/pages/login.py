"""`/login`: exchange a password, the admin token or a one-time link for a session. Guessing is slowed down.

A link only shows a button: a GET never logs anybody in, so that a preview in a chat does not use it up.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inforadar.actions.people.passwords import verify_password
from inforadar.actions.people.tokens import SESSION_LIFETIME, begin_session, revoke, use_link
from inforadar.config import WebSettings
from inforadar.model.person import Person, TokenKind
from inforadar.store.database import Database
from inforadar.store.people.queries import load_first_admin
from inforadar.translations import pgettext, term
from inforadar.web.http.access import CSRF_SCOPE, is_same_origin
from inforadar.web.http.forms import redirect_to
from inforadar.web.http.identity import IDENTITY_SCOPE, PERSON_SCOPE, Identity, Way
from inforadar.web.http.landing import COOKIE as LANDING_COOKIE
from inforadar.web.http.landing import landing_of, remember
from inforadar.web.http.login_limit import CrowdedError, LoginLimit
from inforadar.web.http.routing import resource
from inforadar.web.http.sessions import COOKIE, Sessions
from inforadar.web.pages.templating import Pages

MAX_FORM_BYTES = 4096
RETRY_S = 10
_TOO_MANY = term("login", "Too many attempts. Try again in a moment.")
_ELSEWHERE = term("login", "This request comes from another site's page.")
_WRONG_LINK = term(
    "login", "This link is wrong, expired or already used. `inforadar person link NAME` makes a new one."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginRoutes:
    database: Database
    pages: Pages
    sessions: Sessions
    settings: WebSettings
    limit: LoginLimit

    def routes(self) -> list[Route]:
        return [
            resource("/login", get=self.show, post=self.log_in),
            resource("/login/link", get=self.show_link, post=self.follow_link),
            resource("/logout", post=self.log_out),
            resource("/api/session", get=self.session),
        ]

    async def show(self, request: Request) -> Response:
        response = self._form(request)
        remember(request, response)
        return response

    async def log_in(self, request: Request) -> Response:
        form = parse_qs((await _small_body(request)).decode("utf-8", "replace"))
        if not self._is_ours(request):
            return self._form(request, 403, _ELSEWHERE)
        name, password, token = (form.get(field, [""])[0].strip() for field in ("name", "password", "token"))
        address = request.client.host if request.client else ""
        if token:
            return await self._log_in_by_token(request, token, address)
        try:
            async with self.limit.turn(name, address):
                person = await verify_password(self.database, name, password) if name and password else None
        except CrowdedError:
            return self._form(request, 429, _TOO_MANY, wait_s=RETRY_S)
        if person is None:
            self.limit.failed(name, address)
            return self._form(request, 401, term("login", "Name or password is wrong."), name=name)
        return await self._begin(request, person)

    async def _log_in_by_token(self, request: Request, token: str, address: str) -> Response:
        """The right one always works: it is random, so whoever has it did not guess it."""
        if self.sessions.is_token(token):
            return await self._begin(request, await self.database.read(load_first_admin))
        is_slowed = self.limit.wait_s("", address) > 0
        self.limit.failed("", address)
        if is_slowed:
            return self._form(request, 429, _TOO_MANY, wait_s=RETRY_S)
        return self._form(request, 401, term("login", "That is not the admin token."))

    async def show_link(self, request: Request) -> Response:
        response = self.pages.render(
            request, "login_link.html", code=request.query_params.get("code", ""), sentence=""
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    async def follow_link(self, request: Request) -> Response:
        """Use up a one-time link."""
        form = parse_qs((await _small_body(request)).decode("utf-8", "replace"))
        if not self._is_ours(request):
            return self._form(request, 403, _ELSEWHERE)
        person = await use_link(self.database, form.get("code", [""])[0].strip())
        if person is None:
            return self._form(request, 401, _WRONG_LINK)
        return await self._begin(request, person)

    async def log_out(self, request: Request) -> Response:
        who: Identity = request.scope[IDENTITY_SCOPE]
        if who.way is Way.SESSION and who.token_id is not None:
            await revoke(self.database, who.person.id, who.token_id, [TokenKind.SESSION])
        response = RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response

    async def session(self, request: Request) -> Response:
        """Return who sends the request, and the CSRF token that changes by cookie need. For our page and extension."""
        csrf = request.scope.get(CSRF_SCOPE)
        person: Person | None = request.scope.get(PERSON_SCOPE)
        document = {
            "admin": person is not None and person.is_admin,
            "csrf": csrf,
            "name": person.name if person else None,
            "role": person.role if person else None,
        }
        return Response(
            msgspec.json.encode(document),
            headers={"Cache-Control": "no-store"},
            media_type="application/json",
        )

    async def _begin(self, request: Request, person: Person) -> Response:
        browser = request.headers.get("user-agent", "")
        cookie = await begin_session(self.database, person.id, browser)
        response = redirect_to(request, landing_of(request))
        if LANDING_COOKIE in request.cookies:
            response.delete_cookie(LANDING_COOKIE, path="/", httponly=True, samesite="strict")
        response.set_cookie(
            COOKIE,
            cookie,
            max_age=int(SESSION_LIFETIME.total_seconds()),
            path="/",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https" or self.settings.public_url.startswith("https://"),
        )
        return response

    def _is_ours(self, request: Request) -> bool:
        """Whether the form may have come from our own page. Browsers send the origin with every form."""
        origin = request.headers.get("origin")
        host = request.headers.get("host", "").encode()
        return origin is None or is_same_origin(origin.encode(), host, self.settings.public_url)

    def _form(
        self, request: Request, status: int = 200, sentence: str = "", *, name: str = "", wait_s: int = 0
    ) -> Response:
        response = self.pages.render(
            request, "login.html", status, sentence=pgettext("login", sentence), name=name
        )
        response.headers["Cache-Control"] = "no-store"
        if wait_s:
            response.headers["Retry-After"] = str(wait_s)
        return response


async def _small_body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            return b""
    return body
