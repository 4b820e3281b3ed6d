"""JSON responses of the API: one form for results and one for errors, readable from any site's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from inforadar.web.feeds.response import CORS, Prepared

API = "/api/"
"""The path prefix under which all responses are JSON, including errors."""

_CORS = {name.decode(): value.decode() for name, value in CORS}


def json_answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        msgspec.json.encode(document),
        status,
        {"Cache-Control": "no-cache", **_CORS, **(headers or {})},
        media_type="application/json",
    )


def json_document(document: Any) -> Prepared:
    """Make a response that many readers share: compressed once, with a 304 for clients that already have it."""
    return Prepared(msgspec.json.encode(document), "application/json", None)


def json_fault(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Make an error response: `{"error": "There is no …"}`."""
    return json_answer({"error": sentence}, status, headers)
