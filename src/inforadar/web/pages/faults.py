"""Error pages: the usual layout, a sentence and a link onwards; JSON for the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from inforadar.errors import NotFoundError, StoreError, UsageError
from inforadar.translations import ENGLISH, pgettext, say_again, speaking, term
from inforadar.translations import gettext as _
from inforadar.web.api.answers import API, json_fault
from inforadar.web.http.landing import came_from
from inforadar.web.http.language import reader_language
from inforadar.web.pages.templating import Pages

log = structlog.get_logger()
TITLES = (
    term("fault", "Unauthorized"),
    term("fault", "Forbidden"),
    term("fault", "Bad request"),
    term("fault", "This search is not understood"),
    term("fault", "Method not allowed"),
    term("fault", "Content too large"),
    term("fault", "Request entity too large"),
    term("fault", "Unprocessable content"),
    term("fault", "Unprocessable entity"),
    term("fault", "Too many requests"),
    term("fault", "Service unavailable"),
)
"""The titles that are not written where they are said, as the standard library's names of status codes."""
REFUSALS = (
    term("refusal", "The database does not answer. Try again in a minute."),
    term("refusal", "Reading requires an account. Log in at /login."),
    term("refusal", "Making changes requires an account. Log in at /login."),
    term("refusal", "This request comes from another site's page."),
    term("refusal", "The page is outdated. Reload it and try again."),
    term("refusal", "Only an admin can change this."),
)
"""The sentences of `http/access.py` that people see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPages:
    pages: Pages

    def _render(
        self,
        request: Request,
        status: int,
        title: str,
        sentence: str,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Render an error: as JSON for the API, otherwise as a page."""
        if request.url.path.startswith(API):
            return json_fault(status, sentence or f"{title}.", headers)
        response = self._page(request, status, title, sentence)
        response.headers.update(headers or {})
        return response

    def show_refusal(self, scope: Scope, status: int, sentence: str) -> Response:
        """Render a refused request for a person in a browser."""
        with speaking(reader_language(scope)):
            return self._page(Request(scope), status, term("fault", "Refused"), pgettext("refusal", sentence))

    def _page(self, request: Request, status: int, title: str, sentence: str) -> Response:
        needs_login = status == 401
        return self.pages.render(
            request,
            "fault.html",
            status,
            title=_("Log in first") if needs_login else pgettext("fault", title),
            sentence=sentence,
            needs_login=needs_login,
            # The address of a change is no page to come back to.
            landing=came_from(request) if request.method != "GET" else None,
            words=_searched(request),
        )

    def handlers(self) -> dict[Any, Callable[[Request, Any], Awaitable[Response]]]:
        return {
            HTTPException: _spoken(self.refused),
            NotFoundError: _spoken(self.not_found),
            UsageError: _spoken(self.misused),
            StoreError: _spoken(self.unavailable),
            Exception: _spoken(self.broken),
        }

    async def refused(self, request: Request, fault: HTTPException) -> Response:
        phrase = HTTPStatus(fault.status_code).phrase
        known = pgettext("fault", _SENTENCES.get(fault.status_code, ""))
        sentence = fault.detail if fault.detail != phrase else known
        return self._render(request, fault.status_code, phrase.capitalize(), sentence, fault.headers)

    async def not_found(self, request: Request, fault: NotFoundError) -> Response:
        return self._render(request, 404, term("fault", "Not found"), say_again(str(fault)))

    async def misused(self, request: Request, fault: UsageError) -> Response:
        title = "This search is not understood" if _searched(request) else "Bad request"
        return self._render(request, 400, title, say_again(str(fault)))

    async def unavailable(self, request: Request, fault: StoreError) -> Response:
        log.error("page.unavailable", path=request.url.path, error=str(fault))
        sentence = _("The database does not answer. See /health for details.")
        return self._render(request, 503, term("fault", "Not available"), sentence, {"Retry-After": "60"})

    async def broken(self, request: Request, fault: Exception) -> Response:
        # Not logged here: the exception propagates to the server, which logs it.
        sentence = _("That was our fault, not yours. The log says what happened.")
        return self._render(request, 500, term("fault", "An error"), sentence)


def _searched(request: Request) -> str | None:
    """The words that were searched for in the list, to be written again."""
    is_list = request.url.path == f"{request.scope.get('root_path', '')}/"
    return request.query_params.get("q") if is_list else None


def _spoken(
    handler: Callable[[Request, Any], Awaitable[Response]],
) -> Callable[[Request, Any], Awaitable[Response]]:
    """Handle a fault in the reader's language; of the API in English."""

    async def handle(request: Request, fault: Any) -> Response:
        is_api = request.url.path.startswith(API)
        with speaking(ENGLISH if is_api else reader_language(request.scope)):
            return await handler(request, fault)

    return handle


_SENTENCES = {
    404: term("fault", "There is no such page."),
    405: term("fault", "This address does not support that method."),
}
