"""Refuses query parameters that the API's description does not have, and tells of those that have a new name.

A parameter that is silently ignored returns a list that looks right and is not: `/api/items?topics=world` would show
everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.web.api.answers import API, json_fault
from inforadar.web.api.openapi import DOCUMENT

RENAMED: Mapping[str, Mapping[str, str]] = {
    "/api/feeds": {"after": "cursor"},
    "/api/runs": {"before": "cursor"},
}
"""Parameters of earlier versions, which work as long as this version does: {path: {old: new}}."""
_PATHS = [
    (
        re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)),
        {one["name"] for one in methods.get("get", {}).get("parameters", ()) if one["in"] == "query"},
    )
    for path, methods in DOCUMENT["paths"].items()
    if path.startswith(API)
]


class KnownParameters:
    """Answers requests for unknown parameters; the others go on to `app`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = scope.get("query_string") if scope["type"] == "http" else b""
        known = _known(scope) if given else None
        if not given or known is None:
            await self._app(scope, receive, send)
            return
        names = [name for name, _ in parse_qsl(given.decode("latin-1"), keep_blank_values=True)]
        renamed = RENAMED.get(scope["path"], {})
        unknown = next((name for name in names if name not in known and name not in renamed), None)
        if unknown is not None:
            said = f"There is no parameter {unknown}. " + (
                f"There are: {', '.join(sorted(known))}." if known else "There are none."
            )
            await json_fault(400, said)(scope, receive, send)
            return
        old = [name for name in names if name in renamed]
        await self._app(scope, receive, _telling(send, old, renamed) if old else send)


def _known(scope: Scope) -> set[str] | None:
    """The parameters of this path; None if it is none of the API's, or changes something."""
    path: str = scope["path"]
    if scope["method"] not in {"GET", "HEAD"} or not path.startswith(API):
        return None
    return next((known for pattern, known in _PATHS if pattern.fullmatch(path)), None)


def _telling(send: Send, old: list[str], renamed: Mapping[str, str]) -> Send:
    said = "; ".join(f"{name} is now {renamed[name]}" for name in dict.fromkeys(old))
    added = [(b"deprecation", b"@1795000000"), (b"warning", f'299 - "{said}"'.encode("latin-1"))]

    async def send_telling(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return send_telling
