"""JSON answers of the API: one form for what is found and for what is wrong, readable from any page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from inforadar.web.feeds.response import CORS, Prepared

API = "/api/"
"""Where addresses begin whose answers are JSON, errors too."""

_CORS = {name.decode(): value.decode() for name, value in CORS}


def json_answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        msgspec.json.encode(document),
        status,
        {"Cache-Control": "no-cache", **_CORS, **(headers or {})},
        media_type="application/json",
    )


def json_document(document: Any) -> Prepared:
    """An answer that many ask for: compressed once, and a 304 for whoever has it already."""
    return Prepared(msgspec.json.encode(document), "application/json", None)


def json_fault(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """`{"error": "There is no …"}`."""
    return json_answer({"error": sentence}, status, headers)
