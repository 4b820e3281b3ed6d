"""`/settings`: how the page looks and behaves, stored with the person. Each form sends only what it changes."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.people.settings import save_settings
from inforadar.errors import UsageError
from inforadar.model.person import Person
from inforadar.store.database import Database
from inforadar.views.settings import CHOICES, NAMES, time_zones
from inforadar.web.http.forms import read_form, redirect_to
from inforadar.web.http.identity import PERSON_SCOPE
from inforadar.web.http.language import LANGUAGE_COOKIE
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import THEME_COOKIE, Pages

LANGUAGE_PAGES = frozenset({"/settings", "/login"})
"""The pages with a form for the language, which lead back to themselves."""
COOKIE_AGE_S = 365 * 86400
BROWSER_SETTINGS = {"language": LANGUAGE_COOKIE, "theme": THEME_COOKIE}
"""{setting that a browser keeps without an account: its cookie}; the default needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsRoutes:
    database: Database
    pages: Pages

    def routes(self) -> list[Route]:
        return [
            resource("/settings", get=self.show, post=self.save),
            resource("/language", post=self.save_in_browser),
        ]

    async def show(self, request: Request) -> Response:
        """Show the settings; to readers without an account, only the language and the theme."""
        return self._page(request)

    async def save_in_browser(self, request: Request) -> Response:
        """Keep the language and the theme of a reader without an account in cookies."""
        form = await read_form(request)
        back = form.text("back")
        response = redirect_to(request, back if back in LANGUAGE_PAGES else "/settings")
        for name, cookie in BROWSER_SETTINGS.items():
            value = form.text(name)
            if value is None:
                continue
            if value in CHOICES[name][1:]:
                response.set_cookie(
                    cookie, value, max_age=COOKIE_AGE_S, path="/", httponly=True, samesite="lax"
                )
            else:
                response.delete_cookie(cookie, path="/", httponly=True, samesite="lax")
        return response

    async def save(self, request: Request) -> Response:
        """Save what the form has; `back` is the query of the list that it was sent from."""
        form = await read_form(request)
        person: Person = request.scope[PERSON_SCOPE]
        given = {name: form.fields[name][0].strip() for name in NAMES if name in form.fields}
        try:
            await save_settings(self.database, person.id, given)
        except UsageError as fault:
            return self._page(request, 422, fault=str(fault))
        if "back" in form.fields:
            back = form.text("back") or "show=all"
            # Only the query is taken: the path stays ours.
            return redirect_to(request, f"/?{back}".replace("\n", "").replace("\r", ""))
        return redirect_to(request, "/settings?saved")

    def _page(self, request: Request, status: int = 200, fault: str = "") -> Response:
        return self.pages.render(
            request,
            "settings.html",
            status,
            choices=CHOICES,
            zones=time_zones(),
            fault=fault,
            is_saved="saved" in request.query_params,
            broken=0,
        )
