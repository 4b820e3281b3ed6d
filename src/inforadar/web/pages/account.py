"""`/account`: one's own password, sessions, app passwords, feed tokens and searches; `/people`: everybody's accounts.

Secrets are shown once, in the answer to the form that makes them; that answer is never stored.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.people.accounts import (
    TITLES,
    add_person,
    drop_search,
    edit_person,
    hide_feed,
    keep_search,
    remove_person,
    show_feed,
)
from inforadar.actions.people.passwords import set_password, verify_password
from inforadar.actions.people.tokens import make_app_password, make_feed_token, make_link, revoke
from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import FeedId
from inforadar.model.person import Person, Role, TokenId, TokenKind
from inforadar.store.database import Database
from inforadar.store.feeds.hidden import load_hidden_feeds
from inforadar.store.feeds.queries import load_feed
from inforadar.store.people.queries import (
    find_person,
    load_people,
    load_searches,
    load_tokens,
)
from inforadar.translations import gettext as _
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.identity import IDENTITY_SCOPE, PERSON_SCOPE, Identity
from inforadar.web.http.login_limit import CrowdedError, LoginLimit
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

MAX_SHOWN_FEEDS = 200
_OWN_KINDS = (TokenKind.APP, TokenKind.FEED, TokenKind.SESSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRoutes:
    database: Database
    pages: Pages
    limit: LoginLimit
    base_url: str
    now: Callable[[], datetime]
    on_changed: Callable[[], None]
    """Called when what the sidebar shows has changed."""

    def routes(self) -> list[Route]:
        return [
            resource("/account", get=self.show, post=self.change),
            resource("/people", get=self.show_people, post=self.change_people),
        ]

    async def show(self, request: Request) -> Response:
        return await self._account(request, _person(request))

    async def change(self, request: Request) -> Response:
        """Handle one of the forms of the account page, named by its field `do`."""
        person = _person(request)
        form = await read_form(request)
        changes: dict[str, Callable[[Request, Person, Form], Awaitable[Response]]] = {
            "app-password": self._make_app_password,
            "feed-token": self._make_feed_token,
            "revoke": self._revoke,
            "password": self._set_password,
            "titles": self._set_titles,
            "hide-feed": self._hide_feed,
            "show-feed": self._show_feed,
            "search": self._save_search,
            "drop-search": self._drop_search,
        }
        change = changes.get(form.text("do") or "")
        if change is None:
            raise UsageError(_("The form does not say what to do."))
        try:
            return await change(request, person, form)
        except (UsageError, NotFoundError) as fault:
            return await self._account(request, person, 422, fault=str(fault))

    async def _make_app_password(self, request: Request, person: Person, form: Form) -> Response:
        secret, _ = await make_app_password(self.database, person.id, form.text("label") or "")
        return await self._account(request, person, secret=secret, secret_kind=TokenKind.APP)

    async def _make_feed_token(self, request: Request, person: Person, form: Form) -> Response:
        secret, _ = await make_feed_token(self.database, person.id, form.text("label") or "")
        return await self._account(request, person, secret=secret, secret_kind=TokenKind.FEED)

    async def _revoke(self, request: Request, person: Person, form: Form) -> Response:
        await revoke(self.database, person.id, TokenId(_uuid(form, "id")), _OWN_KINDS)
        return redirect_to(request, "/account")

    async def _set_password(self, request: Request, person: Person, form: Form) -> Response:
        new = (form.fields.get("password") or [""])[0]
        if person.has_password:
            address = request.client.host if request.client else ""
            try:
                async with self.limit.turn(person.name, address):
                    old = (form.fields.get("old") or [""])[0]
                    known = await verify_password(self.database, person.name, old)
            except CrowdedError:
                raise UsageError(_("Too many attempts. Try again in a moment.")) from None
            if known is None:
                self.limit.failed(person.name, address)
                raise UsageError(_("The old password is wrong; nothing was changed."))
        await set_password(self.database, person.id, new, self.now())
        return redirect_to(request, "/login")

    async def _set_titles(self, request: Request, person: Person, form: Form) -> Response:
        await edit_person(self.database, person.id, titles=form.text("titles") or "")
        return redirect_to(request, "/account")

    async def _hide_feed(self, request: Request, person: Person, form: Form) -> Response:
        """Hide a feed, and show its list, which has the way back."""
        feed_id = FeedId(_uuid(form, "id"))
        await hide_feed(self.database, person.id, [feed_id])
        self.on_changed()
        return redirect_to(request, f"/?feed={feed_id}")

    async def _show_feed(self, request: Request, person: Person, form: Form) -> Response:
        feed_id = FeedId(_uuid(form, "id"))
        await show_feed(self.database, person.id, [feed_id])
        self.on_changed()
        return redirect_to(request, f"/?feed={feed_id}" if form.text("back") == "list" else "/account")

    async def _save_search(self, request: Request, person: Person, form: Form) -> Response:
        await keep_search(self.database, person.id, form.text("name") or "", form.text("words") or "")
        return redirect_to(request, "/account")

    async def _drop_search(self, request: Request, person: Person, form: Form) -> Response:
        await drop_search(self.database, person.id, form.text("name") or "")
        return redirect_to(request, "/account")

    async def _account(self, request: Request, person: Person, status: int = 200, **values: Any) -> Response:
        who: Identity = request.scope[IDENTITY_SCOPE]
        tokens = await self.database.read(load_tokens, person.id, _OWN_KINDS)
        hidden = await self.database.read(load_hidden_feeds, person.id)
        feeds = [await self.database.read(load_feed, feed_id) for feed_id in sorted(hidden)[:MAX_SHOWN_FEEDS]]
        shown: dict[str, Any] = {"fault": "", "secret": "", "secret_kind": None} | values
        response = self.pages.render(
            request,
            "account.html",
            status,
            person=person,
            tokens={kind: [token for token in tokens if token.kind is kind] for kind in _OWN_KINDS},
            kinds=TokenKind,
            current=who.token_id,
            hidden=feeds,
            searches=await self.database.read(load_searches, person.id),
            titles=TITLES,
            base_url=self.base_url,
            broken=0,
            **shown,
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    async def show_people(self, request: Request) -> Response:
        return await self._people(request)

    async def change_people(self, request: Request) -> Response:
        """Handle one of the forms of the people page."""
        form = await read_form(request)
        try:
            match form.text("do"):
                case "add":
                    await add_person(
                        self.database,
                        form.text("name") or "",
                        _role(form),
                        (form.fields.get("password") or [""])[0] or None,
                        self.now(),
                    )
                case "role":
                    person = await self.database.read(find_person, form.text("name") or "")
                    await edit_person(self.database, person.id, role=_role(form))
                case "remove":
                    person = await self.database.read(find_person, form.text("name") or "")
                    await remove_person(self.database, person.id)
                case "link":
                    person = await self.database.read(find_person, form.text("name") or "")
                    code = await make_link(self.database, person.id)
                    link = f"{self.base_url}/login/link?code={quote(code)}"
                    return await self._people(request, link=link, linked=person.name)
                case _:
                    raise UsageError(_("The form does not say what to do."))
        except (UsageError, NotFoundError) as fault:
            return await self._people(request, 422, fault=str(fault))
        return redirect_to(request, "/people")

    async def _people(self, request: Request, status: int = 200, **values: Any) -> Response:
        if not _person(request).is_admin:
            raise HTTPException(403, _("Only an admin can see this."))
        shown: dict[str, Any] = {"fault": "", "link": "", "linked": ""} | values
        response = self.pages.render(
            request,
            "people.html",
            status,
            people=await self.database.read(load_people),
            roles=Role,
            me=_person(request),
            broken=0,
            **shown,
        )
        response.headers["Cache-Control"] = "no-store"
        return response


def _person(request: Request) -> Person:
    person: Person | None = request.scope.get(PERSON_SCOPE)
    if person is None:
        raise HTTPException(401, _("Log in to see this."))
    return person


def _role(form: Form) -> Role:
    try:
        return Role(form.text("role") or "")
    except ValueError:
        raise UsageError(f"The role must be one of {', '.join(Role)}.") from None


def _uuid(form: Form, name: str) -> UUID:
    try:
        return UUID(form.text(name) or "")
    except ValueError:
        raise UsageError(_("There is nothing like that; nothing was changed.")) from None
