"""Request ids: in the response's `X-Request-Id` and in every log line written during the request.

An id set by a reverse proxy is kept if it is well-formed.
"""

from __future__ import annotations

import os
import re
from time import perf_counter

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = b"x-request-id"
_WELL_FORMED = re.compile(rb"[A-Za-z0-9._-]{1,64}")

log = structlog.get_logger()


class RequestIds:
    """Gives every request an id. Wraps the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        id_ = given if _WELL_FORMED.fullmatch(given) else os.urandom(8).hex().encode()
        started = perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, id_)]}
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=id_.decode()):
            try:
                await self._app(scope, receive, send_with_id)
            finally:
                log.debug(
                    "request.finished",
                    method=scope["method"],
                    path=scope["path"],
                    status=status,
                    milliseconds=round((perf_counter() - started) * 1000, 1),
                )
