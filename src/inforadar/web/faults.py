"""What a reader sees when there is nothing to show: the same page, a sentence, a way on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from inforadar.errors import NotFoundError, StoreError
from inforadar.web.templating import Pages

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPages:
    pages: Pages

    def handlers(self) -> dict[Any, Callable[[Request, Any], Awaitable[Response]]]:
        return {
            HTTPException: self.refused,
            NotFoundError: self.not_found,
            StoreError: self.unavailable,
            Exception: self.broken,
        }

    async def refused(self, request: Request, fault: HTTPException) -> Response:
        phrase = HTTPStatus(fault.status_code).phrase
        sentence = fault.detail if fault.detail != phrase else _SENTENCES.get(fault.status_code, "")
        response = self.pages.render("fault.html", fault.status_code, title=phrase, sentence=sentence)
        response.headers.update(fault.headers or {})
        return response

    async def not_found(self, request: Request, fault: NotFoundError) -> Response:
        return self.pages.render("fault.html", 404, title="Not found", sentence=str(fault))

    async def unavailable(self, request: Request, fault: StoreError) -> Response:
        log.error("page.unavailable", path=request.url.path, error=str(fault))
        sentence = "The database does not answer. The page /health says what is wrong with it."
        return self.pages.render("fault.html", 503, title="Not available", sentence=sentence)

    async def broken(self, request: Request, fault: Exception) -> Response:
        # Not logged here: whatever passes the application ends up with the server, which logs it.
        sentence = "That was our fault, not yours. The log says what happened."
        return self.pages.render("fault.html", 500, title="An error", sentence=sentence)


_SENTENCES = {
    404: "There is no such page.",
    405: "This address cannot be used that way.",
}
