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
from inforadar.web.api.answers import API, json_fault
from inforadar.web.pages.templating import Pages

log = structlog.get_logger()


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
        response = self.pages.render(request, "fault.html", status, title=title, sentence=sentence)
        response.headers.update(headers or {})
        return response

    def show_refusal(self, scope: Scope, status: int, sentence: str) -> Response:
        """Render a refused request for a person in a browser."""
        title = "Log in first" if status == 401 else "Refused"
        return self.pages.render(Request(scope), "fault.html", status, title=title, sentence=sentence)

    def handlers(self) -> dict[Any, Callable[[Request, Any], Awaitable[Response]]]:
        return {
            HTTPException: self.refused,
            NotFoundError: self.not_found,
            UsageError: self.misused,
            StoreError: self.unavailable,
            Exception: self.broken,
        }

    async def refused(self, request: Request, fault: HTTPException) -> Response:
        phrase = HTTPStatus(fault.status_code).phrase
        sentence = fault.detail if fault.detail != phrase else _SENTENCES.get(fault.status_code, "")
        return self._render(request, fault.status_code, phrase.capitalize(), sentence, fault.headers)

    async def not_found(self, request: Request, fault: NotFoundError) -> Response:
        return self._render(request, 404, "Not found", str(fault))

    async def misused(self, request: Request, fault: UsageError) -> Response:
        return self._render(request, 400, "Bad request", str(fault))

    async def unavailable(self, request: Request, fault: StoreError) -> Response:
        log.error("page.unavailable", path=request.url.path, error=str(fault))
        sentence = "The database does not answer. See /health for details."
        return self._render(request, 503, "Not available", sentence, {"Retry-After": "60"})

    async def broken(self, request: Request, fault: Exception) -> Response:
        # Not logged here: the exception propagates to the server, which logs it.
        sentence = "That was our fault, not yours. The log says what happened."
        return self._render(request, 500, "An error", sentence)


_SENTENCES = {
    404: "There is no such page.",
    405: "This address does not support that method.",
}
